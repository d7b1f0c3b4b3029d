/** Merges facets of several indexes and instances. */

import { apiError, compareUtf8, own, setOwn } from '@fossick/base';
import { orderedEntries, orderedRecord } from '@fossick/documents';
import { normalizeFacet } from '@fossick/tokenizer';

import type { FacetCounts, FacetStats, FederatedHit, FederatedPart, IndexFacets } from './request.js';

/**
 * Facets by index uid, in byte order; those of one index from several instances are summed, sorted and cut again.
 * O(values log values).
 */
export function joinFacets(parts: readonly FederatedPart[]): Map<string, IndexFacets> {
  const sources = new Map<string, IndexFacets[]>();
  for (const { facets } of parts)
    for (const [uid, found] of facets) sources.set(uid, [...(sources.get(uid) ?? []), found]);
  return new Map(byName([...sources]).map(([uid, found]) => [uid, joined(found)]));
}

function joined(sources: readonly IndexFacets[]): IndexFacets {
  const first = sources[0]!;
  if (sources.length === 1) return first;
  const { distribution, stats } = summed(sources);
  return { ...first, stats, distribution: ordered(distribution, first.isByCount, first.maxValues) };
}

/** One distribution and one set of statistics over all indexes. */
export function mergeFacetsOfIndexes(
  facets: readonly IndexFacets[],
  maxValues: number | null,
): { readonly facetDistribution: FacetCounts; readonly facetStats: FacetStats } {
  const { distribution, stats } = summed(facets);
  const isByCount = (field: string): boolean =>
    facets.some((index) => Object.hasOwn(index.distribution, field) && index.isByCount(field));
  return { facetDistribution: ordered(distribution, isByCount, maxValues ?? Infinity), facetStats: stats };
}

interface Sums {
  /** Counts by field and displayed text. */
  readonly distribution: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly stats: FacetStats;
}

function summed(facets: readonly IndexFacets[]): Sums {
  const distribution = new Map<string, Map<string, number>>();
  const stats = new Map<string, FacetStats[string]>();
  for (const index of facets) {
    for (const [field, counts] of Object.entries(index.distribution)) {
      const sums = distribution.get(field) ?? new Map<string, number>();
      distribution.set(field, sums);
      for (const [text, count] of Object.entries(counts)) sums.set(text, (sums.get(text) ?? 0) + count);
    }
    for (const [field, { min, max }] of Object.entries(index.stats)) {
      const known = stats.get(field) ?? { min, max };
      stats.set(field, { min: min < known.min ? min : known.min, max: max > known.max ? max : known.max });
    }
  }
  return { distribution, stats: Object.fromEntries(byName([...stats])) };
}

function ordered(
  distribution: Sums['distribution'],
  isByCount: (field: string) => boolean,
  maxValues: number,
): FacetCounts {
  const fields = [...distribution].map(([field, counts]): [string, Record<string, number>] => {
    const values = byName([...counts]);
    if (isByCount(field)) values.sort(([, a], [, b]) => b - a);
    return [field, orderedRecord(values.slice(0, maxValues))];
  });
  return Object.fromEntries(byName(fields));
}

function byName<T>(entries: readonly (readonly [string, T])[]): (readonly [string, T])[] {
  return [...entries].sort(([a], [b]) => compareUtf8(a, b));
}

/**
 * The facets without the values of hits that `distinct` rejected; a text without remaining hits is left out. O(values
 * of the hits).
 */
export function withoutRejected(
  facets: ReadonlyMap<string, IndexFacets>,
  rejected: readonly FederatedHit[],
): Map<string, IndexFacets> {
  const left = new Map(facets);
  for (const hit of rejected) {
    const index = left.get(hit.indexUid);
    if (index !== undefined) left.set(hit.indexUid, { ...index, distribution: subtracted(index.distribution, hit) });
  }
  return left;
}

function subtracted(distribution: FacetCounts, hit: FederatedHit): FacetCounts {
  const rest: Record<string, Readonly<Record<string, number>>> = { ...distribution };
  const done = new Set<string>();
  for (const { field, text } of hit.facetValues(new Set(Object.keys(distribution)))) {
    const key = normalizeFacet(text);
    const name = JSON.stringify([field, key]);
    if (done.has(name)) continue;
    done.add(name);
    const counts = own(rest, field) ?? {};
    const shown = Object.hasOwn(counts, text)
      ? text
      : Object.keys(counts).find((other) => normalizeFacet(other) === key);
    if (shown === undefined) continue;
    const less = orderedEntries(counts).map(([name, count]) => [name, name === shown ? count - 1 : count] as const);
    setOwn(rest, field, orderedRecord(less.filter(([, count]) => count > 0)));
  }
  return rest;
}

/** Checks that all indexes order a field's values in the same way. */
export class FacetOrders {
  private readonly known = new Map<string, { readonly uid: string; readonly order: 'alpha' | 'count' }>();

  /**
   * @throws ApiError invalid_multi_search_facet_order when an earlier index orders a facet differently
   */
  check(uid: string, fields: readonly string[], orders: Readonly<Record<string, string>>): void {
    for (const field of fields) {
      const order = (own(orders, field) ?? orders['*'] ?? 'alpha') === 'alpha' ? 'alpha' : 'count';
      const known = this.known.get(field);
      if (known === undefined) this.known.set(field, { uid, order });
      else if (known.order !== order)
        throw apiError('invalid_multi_search_facet_order', field, known.uid, known.order, uid, order);
    }
  }
}
