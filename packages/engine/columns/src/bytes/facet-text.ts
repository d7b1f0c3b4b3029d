import { MAX_FACET_VALUE_BYTES } from '@fossick/base';
import { normalizeFacet } from '@fossick/tokenizer';

const encoder = new TextEncoder();

/** Truncates at 468 UTF-8 bytes, on a character boundary. */
export function cutFacetText(text: string): string {
  if (text.length * 3 <= MAX_FACET_VALUE_BYTES) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(MAX_FACET_VALUE_BYTES));
  return text.slice(0, read);
}

/** Code units of a text that are read for its key: enough for far more than 468 bytes. */
const DECIDING_UNITS = 8 * MAX_FACET_VALUE_BYTES;

/**
 * The normalised value, truncated: the form in which strings are compared. O(1): reads a bounded prefix of the text.
 */
export function facetText(text: string): string {
  const decisive = text.length <= DECIDING_UNITS ? text : decidingPart(text);
  return cutFacetText(normalizeFacet(decisive));
}

/** The start of the text after leading space; an appended letter keeps the space at its end from being trimmed. */
function decidingPart(text: string): string {
  const start = text.length - text.trimStart().length;
  return start + DECIDING_UNITS < text.length ? `${text.slice(start, start + DECIDING_UNITS)}x` : text.slice(start);
}

/** normalise(text), truncated, as UTF-8: the key of a string group. */
export function facetKey(text: string): Uint8Array {
  return encoder.encode(facetText(text));
}
