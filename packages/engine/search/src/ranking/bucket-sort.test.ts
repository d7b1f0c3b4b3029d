import type { DocId } from '@fossick/base';
import { createKernel } from '@fossick/kernel';
import { expect, test } from 'vitest';
import { bucketSort } from './bucket-sort.js';
import type { RankingRule } from './rules/ranking-rule.js';
import { BitmapPool, SearchOverdue } from './terms/bitmap-pool.js';

/**
 * A rule whose buckets are documents with the same remainder; throws SearchOverdue before bucket `failAt`, or when it starts for bucket
 * 0.
 */
function remainders(pool: BitmapPool, divisor: number, failAt: number, failsToStart: boolean): RankingRule {
  return {
    readsGraph: false,
    isScored: true,
    start: () => {
      if (failsToStart) throw new SearchOverdue();
      let remainder = 0;
      return {
        next: (universe) => {
          if (remainder === failAt) throw new SearchOverdue();
          if (remainder === divisor) return null;
          const docs = pool.empty();
          for (const doc of pool.kernel.bitmaps.members(universe, 0, 100))
            if (doc % divisor === remainder) pool.kernel.bitmaps.set(docs, doc);
          remainder += 1;
          return { docs, graph: null, detail: { kind: 'proximity', rank: divisor - remainder + 1, max: divisor } };
        },
        close: () => undefined,
      };
    },
  };
}

function rank(
  rules: (pool: BitmapPool) => readonly RankingRule[],
  length = 100,
): { docs: number[]; skipped: number; isDegraded: boolean } {
  const pool = new BitmapPool(createKernel(), 16);
  const universe = pool.empty();
  for (let doc = 0 as DocId; doc < 12; doc++) pool.kernel.bitmaps.set(universe, doc);
  const page = bucketSort({
    pool,
    rules: rules(pool),
    universe,
    graph: null,
    from: 0,
    length,
    threshold: null,
    distinct: null,
    withDetails: true,
    isExhaustive: false,
  });
  const skipped = page.documents.filter(({ details }) => details.at(-1)?.kind === 'skipped').length;
  return { docs: page.documents.map(({ docId }) => docId), skipped, isDegraded: page.isDegraded };
}

test('when the time ends inside a rule, every document still comes out once, the unranked ones in docid order', () => {
  const late = rank((pool) => [remainders(pool, 2, -1, false), remainders(pool, 3, 1, false)]);
  expect(late).toEqual({ docs: [0, 6, 2, 4, 8, 10, 1, 3, 5, 7, 9, 11], skipped: 10, isDegraded: true });
});

test('when the time ends while a rule starts, the bucket that it was for is not lost', () => {
  const late = rank((pool) => [remainders(pool, 2, -1, false), remainders(pool, 3, -1, true)]);
  expect(late).toEqual({ docs: [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11], skipped: 12, isDegraded: true });
});

test('in time, all of it is ranked', () => {
  const { docs, skipped, isDegraded } = rank(
    (pool) => [remainders(pool, 2, -1, false), remainders(pool, 3, -1, false)],
    4,
  );
  expect({ docs, skipped, isDegraded }).toEqual({ docs: [0, 6, 4, 10], skipped: 0, isDegraded: false });
});
