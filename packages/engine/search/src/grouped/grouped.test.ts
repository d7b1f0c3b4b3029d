import { ApiError } from '@fossick/base';
import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import type { SearchRequest } from '@fossick/settings/parameters';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { SearchResponse } from '../request/search-response.js';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const seed = TEST_SEED;
const ALL = 1_000;
const SETTINGS = {
  searchableAttributes: ['title'],
  filterableAttributes: ['author', 'kind', 'price', 'tags'],
  sortableAttributes: ['price'],
  pagination: { maxTotalHits: ALL },
};

interface Doc {
  readonly id: number;
  readonly title: string;
  readonly author: string | number | null;
  readonly kind: string;
  readonly price: number | null;
  readonly tags: readonly string[];
}
const doc = fc.record({
  id: fc.nat(300),
  title: fc.constantFrom('blue', 'blue sky', 'sky over blue sea', 'green', 'bleu sky'),
  author: fc.option(fc.constantFrom<string | number>('Ann', 'ann', 'Bob', 'Cyd', 7, 8)),
  kind: fc.constantFrom('a', 'b', 'c'),
  price: fc.option(fc.integer({ min: -20, max: 60 })),
  tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
});
const docs = fc.uniqueArray(doc, { selector: ({ id }) => id, minLength: 1, maxLength: 80 });
const request = fc.constantFrom<Partial<SearchRequest>>(
  {},
  { q: 'blue' },
  { q: 'sky' },
  { q: 'blue sky', matchingStrategy: 'all' },
  { sort: ['price:desc'] },
  { q: 'sky', filter: 'kind != a' },
);

let index: ScratchIndex | undefined;
afterEach(async () => {
  await index?.close();
  index = undefined;
});

/** A hit with the members that every document of these tests has. */
const docOf = (hit: object): Doc => hit as Doc;

/** Runs a property on an index of two batches, the second of which replaces some documents. */
async function withDocs(
  check: (
    index: ScratchIndex,
    hitsOf: (request: Partial<SearchRequest>) => Doc[],
    request: Partial<SearchRequest>,
  ) => void,
  numRuns = runsOf(20),
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(docs, docs, request, async (first, second, asked) => {
      const opened = await openScratchIndex(first, SETTINGS);
      try {
        await opened.add(second);
        check(opened, (more) => opened.search({ limit: ALL, ...more }).hits.map(docOf), asked);
      } finally {
        await opened.close();
      }
    }),
    { seed, numRuns },
  );
}

const idsOf = (hits: readonly object[]): unknown[] => hits.map((hit) => (hit as Doc).id);
const totalOf = (answer: SearchResponse): number =>
  'estimatedTotalHits' in answer ? answer.estimatedTotalHits : answer.totalHits;
/** The key by which values are the same: texts ignore case. */
const keyOf = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : JSON.stringify(value));
function facetsOf(hits: readonly Doc[], field: 'kind'): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { [field]: value } of hits) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

describe('exact counts under distinct', () => {
  test(`are those of all hits, paged through (seed ${seed})`, async () => {
    await withDocs((opened, hitsOf, asked) => {
      const all = hitsOf({ ...asked, distinct: 'author' });
      for (const page of [{ limit: 2 }, { limit: 2, offset: 3 }, { page: 2, hitsPerPage: 3 }]) {
        const answer = opened.search({
          ...asked,
          ...page,
          distinct: 'author',
          exactDistinctCounts: true,
          facets: ['kind'],
        });
        expect(totalOf(answer)).toBe(all.length);
        expect(answer.facetDistribution!['kind']).toEqual(facetsOf(all, 'kind'));
      }
    });
  }, 120_000);

  test('change nothing without distinct, and follow the setting', async () => {
    index = await openScratchIndex(
      [1, 2, 3, 4, 5].map((id) => ({ id, author: id < 4 ? 'Ann' : 'Bob' })),
      { ...SETTINGS, rankingRules: ['words'] },
    );
    const count = (exactDistinctCounts: boolean): number => totalOf(index!.search({ limit: 1, exactDistinctCounts }));
    expect([count(false), count(true)]).toEqual([5, 5]);
    await index.change({ distinctAttribute: 'author' });
    expect(count(true)).toBe(2);
  });
});

