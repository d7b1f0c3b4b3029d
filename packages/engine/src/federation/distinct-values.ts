import { normalizeFacet } from '@fossick/tokenizer';
import { collectFacetValues } from '../facets/index.js';

/**
 * Values of a field by which hits of different indexes are the same (spec 14 section 4): keys with their type ahead.
 * O(document).
 */
export function distinctValues(document: Readonly<Record<string, unknown>>, field: string): string[] {
  const keys: string[] = [];
  collectFacetValues(
    document,
    (name) => name === field,
    (_, kind, value) => {
      if (kind === 'number') keys.push(`n${String(value)}`);
      if (kind === 'string') keys.push(`s${normalizeFacet(String(value))}`);
    },
  );
  return keys;
}

/** Remembers the values of the hits that were kept. */
export class DistinctFilter {
  readonly #seen = new Set<string>();

  /** True when none of the values was seen before; they are from now on. Hits without a value always pass. */
  admit(values: readonly string[]): boolean {
    if (values.some((value) => this.#seen.has(value))) return false;
    for (const value of values) this.#seen.add(value);
    return true;
  }
}
