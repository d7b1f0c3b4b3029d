import type { RecordedSearch } from '../../parts/search-record.js';

export interface QueryCount {
  readonly q: string;
  readonly count: number;
}
/** Statistics of the recorded searches. */
export interface Summary {
  readonly searchCount: number;
  /** Share (0 to 1) of the searches with a query that found nothing. */
  readonly emptyShare: number;
  readonly medianMs: number;
  readonly slowestMs: number;
  readonly mostSearched: readonly QueryCount[];
  readonly withoutHits: readonly QueryCount[];
  /** Searches over time, oldest first. */
  readonly times: readonly number[];
  readonly tookMs: readonly number[];
}
const MAX_LISTED = 12;

/** O(searches × log searches). */
export function summarize(searches: readonly RecordedSearch[]): Summary {
  const nonEmpty = searches.filter(({ q }) => q !== '');
  const empty = nonEmpty.filter(({ hitCount }) => hitCount === 0);
  const sorted = searches.map(({ tookMs }) => tookMs).sort((left, right) => left - right);
  return {
    searchCount: searches.length,
    emptyShare: nonEmpty.length === 0 ? 0 : empty.length / nonEmpty.length,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
    slowestMs: sorted.at(-1) ?? 0,
    mostSearched: countsOf(nonEmpty),
    withoutHits: countsOf(empty),
    times: searches.map(({ atMs }) => atMs / 1000),
    tookMs: searches.map(({ tookMs }) => tookMs),
  };
}

function countsOf(searches: readonly RecordedSearch[]): QueryCount[] {
  const counts = new Map<string, number>();
  for (const { q } of searches) counts.set(q, (counts.get(q) ?? 0) + 1);
  const list = [...counts].map(([q, count]) => ({ q, count }));
  return list.sort((left, right) => right.count - left.count).slice(0, MAX_LISTED);
}
