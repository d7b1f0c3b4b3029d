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

/** normalise(text), cut, as UTF-8: the key of a string group. */
export function facetKey(text: string): Uint8Array {
  return encoder.encode(cutFacetText(normalizeFacet(text)));
}
