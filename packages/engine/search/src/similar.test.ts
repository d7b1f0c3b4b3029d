import type { SimilarRequest } from '@fossick/settings/parameters';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from './scratch-index.test-support.js';

let index: ScratchIndex;
beforeAll(async () => {
  const documents = [
    { id: 1, kind: 'a', _vectors: { e: [1, 0] } },
    { id: 2, kind: 'b', _vectors: { e: [0, 1] } },
    {
      id: 3,
      kind: 'a',
      _vectors: {
        e: [
          [-1, 0],
          [1, 1],
        ],
      },
    },
    { id: 4, kind: 'a', _vectors: { e: null } },
    {
      id: 5,
      kind: 'c',
      _vectors: {
        e: [
          [0.2, 1],
          [1, 1],
        ],
      },
    },
  ];
  const embedders = { e: { source: 'userProvided', dimensions: 2 } };
  index = await openScratchIndex(documents, { embedders, filterableAttributes: ['kind'] });
});
afterAll(() => index.close());

const idsOf = (request: Partial<SimilarRequest>): unknown[] => index.similar(request).hits.map(({ id }) => id);

test('orders the others by their nearest vector; those without one are counted only', () => {
  expect(idsOf({ id: '1' })).toEqual([5, 2, 3]);
  expect(index.similar({ id: '1' })).toMatchObject({ id: '1', limit: 20, offset: 0, estimatedTotalHits: 4 });
  expect(index.similar({ id: '4' })).toMatchObject({ hits: [], estimatedTotalHits: 4 });
});

test('compares the first vectors with each other and the second ones with each other', () => {
  expect(idsOf({ id: '5' })).toEqual([3, 2, 1]);
});

test('pages, filters and cuts off', () => {
  expect(idsOf({ id: '1', offset: 1 })).toEqual([2, 3]);
  expect(idsOf({ id: '1', limit: 1 })).toEqual([5]);
  expect(idsOf({ id: '1', filter: 'kind = b' })).toEqual([2]);
  expect(index.similar({ id: '1', rankingScoreThreshold: 0.55 })).toMatchObject({ estimatedTotalHits: 1 });
});

test('scores by likeness', () => {
  const { hits } = index.similar({ id: '2', showRankingScore: true, showRankingScoreDetails: true, limit: 2 });
  expect(hits[1]).toMatchObject({
    _rankingScore: 0.5,
    _rankingScoreDetails: { vectorSort: { order: 0, similarity: 0.5 } },
  });
});

test('refuses what it cannot do, and hides what the tenant may not see', () => {
  const fails = (request: Partial<SimilarRequest>, code: string): void =>
    expect(() => index.similar(request)).toThrow(expect.objectContaining({ code }));
  fails({ id: '9' }, 'not_found_similar_id');
  fails({ id: '1', tenantFilter: 'kind = b' }, 'not_found_similar_id');
  fails({ id: '1', embedder: 'f' }, 'invalid_similar_embedder');
  fails({ id: '1', filter: 'colour = red' }, 'invalid_similar_filter');
  fails({ id: '1', filter: 'kind & b' }, 'invalid_similar_filter');
  expect(idsOf({ id: '1', tenantFilter: 'kind = a' })).toEqual([3]);
});
