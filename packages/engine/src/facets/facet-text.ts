const EDGE_SPACE = /^\p{White_Space}+|\p{White_Space}+$/gu;
/** Longest facet string that is kept, in UTF-8 bytes (spec 12 section 1). */
export const FACET_STRING_BYTES_MAX = 468;
const encoder = new TextEncoder();

/** The form facet strings are compared by: trimmed, NFKD, lower-case; accents stay as combining marks (spec 12 section 1). Not cut. */
export function normalizeFacetText(text: string): string {
  return text.replace(EDGE_SPACE, '').normalize('NFKD').toLowerCase();
}

/** Cuts at 468 UTF-8 bytes, on a character boundary. */
export function cutFacetText(text: string): string {
  if (text.length * 3 <= FACET_STRING_BYTES_MAX) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(FACET_STRING_BYTES_MAX));
  return text.slice(0, read);
}

/** normalise(text), cut, as UTF-8: the key of a string group. */
export function facetKey(text: string): Uint8Array {
  return encoder.encode(cutFacetText(normalizeFacetText(text)));
}
