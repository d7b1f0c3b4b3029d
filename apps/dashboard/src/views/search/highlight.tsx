import { MARK_END, MARK_START } from './search-request.js';

export interface MarkedPart {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Splits a text at the highlight marks. O(length). */
export function markedParts(text: string): MarkedPart[] {
  const parts: MarkedPart[] = [];
  for (const [at, piece] of text.split(MARK_START).entries()) {
    const end = at === 0 ? -1 : piece.indexOf(MARK_END);
    if (end > 0) parts.push({ text: piece.slice(0, end), isMarked: true });
    const rest = piece.slice(end + 1).replaceAll(MARK_END, '');
    if (rest !== '') parts.push({ text: rest, isMarked: false });
  }
  return parts;
}

/** A text with highlighted matches: text nodes and elements, never HTML of a document. */
export function Highlight({ text }: { readonly text: string }) {
  return markedParts(text).map(({ text: piece, isMarked }, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name than their place
    isMarked ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
  );
}
