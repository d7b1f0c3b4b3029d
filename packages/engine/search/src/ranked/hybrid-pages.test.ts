import type { SearchRequest } from '@fossick/settings/parameters';
import { afterEach, expect, test } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index?.close());

const TITLES = [
  'boat',
  'red boat',
  'boat house',
  'boats',
  'harbour',
  'sea boat race',
  'mountain',
  'old boat',
  'baot',
  'lake',
];
/** Half of the documents with the word are far from the query's vector; some have no vector, a brand twice, or none. */
const DOCUMENTS = Array.from({ length: 60 }, (_, id) => {
  const angle = (id * 37) % 180;
  const vector = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  return {
    id,
    title: TITLES[id % TITLES.length],
    kind: id % 3,
    ...(id % 5 === 0 ? {} : { brand: id % 17 === 0 ? '' : `b${id % 7}` }),
    pair: id % 4 === 0 ? [`p${id % 6}`, `p${id % 5}`] : `p${id % 9}`,
    _vectors: { e: id % 11 === 0 ? null : vector },
  };
});
const SETTINGS = {
  embedders: { e: { source: 'userProvided', dimensions: 2 } },
  filterableAttributes: ['id', 'kind', 'brand', 'pair'],
  sortableAttributes: ['kind'],
};

type Request = Partial<SearchRequest>;
const hybrid = (semanticRatio: number): Request => ({ hybrid: { embedder: 'e', semanticRatio }, vector: [1, 0] });

const REQUESTS: readonly (readonly [string, Request])[] = [
  ['a little by vectors', { q: 'boat', ...hybrid(0.1) }],
  ['more by words', { q: 'boat', ...hybrid(0.3) }],
  ['by both', { q: 'boat', ...hybrid(0.5) }],
  ['more by vectors', { q: 'boat', ...hybrid(0.9) }],
  ['by words only', { q: 'boat', ...hybrid(0) }],
  ['by vectors only', { q: 'boat', ...hybrid(1) }],
  ['without words', { q: null, ...hybrid(0.5) }],
  ['a word that few have', { q: 'mountain', ...hybrid(0.2) }],
  ['a word that none has', { q: 'zzz', ...hybrid(0.4) }],
  ['with a filter', { q: 'boat', filter: 'kind = 1', ...hybrid(0.2) }],
  ['with a filter of nothing', { q: 'boat', filter: 'kind = 9', ...hybrid(0.5) }],
  ['all words', { q: 'red boat', matchingStrategy: 'all', ...hybrid(0.2) }],
  ['an excluded word', { q: 'boat -red', ...hybrid(0.2) }],
  ['a threshold', { q: 'boat', rankingScoreThreshold: 0.6, ...hybrid(0.5) }],
  ['a high threshold', { q: 'boat', rankingScoreThreshold: 0.97, ...hybrid(0.2) }],
  ['a threshold, by vectors only', { q: 'boat', rankingScoreThreshold: 0.7, ...hybrid(1) }],
  ['distinct', { q: 'boat', distinct: 'kind', ...hybrid(0.5) }],
  ['distinct with blank values', { q: 'boat', distinct: 'brand', ...hybrid(0.5) }],
  ['distinct with few vectors', { q: 'boat', distinct: 'pair', ...hybrid(0.2) }],
  ['distinct by words only', { q: 'boat', distinct: 'kind', ...hybrid(0) }],
  ['distinct by vectors only', { q: 'boat', distinct: 'kind', ...hybrid(1) }],
  ['distinct without words', { q: null, distinct: 'pair', sort: ['kind:asc'], ...hybrid(0.4) }],
  ['distinct by words only, with blank values', { q: 'boat', distinct: 'brand', ...hybrid(0) }],
  ['distinct by vectors only, with blank values', { q: 'sea', distinct: 'brand', ...hybrid(1) }],
  ['distinct with a threshold', { q: 'boat', distinct: 'kind', rankingScoreThreshold: 0.8, ...hybrid(0.5) }],
  ['distinct with a filter', { q: 'boat', distinct: 'kind', filter: 'id < 20', ...hybrid(0.3) }],
  ['a sort', { q: 'boat', sort: ['kind:desc'], ...hybrid(0.3) }],
];

