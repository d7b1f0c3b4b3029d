import { expect, it } from 'vitest';
import { summarize } from './summary.js';

const search = (q: string, hitCount: number, tookMs: number) => ({
  atMs: tookMs * 1000,
  uid: 'films',
  q,
  hitCount,
  tookMs,
  filterCount: 0,
});

it('searches are summed up by query', () => {
  const summary = summarize([search('a', 3, 5), search('b', 0, 1), search('a', 3, 2), search('', 9, 40)]);
  expect(summary).toMatchObject({ searchCount: 4, medianMs: 5, slowestMs: 40, emptyShare: 1 / 3 });
  expect(summary.mostSearched).toEqual([
    { q: 'a', count: 2 },
    { q: 'b', count: 1 },
  ]);
  expect(summary.withoutHits).toEqual([{ q: 'b', count: 1 }]);
  expect(summarize([])).toMatchObject({ searchCount: 0, emptyShare: 0, medianMs: 0 });
});
