import { QueryResultCache } from '@fossick/index';
import type { SearchRequest } from '@fossick/settings/parameters';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';
import { searchBytes } from '../search.js';

const SETTINGS = {
  embedders: { e: { source: 'userProvided', dimensions: 2 } },
  filterableAttributes: ['kind'],
  sortableAttributes: ['kind'],
};
const DOCUMENTS = [
  { id: 1, title: 'red boat', kind: 'a', _vectors: { e: [1, 0] } },
  {
    id: 2,
    title: 'blue boat',
    kind: 'b',
    _vectors: {
      e: [
        [0, 1],
        [0.6, 0.8],
      ],
    },
  },
  { id: 3, title: 'green house', kind: 'a', _vectors: { e: [-1, 0] } },
  { id: 4, title: 'red house', kind: 'b', _vectors: { e: null } },
];
const semantic = { embedder: 'e', semanticRatio: 1 };
const codeOf = (run: () => unknown): unknown => {
  try {
    run();
    return null;
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
};

describe('a search by a vector', () => {
  let index: ScratchIndex;
  beforeAll(async () => {
    index = await openScratchIndex(DOCUMENTS, SETTINGS);
  });
  afterAll(() => index.close());

  test('orders by the nearest vector of each document, those without one last', () => {
    const { hits, semanticHitCount } = index.search({ vector: [1, 0], hybrid: semantic, showRankingScore: true });
    expect(hits.map(({ id, _rankingScore }) => [id, _rankingScore])).toEqual([
      [1, 1],
      [2, Math.fround(0.8)],
      [3, 0],
      [4, 0],
    ]);
    expect(semanticHitCount).toBe(4);
  });

  test('is cached for exactly the same vector', () => {
    const answers = new QueryResultCache(1 << 20);
    const idsBy = (request: Partial<SearchRequest>): unknown[] => {
      const whole = { ...DEFAULT_REQUEST, ...request };
      const bytes = index.inView((view) => searchBytes({ ...view, queryResults: answers }, whole, {}, () => ({})));
      return (JSON.parse(bytes.toString()) as { hits: { id: unknown }[] }).hits.map(({ id }) => id);
    };
    /** Asks twice: what is new is kept by the first, and nothing by the second. */
    const isNew = (request: Partial<SearchRequest>): boolean => {
      const before = answers.heldBytes;
      const ids = idsBy(request);
      const held = answers.heldBytes;
      expect(idsBy(request)).toEqual(ids);
      expect(answers.heldBytes).toBe(held);
      return held > before;
    };
    const by = (...vector: number[]) => ({ vector, hybrid: semantic });
    expect([by(1, 0), by(1 + Number.EPSILON, 0), by(0, 1), { ...by(0, 1), vector: null }].map(isNew)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([by(0, 1), by(1, 0), by(1 + Number.EPSILON, 0)].map(isNew)).toEqual([false, false, false]);
    expect(idsBy(by(0, 1))).toEqual([2, 1, 3, 4]);
    expect(idsBy(by(1, 0))).toEqual([1, 2, 3, 4]);
  });

  test('tells the similarity in the details', () => {
    const { hits } = index.search({ vector: [2, 0], hybrid: semantic, showRankingScoreDetails: true });
    expect(hits[0]!._rankingScoreDetails).toEqual({ vectorSort: { order: 0, similarity: 1 } });
    expect(hits[3]!._rankingScoreDetails).toEqual({ vectorSort: { order: 0, similarity: null } });
  });

  test('pages, filters, sorts, cuts off and makes distinct', () => {
    const by = { vector: [1, 0], hybrid: semantic };
    expect(index.idsOf({ ...by, offset: 1, limit: 2 })).toEqual([2, 3]);
    expect(index.idsOf({ ...by, page: 2, hitsPerPage: 3 })).toEqual([4]);
    expect(index.idsOf({ ...by, filter: 'kind = a' })).toEqual([1, 3]);
    expect(index.idsOf({ ...by, distinct: 'kind' })).toEqual([1, 2]);
    expect(index.search({ ...by, rankingScoreThreshold: 0.5 })).toMatchObject({ estimatedTotalHits: 2 });
    expect(index.idsOf({ ...by, q: 'boat', filter: 'kind = b' })).toEqual([2, 4]);
  });

  test('shows the query vector on request', () => {
    const by = { vector: [1, 0.1], hybrid: semantic };
    expect(index.search({ ...by, retrieveVectors: true }).queryVector).toEqual([1, 0.1]);
    expect(index.search(by).queryVector).toBeUndefined();
  });

  test('refuses what it cannot do', () => {
    expect(codeOf(() => index.search({ vector: [1], hybrid: semantic }))).toBe('invalid_vector_dimensions');
    expect(codeOf(() => index.search({ q: 'boat', hybrid: semantic }))).toBe('vector_embedding_error');
    const unknown = { embedder: 'f', semanticRatio: 0.5 };
    expect(codeOf(() => index.search({ vector: [1, 0], hybrid: unknown }))).toBe('invalid_search_embedder');
    expect(codeOf(() => index.search({ q: 'boat', hybrid: { ...unknown, semanticRatio: 0 } }))).toBeNull();
    expect(codeOf(() => index.search({ hybrid: unknown }))).toBeNull();
  });

  test('leaves facet values to the filter', () => {
    const { facetHits } = index.facetSearch({ facetName: 'kind', q: 'red', vector: [1, 0], hybrid: semantic });
    expect(facetHits).toEqual([
      { value: 'a', count: 2 },
      { value: 'b', count: 2 },
    ]);
  });
});

describe('a hybrid search', () => {
  let index: ScratchIndex;
  beforeAll(async () => {
    index = await openScratchIndex(DOCUMENTS, SETTINGS);
  });
  afterAll(() => index.close());
  const by = (semanticRatio: number) => ({ vector: [-1, 0], hybrid: { embedder: 'e', semanticRatio } });

  test('merges both lists, each document once', () => {
    const { hits, semanticHitCount, ...rest } = index.search({ q: 'boat', ...by(0.5) });
    expect(hits.map(({ id }) => id)).toEqual([3, 1, 2, 4]);
    expect(semanticHitCount).toBe(2);
    expect(rest).toMatchObject({ estimatedTotalHits: 4 });
  });

  test('leaves good words alone when they fill the page', () => {
    const found = index.search({ q: 'boat', ...by(0.2), limit: 2, retrieveVectors: true });
    expect(found.hits.map(({ id }) => id)).toEqual([1, 2]);
    expect(found.semanticHitCount).toBe(0);
    expect(found.queryVector).toBeUndefined();
  });

  test('does with the words when the query has no vector', () => {
    const found = index.search({ q: 'house', hybrid: { embedder: 'e', semanticRatio: 0.9 } });
    expect(found.hits.map(({ id }) => id)).toEqual([3, 4]);
    expect(found.semanticHitCount).toBe(0);
  });

  test('takes each distinct value once over both lists', () => {
    const found = index.search({ q: 'boat', ...by(0.5), distinct: 'kind' });
    expect(found.hits.map(({ id }) => id)).toEqual([3, 2]);
    expect(found).toMatchObject({ estimatedTotalHits: 2 });
  });

  test('lets values decide first where the sort does', async () => {
    const rankingRules = ['sort', 'words', 'typo'];
    const sorted = await openScratchIndex(DOCUMENTS, { ...SETTINGS, rankingRules });
    const { hits } = sorted.search({ q: 'house', ...by(0.5), sort: ['kind:desc'] });
    expect(hits.map(({ id }) => id)).toEqual([4, 2, 3, 1]);
    await sorted.close();
  });
});

describe('the vectors of an index', () => {
  test('follow documents that are replaced, deleted and merged', async () => {
    const index = await openScratchIndex([], SETTINGS);
    for (let id = 0; id < 30; id++) await index.add([{ id, _vectors: { e: [Math.cos(id / 10), Math.sin(id / 10)] } }]);
    await index.add([{ id: 5, _vectors: { e: [-1, 0] } }]);
    await index.add([{ id: 0, _vectors: { e: null } }]);
    const near = { vector: [1, 0], hybrid: semantic };
    expect(index.idsOf({ ...near, limit: 6 })).toEqual([1, 2, 3, 4, 6, 7]);
    expect(index.idsOf({ ...near, limit: 30 }).at(-2)).toBe(5);
    expect(index.idsOf({ ...near, limit: 30 }).at(-1)).toBe(0);
    await index.close();
  });

  test('wait in documents for an embedder that comes later', async () => {
    const index = await openScratchIndex([{ id: 1 }, { id: 2, _vectors: { late: [0, 2] } }]);
    await index.change({ embedders: { late: { source: 'userProvided', dimensions: 2 } } });
    expect(index.idsOf({ vector: [0, 1], hybrid: { embedder: 'late', semanticRatio: 1 } })).toEqual([2, 1]);
    await index.close();
  });

  test('are compared by their signs where the embedder keeps no more', async () => {
    const embedders = { e: { source: 'userProvided', dimensions: 3, binaryQuantized: true } };
    const documents = [
      { id: 1, _vectors: { e: [-1, 1, 1] } },
      { id: 2, _vectors: { e: [9, 0.1, 0.1] } },
    ];
    const index = await openScratchIndex(documents, { embedders });
    const { hits } = index.search({ vector: [0.1, 9, 9], hybrid: semantic, showRankingScore: true });
    expect(hits.map(({ id, _rankingScore }) => [id, _rankingScore])).toEqual([
      [2, 1],
      [1, 1 - 1 / 64],
    ]);
    await index.close();
  });

  test('have their similarities spread by the distribution of the embedder', async () => {
    const embedders = { e: { source: 'userProvided', dimensions: 2, distribution: { mean: 0.998, sigma: 0.01 } } };
    const index = await openScratchIndex(
      [
        { id: 1, _vectors: { e: [2, 3] } },
        { id: 2, _vectors: { e: [1, 3] } },
      ],
      { embedders },
    );
    const { hits } = index.search({ vector: [1, 1], hybrid: semantic, showRankingScore: true });
    expect(hits.map(({ _rankingScore }) => _rankingScore)).toEqual([0.19161224365234375, 2 ** -23]);
    await index.close();
  });
});
