import type { SearchRequest } from '@fossick/settings/parameters';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';
import type { FederatedAnswer } from './request.js';

const HYBRID = { embedder: 'e', semanticRatio: 1 };
let index: ScratchIndex;
beforeAll(async () => {
  const documents = [
    { id: 1, title: 'boat', _vectors: { e: [1, 0] } },
    { id: 2, title: 'house', _vectors: { e: [0, 1] } },
  ];
  index = await openScratchIndex(documents, { embedders: { e: { source: 'userProvided', dimensions: 2 } } });
});
afterAll(() => index.close());

function federated(...requests: readonly Partial<SearchRequest>[]): FederatedAnswer {
  return index.federated(requests.map((request) => ({ ...DEFAULT_REQUEST, ...request })));
}

test('similarities are compared with keyword scores', () => {
  const { hits, semanticHitCount, queryVectors } = federated({ q: 'house' }, { vector: [0.1, 1], hybrid: HYBRID });
  expect(hits.map(({ id }) => id)).toEqual([2, 1]);
  expect(semanticHitCount).toBe(1);
  expect(queryVectors).toBeUndefined();
});

test('query vectors are returned by query index when a query requests vectors', () => {
  const asked = { retrieveVectors: true };
  expect(federated({ q: 'house' }, { vector: [0, 1], hybrid: HYBRID, ...asked }).queryVectors).toEqual({ 1: [0, 1] });
  expect(federated({ q: 'house', ...asked })).toMatchObject({ queryVectors: {} });
  expect(federated({ q: 'house', ...asked }).semanticHitCount).toBeUndefined();
});
