import { utf8Length } from '@fossick/base';
import type { Tokenizer } from '@fossick/tokenizer';
import { cropWindow } from './crop-window.js';
import type { TermLookup } from './matching-terms.js';
import { findMatches, type TextMatch } from './text-matches.js';

/** How a text is shown. `cropWords`: null when no crop length applies; 0 means the whole text. */
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

/** What to find in a text, and how to mark it. */
export interface TextSearch {
  readonly wantsBounds: boolean;
  readonly markers: Markers;
  readonly lookup: TermLookup;
  readonly tokenizer: Tokenizer;
  readonly locales: readonly string[] | undefined;
  /** Whether the text is of an attribute whose words match by a part of them. */
  readonly hasInfixes: boolean;
}

/**
 * The most UTF-16 units of a text that are formatted: as many words of sixteen letters as are indexed of an attribute. The deadline does
 * not interrupt a text, and one of 40 million units took seconds and gigabytes. The rest is shown unchanged.
 */
const MAX_FORMATTED_UNITS = 1 << 20;

/** Formats one text; `wantsBounds`: also reports the positions of the matches. O(text), bounded. */
export function formatText(whole: string, format: TextFormat, search: TextSearch): FormattedText {
  if (whole.length <= MAX_FORMATTED_UNITS) return formatHead(whole, '', format, search);
  const isCutPair = (whole.charCodeAt(MAX_FORMATTED_UNITS) & 0xfc00) === 0xdc00;
  const units = MAX_FORMATTED_UNITS - (isCutPair ? 1 : 0);
  return formatHead(whole.slice(0, units), whole.slice(units), format, search);
}

/** Formats a text whose `rest` is not searched: it is cropped away with the text, or shown unchanged. */
function formatHead(
  text: string,
  rest: string,
  format: TextFormat,
  { wantsBounds, markers, lookup, tokenizer, locales, hasInfixes }: TextSearch,
): FormattedText {
  const needsMatches = (format.isHighlighted || wantsBounds) && !lookup.isEmpty;
  const cropWords = format.cropWords ?? 0;
  if (!needsMatches && cropWords === 0) return { text: text + rest, bounds: [] };
  const cut = { text, tokens: tokenizer.tokenize(text, locales), hasInfixes };
  const matches = findMatches(cut, lookup, tokenizer);
  const bounds = wantsBounds ? boundsOf(text, matches) : [];
  const { start, end } =
    cropWords > 0 ? cropWindow(cut, centresOf(matches), cropWords) : { start: 0, end: text.length };
  if (!format.isHighlighted && start === 0 && end === text.length) return { text: text + rest, bounds };
  const body = format.isHighlighted ? highlight(text, start, end, matches, markers) : text.slice(start, end);
  const { cropMarker } = markers;
  const after = end < text.length ? cropMarker : rest;
  return { text: `${start > 0 ? cropMarker : ''}${body}${after}`, bounds };
}

/** The matches that a text is cropped around: stop words only where there are no others. */
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
    // The highlighted length counts from the shown start of the match.
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
    bytes += utf8Length(text.slice(at, match.start));
    at = match.start;
    return { start: bytes, length: utf8Length(text.slice(match.start, match.highlightEnd)) };
  });
}