describe('groups', () => {
  /** The groups of all hits by definition: values in the order of their first hit, numbers of one document first. */
  function modelGroups(hits: readonly Doc[], by: 'author' | 'tags'): Map<string, Doc[]> {
    const groups = new Map<string, Doc[]>();
    for (const hit of hits) {
      const values = [hit[by]].flat().filter((value) => value !== null) as (string | number)[];
      for (const key of [...new Set(values.map(keyOf))].sort()) groups.set(key, [...(groups.get(key) ?? []), hit]);
    }
    return groups;
  }

  test.each([
    'author',
    'tags',
  ] as const)(`by %s are the first hits of each value of all hits (seed ${seed})`, async (by) => {
    await withDocs((opened, hitsOf, asked) => {
      const expected = [...modelGroups(hitsOf(asked), by)];
      for (const [offset, limit] of [
        [0, 100],
        [1, 2],
      ] as const) {
        const answer = opened.search({ ...asked, offset, limit, group: { by, limit: 2 } });
        expect(answer.hits).toEqual([]);
        expect(totalOf(answer)).toBe(expected.length);
        const found = answer.groups!.map(({ value, documentCount, hits }) => [
          keyOf(value),
          documentCount,
          idsOf(hits),
        ]);
        expect(found).toEqual(
          expected.slice(offset, offset + limit).map(([key, hits]) => [key, hits.length, idsOf(hits.slice(0, 2))]),
        );
      }
    });
  }, 120_000);

  test('show values as they are spelled, pages of groups, and facets of all hits', async () => {
    index = await openScratchIndex(
      [
        { id: 1, author: 'Ann Lee', kind: 'a' },
        { id: 2, author: 'Bob', kind: 'b' },
        { id: 3, author: 'Ann Lee', kind: 'b' },
        { id: 4, author: 'Ann Lee', kind: 'b' },
        { id: 5, kind: 'a' },
      ],
      SETTINGS,
    );
    const group = { by: 'author', limit: 2 };
    const answer = index.search({ group, page: 1, hitsPerPage: 1, facets: ['kind'], attributesToRetrieve: ['id'] });
    expect(answer).toMatchObject({
      groups: [{ value: 'Ann Lee', documentCount: 3, hits: [{ id: 1 }, { id: 3 }] }],
      totalHits: 2,
      totalPages: 2,
      facetDistribution: { kind: { a: 2, b: 3 } },
    });
    const text = JSON.parse(index.searchText({ group, showRankingScore: true })) as Record<string, unknown>;
    expect(text['groups']).toEqual([
      {
        value: 'Ann Lee',
        documentCount: 3,
        hits: [
          { id: 1, author: 'Ann Lee', kind: 'a', _rankingScore: 1 },
          { id: 3, author: 'Ann Lee', kind: 'b', _rankingScore: 1 },
        ],
      },
      { value: 'Bob', documentCount: 1, hits: [{ id: 2, author: 'Bob', kind: 'b', _rankingScore: 1 }] },
    ]);
  });

  test('of a search by vectors are those of the nearest documents', async () => {
    const vectors = (x: number) => ({ _vectors: { e: [x, 1] } });
    index = await openScratchIndex(
      [
        { id: 1, author: 'Ann', title: 'blue', ...vectors(0) },
        { id: 2, author: 'Bob', title: 'red', ...vectors(9) },
        { id: 3, author: 'Bob', title: 'blue', ...vectors(8) },
      ],
      { ...SETTINGS, embedders: { e: { source: 'userProvided', dimensions: 2 } } },
    );
    for (const semanticRatio of [0.9, 1]) {
      const hybrid = { embedder: 'e', semanticRatio };
      const { groups } = index.search({
        q: semanticRatio === 1 ? null : 'blue',
        vector: [1, 0],
        hybrid,
        group: { by: 'author', limit: 1 },
      });
      expect(groups!.map(({ value, documentCount }) => [value, documentCount])).toEqual([
        ['Bob', 2],
        ['Ann', 1],
      ]);
    }
  });

  test('leave out documents below the threshold', async () => {
    index = await openScratchIndex(
      [
        { id: 1, author: 'Ann', title: 'blue sky' },
        { id: 2, author: 'Ann', title: 'blue' },
        { id: 3, author: 'Bob', title: 'sky' },
      ],
      SETTINGS,
    );
    const answer = index.search({ q: 'blue sky', rankingScoreThreshold: 0.8, group: { by: 'author', limit: 3 } });
    expect(answer.groups!.map(({ value, documentCount, hits }) => [value, documentCount, idsOf(hits)])).toEqual([
      ['Ann', 1, [1]],
    ]);
  });

  test.each<[string, Partial<SearchRequest>, string]>([
    ['an attribute that is not filterable', { group: { by: 'title', limit: 1 } }, 'not filterable'],
    ['distinct besides', { group: { by: 'author', limit: 1 }, distinct: 'kind' }, 'exclude each other'],
    ['too many groups', { group: { by: 'author', limit: 1 }, limit: 101 }, 'too large'],
    ['too many hits', { group: { by: 'author', limit: 11 }, limit: 100 }, 'too large'],
  ])('refuse %s', async (_, asked, message) => {
    index = await openScratchIndex([{ id: 1, author: 'Ann' }], SETTINGS);
    expect(() => index!.search(asked)).toThrow(ApiError);
    expect(() => index!.search(asked)).toThrow(message);
  });
});

