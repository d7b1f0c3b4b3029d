import { runsOf } from '@fossick/base/test-seed.test-support';
import type { SearchRequest } from '@fossick/settings/parameters';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index?.close());

const WORDS = ['red', 'rad', 'fox', 'foxes', 'market', 'markat', 'house', 'hose', 'tree'];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }).map((words) => words.join(' '));
const document = fc.record({
  title: text,
  body: text,
  n: fc.integer({ min: 0, max: 4 }),
  kind: fc.constantFrom('a', 'b', 'c', 'd'),
  tags: fc.subarray(['x', 'y', 'z']),
  vector: fc.array(fc.constantFrom(-1, 0, 1, 2), { minLength: 3, maxLength: 3 }),
});
const settings = {
  filterableAttributes: ['n', 'kind', 'tags'],
  sortableAttributes: ['n'],
  embedders: { e: { source: 'userProvided' as const, dimensions: 3 } },
};
const request = fc.record({
  q: text,
  rankingScoreThreshold: fc.constantFrom(0, 0.2, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99, 1),
  sort: fc.constantFrom(null, ['n:asc']),
  rules: fc.constantFrom(
    ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness'],
    ['sort', 'words', 'typo', 'proximity', 'attribute', 'exactness'],
    ['words', 'n:desc', 'attributeRank', 'sort', 'wordPosition', 'exactness'],
  ),
});

const countOf = (answer: ReturnType<ScratchIndex['search']>): number =>
  'totalHits' in answer ? answer.totalHits : answer.estimatedTotalHits;
/** The pages that a count must not depend on. */
const PAGES: Partial<SearchRequest>[] = [
  { limit: 0 },
  { limit: 1 },
  { offset: 3, limit: 2 },
  { limit: 1000 },
  { page: 2, hitsPerPage: 2 },
  { page: 0 },
];
const FACETS = ['n', 'kind', 'tags'];

async function checkAll(
  runs: number,
  parts: (vector: readonly number[]) => Partial<SearchRequest>,
  check: (asked: Partial<SearchRequest>, threshold: number) => void,
): Promise<void> {
  const documents = fc.array(document, { minLength: 3, maxLength: 30 });
  const property = fc.asyncProperty(
    documents,
    fc.array(request, { minLength: 6, maxLength: 6 }),
    async (docs, requests) => {
      const vectorOf = (vector: readonly number[]) => ({
        _vectors: { e: vector.every((n) => n === 0) ? null : vector },
      });
      const withIds = docs.map(({ vector, ...each }, id) => ({ id, ...each, ...vectorOf(vector) }));
      index = await openScratchIndex(withIds, settings);
      try {
        for (const { rules, ...asked } of requests) {
          await index.change({ rankingRules: rules });
          check({ ...asked, ...parts([1, 2, 1]), facets: FACETS }, asked.rankingScoreThreshold);
        }
      } finally {
        await index.close();
      }
    },
  );
  await fc.assert(property, { numRuns: Number(process.env.THRESHOLD_RUNS ?? runsOf(runs)), endOnFailure: true });
}

/** Hits of the whole list that reach the threshold, with what they count. */
function expectedOf(asked: Partial<SearchRequest>, threshold: number): { ids: unknown[]; facets: object } {
  const whole = index.search({ ...asked, rankingScoreThreshold: null, limit: 1000, showRankingScore: true });
  const hits = whole.hits.filter((hit) => Number(hit._rankingScore) >= threshold);
  const facets: Record<string, Record<string, number>> = { kind: {}, n: {}, tags: {} };
  for (const hit of hits)
    for (const field of FACETS)
      for (const value of [hit[field]].flat() as string[]) facets[field]![value] = (facets[field]![value] ?? 0) + 1;
  return { ids: hits.map(({ id }) => id), facets };
}

test('what a threshold excludes never counts, whatever the page is: as many as a whole list filtered by its scores', async () => {
  await checkAll(
    8,
    () => ({}),
    (asked, threshold) => {
      const { ids, facets } = expectedOf(asked, threshold);
      for (const page of PAGES) {
        const answer = index.search({ ...asked, ...page });
        const seen = { page, asked, count: countOf(answer), facets: answer.facetDistribution };
        expect(seen).toEqual({ page, asked, count: ids.length, facets });
      }
      expect(index.search({ ...asked, offset: 1, limit: 3 }).hits.map(({ id }) => id)).toEqual(ids.slice(1, 4));
    },
  );
}, 120_000);

test('the same by vectors', async () => {
  await checkAll(
    4,
    (vector) => ({ q: null, vector, hybrid: { embedder: 'e', semanticRatio: 1 } }),
    (asked, threshold) => {
      const { ids, facets } = expectedOf(asked, threshold);
      for (const page of PAGES) {
        const answer = index.search({ ...asked, ...page });
        expect({ page, asked, count: countOf(answer), facets: answer.facetDistribution }).toEqual({
          page,
          asked,
          count: ids.length,
          facets,
        });
      }
    },
  );
}, 120_000);

test('counts with a threshold are the same for every page: hybrid, distinct, federated', async () => {
  await checkAll(
    4,
    (vector) => ({ vector, hybrid: { embedder: 'e', semanticRatio: 0.5 } }),
    (hybrid) => {
      const plain = { ...hybrid, vector: null, hybrid: null };
      for (const asked of [hybrid, { ...hybrid, distinct: 'kind' }, { ...plain, distinct: 'kind' }]) {
        const counts = PAGES.map((page) => countOf(index.search({ ...asked, ...page })));
        expect({ asked, counts }).toEqual({ asked, counts: PAGES.map(() => counts[3]) });
        const { facets: _, ...query } = { ...DEFAULT_REQUEST, ...asked };
        const totals = [1, 2, 100].map(
          (length) => index.federated([{ ...query, facets: null }], { from: 0, length }).total,
        );
        expect({ asked, totals }).toEqual({ asked, totals: [counts[3], counts[3], counts[3]] });
      }
    },
  );
}, 120_000);

test('documents like one with a threshold: the count is that of all that are near enough', async () => {
  const vectors = [
    [1, 0],
    [1, 0.1],
    [1, 0.5],
    [0, 1],
    [-1, 0],
  ];
  index = await openScratchIndex(
    vectors.map((vector, id) => ({ id, _vectors: { e: vector } })),
    { embedders: { e: { source: 'userProvided', dimensions: 2 } } },
  );
  for (const [limit, offset] of [
    [0, 0],
    [1, 0],
    [2, 1],
    [20, 0],
  ] as const) {
    const answer = index.similar({ id: '0', rankingScoreThreshold: 0.9, limit, offset });
    expect({ limit, count: answer.estimatedTotalHits }).toEqual({ limit, count: 2 });
  }
});
