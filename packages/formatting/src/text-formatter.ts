import type { Tokenizer } from '@fossick/tokenizer';
import { cropWindow } from './crop-window.js';
import type { TermLookup } from './matching-terms.js';
import { findMatches, type TextMatch } from './text-matches.js';

/** How a text is shown. `cropWords`: null where nothing says how much of it; 0 says the whole text. */
export interface TextFormat {
  readonly isHighlighted: boolean;
  readonly cropWords: number | null;
}
export interface Markers {
  readonly preTag: string;
  readonly postTag: string;
  readonly cropMarker: string;
}
/** UTF-8 offset and length of a match in its text. */
export interface MatchBounds {
  readonly start: number;
  readonly length: number;
}
export interface FormattedText {
  readonly text: string;
  readonly bounds: readonly MatchBounds[];
}

/** What is looked for in a text, and how it is marked. */
export interface TextSearch {
  readonly wantsBounds: boolean;
  readonly markers: Markers;
  readonly lookup: TermLookup;
  readonly tokenizer: Tokenizer;
  readonly locales: readonly string[] | undefined;
}

/** Formats one text (spec 13 section 4); `wantsBounds` asks for the places of the matches as well. O(text). */
export function formatText(
  text: string,
  format: TextFormat,
  { wantsBounds, markers, lookup, tokenizer, locales }: TextSearch,
): FormattedText {
  const needsMatches = (format.isHighlighted || wantsBounds) && !lookup.isEmpty;
  const cropWords = format.cropWords ?? 0;
  if (!needsMatches && cropWords === 0) return { text, bounds: [] };
  const cut = { text, tokens: tokenizer.tokenize(text, locales) };
  const matches = findMatches(cut, lookup, tokenizer);
  const bounds = wantsBounds ? boundsOf(text, matches) : [];
  const { start, end } =
    cropWords > 0 ? cropWindow(cut, centresOf(matches), cropWords) : { start: 0, end: text.length };
  if (!format.isHighlighted && start === 0 && end === text.length) return { text, bounds };
  const body = format.isHighlighted ? highlight(text, start, end, matches, markers) : text.slice(start, end);
  const { cropMarker } = markers;
  return { text: `${start > 0 ? cropMarker : ''}${body}${end < text.length ? cropMarker : ''}`, bounds };
}

/** The matches that a text is cropped around: stop words only where there is nothing else. */
function centresOf(matches: readonly TextMatch[]): readonly TextMatch[] {
  if (!matches.some(({ isStopWord }) => isStopWord)) return matches;
  const centres = matches.filter(({ isStopWord }) => !isStopWord);
  return centres.length === 0 ? matches : centres;
}

function highlight(text: string, start: number, end: number, matches: readonly TextMatch[], markers: Markers): string {
  let out = '';
  let at = start;
  for (const match of matches) {
    if (match.end < start || match.start > end) continue;
    const from = Math.max(match.start, start);
    const to = Math.min(match.end, end);
    // The marked length counts from where the match begins to show.
    const marked = Math.min(from + match.highlightEnd - match.start, to);
    out += text.slice(at, from) + markers.preTag + text.slice(from, marked) + markers.postTag + text.slice(marked, to);
    at = to;
  }
  return out + text.slice(at, end);
}

function boundsOf(text: string, matches: readonly TextMatch[]): MatchBounds[] {
  let bytes = 0;
  let at = 0;
  return matches.map((match) => {
    bytes += Buffer.byteLength(text.slice(at, match.start));
    at = match.start;
    return { start: bytes, length: Buffer.byteLength(text.slice(match.start, match.highlightEnd)) };
  });
}
