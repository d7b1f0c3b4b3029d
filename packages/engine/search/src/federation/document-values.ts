/** The values of a document that instances need to merge hits and facets of several indexes. */
import { collectFacetValues, numberText } from '@fossick/columns';
import { isJsonObject, numberIn } from '@fossick/documents';
import { coversField } from '@fossick/settings';
import { normalizeFacet } from '@fossick/tokenizer';
import type { FacetValue } from './request.js';

/**
 * The values of a field that make hits of different indexes duplicates: keys with a prefix for their type, the empty
 * text included. Names with dots lead into objects, arrays are transparent. O(document).
 */
export function distinctValues(document: Readonly<Record<string, unknown>>, field: string): string[] {
  const keys: string[] = [];
  const walk = (name: string, value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) walk(name, item);
    } else if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) enter(`${name}.${key}`, item);
    } else if (name === field) {
      // 1 and 1.0 are two values here
      if (numberIn(value) !== undefined) keys.push(`n${String(value)}`);
      if (typeof value === 'string' || typeof value === 'boolean') keys.push(`s${normalizeFacet(String(value))}`);
    }
  };
  const enter = (name: string, value: unknown): void => {
    if (coversField(name, field)) walk(name, value);
  };
  for (const [key, value] of Object.entries(document)) enter(key, value);
  return keys;
}

/** The distinct values of the hits so far. */
export class DistinctFilter {
  private readonly seen = new Set<string>();

  /** Returns whether none of the values was seen before, and records them. Hits without a value always pass. */
  admit(values: readonly string[]): boolean {
    if (values.some((value) => this.seen.has(value))) return false;
    for (const value of values) this.seen.add(value);
    return true;
  }
}

/** Field and text, as facets show it, of every value that the document has in the fields. O(document). */
export function facetValues(document: Readonly<Record<string, unknown>>, fields: ReadonlySet<string>): FacetValue[] {
  const values: FacetValue[] = [];
  collectFacetValues(
    document,
    (field) => fields.has(field),
    (field, _kind, value) => {
      if (value !== undefined) values.push({ field, text: typeof value === 'string' ? value : numberText(value) });
    },
  );
  return values;
}