/** Totals and facets of each page of this size, and the ids on all of them. */
function walk(
  request: Request,
  size: number,
  isPaged: boolean,
): { readonly ids: unknown[]; readonly counts: unknown[] } {
  const ids: unknown[] = [];
  const counts: unknown[] = [];
  for (let page = 0; page * size <= DOCUMENTS.length; page++) {
    const range: Request = isPaged ? { page: page + 1, hitsPerPage: size } : { offset: page * size, limit: size };
    const answer: Record<string, unknown> = { ...index.search({ ...request, ...range, facets: ['kind'] }) };
    ids.push(...(answer['hits'] as { id: unknown }[]).map(({ id }) => id));
    const total = answer['estimatedTotalHits'] ?? answer['totalHits'];
    counts.push(JSON.stringify([total, answer['facetDistribution']]));
    if (isPaged) expect(answer['totalPages']).toBe(Math.ceil((total as number) / size));
  }
  return { ids, counts };
}

test.each(
  REQUESTS,
)('%s: pages of any size have the same counts, and together the hits that these say', async (_, request) => {
  index = await openScratchIndex(DOCUMENTS, SETTINGS);
  const all = walk(request, 100, false);
  const [counts] = all.counts;
  for (const size of [1, 3, 20])
    for (const isPaged of [false, true]) {
      const { ids, counts: found } = walk(request, size, isPaged);
      expect(new Set(found)).toEqual(new Set([counts]));
      expect(ids).toEqual(all.ids);
    }
  const [total, facets] = JSON.parse(counts as string) as [number, { kind?: Record<string, number> }];
  expect(new Set(all.ids).size).toBe(all.ids.length);
  expect(total).toBe(all.ids.length);
  expect(Object.values(facets.kind ?? {}).reduce((sum, count) => sum + count, 0)).toBe(total);
  for (const empty of [{ limit: 0 }, { page: 0 }, { hitsPerPage: 0 }]) {
    const answer: Record<string, unknown> = { ...index.search({ ...request, ...empty, facets: ['kind'] }) };
    expect([answer['estimatedTotalHits'] ?? answer['totalHits'], answer['facetDistribution']]).toEqual([total, facets]);
  }
});

test('the bound of the setting holds on each page', async () => {
  index = await openScratchIndex(DOCUMENTS, { ...SETTINGS, pagination: { maxTotalHits: 25 } });
  const { ids, counts } = walk({ q: 'boat', ...hybrid(0.3) }, 4, false);
  expect(new Set(ids).size).toBe(25);
  expect(ids).toHaveLength(25);
  expect(new Set(counts).size).toBe(1);
});

test.each([0.2, 0.5, 0.8])('in a federated search with a ratio of %f as well', async (semanticRatio) => {
  index = await openScratchIndex(DOCUMENTS, SETTINGS);
  const requests = [
    { ...DEFAULT_REQUEST, q: 'boat', filter: 'kind != 2', ...hybrid(semanticRatio) },
    { ...DEFAULT_REQUEST, q: 'lake', filter: 'kind = 2' },
  ];
  const totals = new Set<number>();
  const ids: unknown[] = [];
  for (let from = 0; from < 60; from += 7) {
    const { hits, total } = index.federated(requests, { from, length: 7 });
    totals.add(total);
    ids.push(...hits.map(({ id }) => id));
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect([...totals]).toEqual([ids.length]);
});

test.each([0.2, 0.5, 1])('in a federated search with distinct and a ratio of %f as well', async (semanticRatio) => {
  index = await openScratchIndex(DOCUMENTS, SETTINGS);
  const requests = [
    { ...DEFAULT_REQUEST, q: 'boat', ...hybrid(semanticRatio) },
    { ...DEFAULT_REQUEST, q: 'lake' },
  ];
  for (const distinct of ['pair', 'brand', 'kind']) {
    const federated = (from: number, length: number) => index.federated(requests, { from, length }, distinct);
    const { hits, total } = federated(0, 100);
    expect(total).toBe(hits.length);
    for (const [from, length] of [
      [0, 0],
      [0, 1],
      [1, 4],
      [5, 20],
    ] as const) {
      const page = federated(from, length);
      expect(page.total).toBe(total);
      expect(page.hits.map(({ id }) => id)).toEqual(hits.slice(from, from + length).map(({ id }) => id));
    }
  }
});

test('words decide a page where no vector could come before them', async () => {
  index = await openScratchIndex(DOCUMENTS, SETTINGS);
  const few = { q: 'boat', hybrid: { embedder: 'e', semanticRatio: 0.1 }, limit: 3, facets: ['kind'] };
  const withVector: Record<string, unknown> = { ...index.search({ ...few, vector: [1, 0] }) };
  const without: Record<string, unknown> = { ...index.search(few) };
  for (const member of ['hits', 'estimatedTotalHits', 'facetDistribution', 'semanticHitCount'])
    expect(without[member]).toEqual(withVector[member]);
  expect(without['estimatedTotalHits']).toBe(60);
});
