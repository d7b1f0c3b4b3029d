import type { SearchRequest } from '@fossick/settings/parameters';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';
import { search } from '../search.js';
import { wordsSuffice } from '../words-suffice.js';

/** How often documents were ranked, by words and by vectors. */
const counted = vi.hoisted(() => ({ words: 0, vectors: 0 }));
vi.mock('../ranking/bucket-sort.js', async (load) => {
  const actual = await load<typeof import('../ranking/bucket-sort.js')>();
  const bucketSort: typeof actual.bucketSort = (options) => {
    counted[options.graph === null ? 'vectors' : 'words'] += 1;
    return actual.bucketSort(options);
  };
  return { ...actual, bucketSort };
});

const TITLES = ['red boat', 'blue boat', 'red house', 'green house', 'a red boat by a house', 'boat'];
const DOCUMENTS = Array.from({ length: 60 }, (_, id) => ({
  id,
  title: TITLES[id % TITLES.length],
  kind: id % 7,
  _vectors: { e: [Math.cos(id), Math.sin(id)] },
}));
const SETTINGS = {
  embedders: { e: { source: 'userProvided', dimensions: 2 } },
  filterableAttributes: ['kind'],
  sortableAttributes: ['kind'],
};
const hybrid = { embedder: 'e', semanticRatio: 0.3 };
const requestOf = (request: Partial<SearchRequest>): SearchRequest => ({ ...DEFAULT_REQUEST, hybrid, ...request });

let index: ScratchIndex;
beforeAll(async () => {
  index = await openScratchIndex(DOCUMENTS, SETTINGS);
});
afterAll(() => index.close());
beforeEach(() => Object.assign(counted, { words: 0, vectors: 0 }));

/** A search whose vector is found after the look whether words suffice, as a server does it; and the same search alone. */
function looked(
  request: SearchRequest,
  vector: readonly number[],
): { isEnough: boolean; answer: unknown; alone: unknown } {
  return index.inView((view) => {
    const isEnough = wordsSuffice(view, request, null);
    const { processingTimeMs: _, ...answer } = search(view, isEnough ? request : { ...request, vector });
    const before = { ...counted };
    const { processingTimeMs: __, ...alone } = search(view, isEnough ? request : { ...request, vector });
    Object.assign(counted, before);
    return { isEnough, answer, alone };
  });
}

test('a hybrid search that its words decide ranks them once', () => {
  const { isEnough, answer, alone } = looked(requestOf({ q: 'red boat', limit: 3 }), [1, 0]);
  expect(isEnough).toBe(true);
  expect(counted).toEqual({ words: 1, vectors: 0 });
  expect(answer).toEqual(alone);
});

test('a hybrid search that needs its vector ranks its words once', () => {
  const { isEnough, answer, alone } = looked(requestOf({ q: 'red boat', limit: 50 }), [1, 0]);
  expect(isEnough).toBe(false);
  expect(counted).toEqual({ words: 1, vectors: 1 });
  expect(answer).toEqual(alone);
});

test.each<Partial<SearchRequest>>([
  { q: 'boat', limit: 4, offset: 3, attributesToHighlight: ['*'], showRankingScoreDetails: true },
  { q: 'house', hitsPerPage: 5, page: 2, facets: ['kind'] },
  { q: 'boat', distinct: 'kind', limit: 30 },
  { q: 'red', filter: 'kind > 2', sort: ['kind:desc'], limit: 7 },
  { q: 'red', rankingScoreThreshold: 0.4 },
])('the kept ranking gives the answer of a new one: %j', (request) => {
  const { answer, alone } = looked(requestOf(request), [0, 1]);
  expect(answer).toEqual(alone);
});

test('a ranking is kept for its own request, once', () => {
  index.inView((view) => {
    wordsSuffice(view, requestOf({ q: 'boat' }), null);
    search(view, requestOf({ q: 'house', vector: [1, 0] }));
    expect(counted.words).toBe(2);
    search(view, requestOf({ q: 'boat', vector: [1, 0] }));
    expect(counted.words).toBe(2);
    search(view, requestOf({ q: 'boat', vector: [1, 0] }));
    expect(counted.words).toBe(3);
  });
});

test('rankings whose search never comes are few, and are counted until the view ends', async () => {
  const scratch = await openScratchIndex(DOCUMENTS, SETTINGS);
  const heldBy = () => scratch.inView((view) => view.memory.bytesByKind.get('answers') ?? 0);
  const look = (from: number, to: number): void =>
    scratch.inView((view) => {
      for (let n = from; n < to; n++) wordsSuffice(view, requestOf({ q: 'boat', filter: `kind > -${n}` }), null);
    });
  const before = heldBy();
  look(1, 17);
  const held = heldBy();
  expect(held).toBeGreaterThan(before);
  look(17, 60);
  expect(heldBy()).toBe(held);
  scratch.close();
});
