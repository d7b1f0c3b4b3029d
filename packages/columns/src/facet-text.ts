import { normalizeFacet } from '@fossick/tokenizer';

/** Longest facet string that is kept, in UTF-8 bytes (spec 12 section 1). */
export const FACET_STRING_BYTES_MAX = 468;
const encoder = new TextEncoder();

/** Cuts at 468 UTF-8 bytes, on a character boundary. */
export function cutFacetText(text: string): string {
  if (text.length * 3 <= FACET_STRING_BYTES_MAX) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(FACET_STRING_BYTES_MAX));
  return text.slice(0, read);
}

/** Units of a text that decide its key: far more than 468 bytes can come of. */
const DECIDING_UNITS = 8 * FACET_STRING_BYTES_MAX;

/** The normalised value, cut: what strings are compared by. O(1): no more of the text is looked at than decides. */
export function facetText(text: string): string {
  const decisive = text.length <= DECIDING_UNITS ? text : decidingPart(text);
  return cutFacetText(normalizeFacet(decisive));
}

/** The start of the text behind its outer space; a letter at the end keeps the space at its end from being trimmed as if the text ended there. */
function decidingPart(text: string): string {
  const start = text.length - text.trimStart().length;
  return start + DECIDING_UNITS < text.length ? `${text.slice(start, start + DECIDING_UNITS)}x` : text.slice(start);
}

/** normalise(text), cut, as UTF-8: the key of a string group. */
export function facetKey(text: string): Uint8Array {
  return encoder.encode(facetText(text));
}