describe('aggregations', () => {
  /** By definition: each different number of each hit counts once. */
  function modelStats(hits: readonly Doc[]) {
    const numbers = hits.map(({ price }) => price).filter((price) => price !== null);
    const sum = numbers.reduce((total, price) => total + price, 0);
    const count = numbers.length;
    if (count === 0) return { count, sum: null, avg: null, min: null, max: null };
    return { count, sum, avg: sum / count, min: Math.min(...numbers), max: Math.max(...numbers) };
  }
  function modelHistogram(hits: readonly Doc[], interval: number, start: number) {
    const counts = new Map<number, number>();
    for (const { price } of hits) {
      if (price === null) continue;
      const from = start + Math.floor((price - start) / interval) * interval;
      counts.set(from, (counts.get(from) ?? 0) + 1);
    }
    return [...counts].sort(([a], [b]) => a - b).map(([from, count]) => ({ from, to: from + interval, count }));
  }

  test(`are those of all hits and of the hits of each value (seed ${seed})`, async () => {
    await withDocs((opened, hitsOf, asked) => {
      const hits = hitsOf(asked);
      const aggregations = { price: { stats: null, histogram: { interval: 7, start: 3 }, by: 'kind' } };
      const full = { price: { ...aggregations.price, stats: ['count', 'sum', 'avg', 'min', 'max'] as const } };
      const { price } = opened.search({ ...asked, limit: 1, aggregations: full }).aggregations!;
      expect(price!.stats).toEqual(modelStats(hits));
      expect(price!.histogram).toEqual(modelHistogram(hits, 7, 3));
      const kinds = [...new Set(hits.map(({ kind }) => kind))];
      const groups = kinds.map((value) => {
        const within = hits.filter(({ kind }) => kind === value);
        const documentCount = within.length;
        return { value, documentCount, stats: modelStats(within), histogram: modelHistogram(within, 7, 3) };
      });
      groups.sort((a, b) => b.documentCount - a.documentCount || (a.value < b.value ? -1 : 1));
      expect(price!.groups).toEqual(groups);
    });
  }, 120_000);

  test('have all stats without a list, and only a histogram where only that is wanted', async () => {
    index = await openScratchIndex(
      [
        { id: 1, price: [0.1, 0.2, 0.2] },
        { id: 2, price: 'free' },
        { id: 3, price: 0.3 },
      ],
      SETTINGS,
    );
    const compute = (price: NonNullable<SearchRequest['aggregations']>[string]) =>
      index!.search({ aggregations: { price } }).aggregations!['price'];
    expect(compute({ stats: null, histogram: null, by: null })).toEqual({
      stats: { count: 3, sum: 0.6, avg: 0.19999999999999998, min: 0.1, max: 0.3 },
    });
    expect(compute({ stats: ['max'], histogram: null, by: null })).toEqual({ stats: { max: 0.3 } });
    expect(compute({ stats: null, histogram: { interval: 1, start: 0 }, by: null })).toEqual({
      histogram: [{ from: 0, to: 1, count: 3 }],
    });
  });

  test('count what distinct leaves', async () => {
    index = await openScratchIndex(
      [
        { id: 1, author: 'Ann', price: 1 },
        { id: 2, author: 'Ann', price: 10 },
        { id: 3, author: 'Bob', price: 100 },
      ],
      SETTINGS,
    );
    const aggregations = { price: { stats: ['sum'] as const, histogram: null, by: null } };
    const answer = index.search({ limit: 1, distinct: 'author', exactDistinctCounts: true, aggregations });
    expect(answer.aggregations).toEqual({ price: { stats: { sum: 101 } } });
  });

  test('refuse what is not filterable, and histograms with too many buckets', async () => {
    const many = Array.from({ length: 10_002 }, (_, id) => ({ id, price: id }));
    index = await openScratchIndex(many, SETTINGS);
    const compute = (name: string, more: object) => () =>
      index!.search({ aggregations: { [name]: { stats: null, histogram: null, by: null, ...more } } });
    expect(compute('title', {})).toThrow('not filterable');
    expect(compute('price', { by: 'title' })).toThrow('not filterable');
    expect(compute('price', { histogram: { interval: 1, start: 0 } })).toThrow('more than 10000 buckets');
    expect(compute('price', { histogram: { interval: Number.MIN_VALUE, start: 0 } })).toThrow(
      'more than 10000 buckets',
    );
    expect(compute('price', { histogram: { interval: 2, start: 0 } })).not.toThrow();
  });
});

test('an answer without these members has none of them', async () => {
  index = await openScratchIndex([{ id: 1 }]);
  expect(Object.keys(index.search(DEFAULT_REQUEST))).toEqual([
    'hits',
    'query',
    'processingTimeMs',
    'limit',
    'offset',
    'estimatedTotalHits',
  ]);
});
