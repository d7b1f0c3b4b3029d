import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addition } from '@fossick/documents/addition.test-support';
import { type EngineReader, NO_ACCESS, openEngineReader } from '@fossick/index';
import { openEngineWriter, type WriteContext } from '@fossick/index/writer';
import { DEFAULT_SEARCH, type SearchRequest } from '@fossick/settings/parameters';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StageClock } from '../request/stage-clock.js';
import { search } from '../search.js';
import { DEFAULT_RULE_LIMITS, type SearchRule } from '../search-rules/search-rule.js';
import { federatedParts, federatedSearch, mergeParts } from './federated-search.js';
import type { FederatedAnswer, FederationRequest } from './request.js';

const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const DOCUMENTS = {
  books: [
    { id: 1, title: 'red fox', sku: 'A', price: 3, shelf: ['x', 'y'] },
    { id: 2, title: 'red hen', sku: 'B', price: 1, shelf: 'y' },
    { id: 3, title: 'blue fox', sku: 'c', price: 5 },
  ],
  films: [
    { id: 1, title: 'fox', sku: 'a ', price: 2, shelf: 'x' },
    { id: 2, title: 'the red fox and the red hen', price: 4, shelf: 'X' },
  ],
};
let folder: string;
let reader: EngineReader;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-federation-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
  const writer = openEngineWriter(options);
  for (const [uid, documents] of Object.entries(DOCUMENTS)) {
    const payloadFile = join(folder, `${uid}.ndjson`);
    writeFileSync(payloadFile, documents.map((each) => JSON.stringify(each)).join('\n'));
    await writer.applyDocuments(uid, [addition(payloadFile, { primaryKey: 'id' })], context);
    const settings = { filterableAttributes: ['sku', 'price', 'shelf'], sortableAttributes: ['price'] };
    await writer.applySettings(uid, [settings], context);
  }
  await writer.close();
  reader = openEngineReader(options);
});
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true, force: true });
});

const EMPTY: SearchRequest = { ...DEFAULT_SEARCH, attributesToRetrieve: ['id'] };
type Query = readonly [indexUid: string, request: Partial<SearchRequest>, weight?: number];
function requestOf(queries: readonly Query[], change: Partial<FederationRequest> = {}): FederationRequest {
  return {
    queries: queries.map(([indexUid, given, weight = 1], position) => {
      return { indexUid, position, weight, request: { ...EMPTY, ...given } };
    }),
    range: { isPaged: false, from: 0, length: 20 },
    facetsByIndex: new Map(),
    mergeFacets: null,
    distinct: null,
    ruleBook: null,
    hydrates: false,
    access: NO_ACCESS,
    marks: { remote: undefined, isProxied: false },
    clock: new StageClock(),
    ...change,
  };
}
const run = (queries: readonly Query[], change: Partial<FederationRequest> = {}): FederatedAnswer =>
  federatedSearch(reader, requestOf(queries, change));
/** `books1` for document 1 of the books, found by query 0: `books1/0`. */
function namesOf({ hits }: FederatedAnswer): string[] {
  return hits.map((hit) => {
    const { indexUid, queriesPosition } = hit._federation as { indexUid: string; queriesPosition: number };
    return `${indexUid}${String(hit.id)}/${queriesPosition}`;
  });
}
const ruleBook = (...rules: Partial<SearchRule>[]): NonNullable<FederationRequest['ruleBook']> => ({
  rules: rules.map((rule) => ({ active: true, conditions: {}, pins: [], scales: [], ...rule })),
  nowMs: Date.parse('2030-06-01T00:00:00Z'),
  limits: DEFAULT_RULE_LIMITS,
});
const pinOf = (id: string, position: number, indexUid?: string): SearchRule['pins'][number] => ({
  id,
  position,
  ...(indexUid === undefined ? {} : { indexUid }),
});

it('merges queries and indexes by weighted score, a document once per index', () => {
  const answer = run([
    ['books', { q: 'red' }],
    ['films', { q: 'fox' }],
    ['books', { q: 'fox' }],
  ]);
  expect(namesOf(answer)).toEqual(['films1/1', 'books1/0', 'books2/0', 'books3/2', 'films2/1']);
  expect(answer.total).toBe(5);
  const heavy = run([
    ['books', { q: 'red' }],
    ['films', { q: 'fox' }, 0.1],
    ['books', { q: 'fox' }],
  ]);
  expect(namesOf(heavy)).toEqual(['books1/0', 'books2/0', 'books3/2', 'films1/1', 'films2/1']);
  const weightless = run([
    ['books', { q: 'hen' }, 0],
    ['films', { q: 'fox' }],
  ]);
  expect(weightless.hits.at(-1)).toEqual({
    id: 2,
    _federation: { indexUid: 'books', queriesPosition: 0, weightedRankingScore: 0 },
  });
});

it('interleaves sorted queries by value and cuts the range out of the whole', () => {
  const sort = ['price:asc'];
  const all = run([
    ['books', { sort }],
    ['films', { sort }],
  ]);
  expect(namesOf(all)).toEqual(['books2/0', 'films1/1', 'books1/0', 'films2/1', 'books3/0']);
  const page = run(
    [
      ['books', { sort }],
      ['films', { sort }],
    ],
    { range: { isPaged: true, from: 2, length: 2 } },
  );
  expect(namesOf(page)).toEqual(['books1/0', 'films2/1']);
  expect(page.total).toBe(5);
});

it('keeps one hit of each distinct value over all indexes, whatever its spelling', () => {
  const facetsByIndex = new Map([
    ['books', ['sku', 'shelf']],
    ['films', ['shelf', 'sku']],
  ]);
  const answer = run(
    [
      ['films', { q: 'fox' }],
      ['books', { q: 'fox' }],
    ],
    { distinct: 'sku', facetsByIndex },
  );
  expect(namesOf(answer)).toEqual(['films1/0', 'books3/1', 'films2/0']);
  expect(answer.total).toBe(3);
  const queries: readonly Query[] = [
    ['films', {}],
    ['books', {}],
  ];
  const range = { isPaged: false, from: 0, length: 1 };
  // of each index one hit is looked at, and they are of one value
  expect(run(queries, { distinct: 'sku', range }).total).toBe(4);
  expect(answer.facetsByIndex?.books?.distribution).toEqual({ shelf: {}, sku: { c: 1 } });
  const merged = run(
    [
      ['films', { q: 'fox' }],
      ['books', { q: 'fox' }],
    ],
    {
      distinct: 'sku',
      facetsByIndex,
      mergeFacets: { maxValuesPerFacet: null },
    },
  );
  expect(merged.facetDistribution).toEqual({ shelf: { x: 2 }, sku: { 'a ': 1, c: 1 } });
  expect(merged.facetsByIndex).toBeUndefined();
});

it('sums facets of equal text, cuts them, and joins their statistics', () => {
  const facetsByIndex = new Map([
    ['books', ['shelf', 'price']],
    ['films', ['shelf', 'price']],
  ]);
  const { facetDistribution, facetStats } = run(
    [
      ['books', {}],
      ['films', { filter: 'price > 2' }],
    ],
    {
      facetsByIndex,
      mergeFacets: { maxValuesPerFacet: 2 },
    },
  );
  expect(facetDistribution?.shelf).toEqual({ X: 1, x: 1 });
  expect(facetStats).toEqual({ price: { min: 1, max: 5 } });
});

it('only checks facets of an index without a query', () => {
  expect(run([['books', {}]], { facetsByIndex: new Map([['films', ['sku']]]) })).not.toHaveProperty('facetsByIndex');
});

it('has the values that another instance needs to merge further, which removes the last duplicates', () => {
  const queries: readonly Query[] = [
    ['films', { q: 'fox' }],
    ['books', { q: 'fox', sort: ['price:asc'] }],
  ];
  const { hits, total } = run(queries, {
    distinct: 'sku',
    marks: { remote: undefined, isProxied: true },
    ruleBook: ruleBook({ pins: [pinOf('2', 3, 'films')] }),
  });
  expect(total).toBe(4);
  const marks = hits.map((hit) => hit._federation as Record<string, unknown>);
  expect(marks.map(({ extra_document }) => extra_document)).toContainEqual({ sku: 'A' });
  expect(marks[3]).toMatchObject({ pinnedPosition: 3, weightedScoreValues: [] });
  expect(marks.map(({ weightedScoreValues }) => weightedScoreValues)).toContainEqual([
    { weightedScore: 1 },
    { sort: { asc: true, value: 3 } },
    { weightedScore: expect.any(Number) },
  ]);
});

it.each([
  [
    'index_not_found',
    '.queries[1]',
    [
      ['books', {}],
      ['nowhere', {}],
    ],
    {},
  ],
  [
    'invalid_search_sort',
    '.queries[1]',
    [
      ['films', {}],
      ['books', { sort: ['title:asc'] }],
    ],
    {},
  ],
  ['invalid_search_filter', '.queries[0]', [['books', { filter: 'title = a' }]], {}],
  ['invalid_search_distinct', '.queries[0]', [['books', {}]], { distinct: 'title' }],
  [
    'invalid_multi_search_query_ranking_rules',
    '.queries[1]',
    [
      ['books', { sort: ['price:asc'] }],
      ['films', { sort: ['price:desc'] }],
    ],
    {},
  ],
  [
    'invalid_search_facets',
    '.federation.facetsByIndex.books` (index of `.queries[0]`)',
    [['books', {}]],
    { facetsByIndex: new Map([['books', ['title']]]) },
  ],
  [
    'invalid_search_facets',
    'no query uses this index',
    [['books', {}]],
    { facetsByIndex: new Map([['films', ['title']]]) },
  ],
] as readonly (readonly [
  string,
  string,
  readonly Query[],
  Partial<FederationRequest>,
])[])('refuses with %s and names %s', (code, place, queries, change) => {
  const search = (): unknown => run(queries, change);
  expect(search).toThrow(expect.objectContaining({ code }));
  expect(search).toThrow(place);
});

it('places pinned documents after the merge, whatever the weights, and counts them', () => {
  const rules = ruleBook({ pins: [pinOf('3', 0, 'books'), pinOf('2', 1)] });
  const answer = run(
    [
      ['books', { q: 'red' }, 0.001],
      ['films', { q: 'fox' }],
    ],
    { ruleBook: rules },
  );
  expect(namesOf(answer)).toEqual(['books3/0', 'books2/0', 'films2/1', 'films1/1', 'books1/0']);
  expect(answer.total).toBe(5);
});

it('pins in a search of one index by the conditions of the rules', () => {
  const idsOf = (request: Partial<SearchRequest>, ...rules: Partial<SearchRule>[]): unknown[] =>
    reader.withView('books', (view) =>
      search(view, { ...EMPTY, ...request }, { ruleBook: ruleBook(...rules) }).hits.map(({ id }) => id),
    );
  const pins = [pinOf('3', 0)];
  const red = { q: 'Red' };
  expect(idsOf(red)).toEqual([1, 2]);
  expect(idsOf(red, { pins, conditions: { query: { words: 'réd' } } })).toEqual([3, 1, 2]);
  expect(idsOf(red, { pins, conditions: { query: { words: 'red hen' } } })).toEqual([1, 2]);
  expect(idsOf(red, { pins, conditions: { query: { isEmpty: true } } })).toEqual([1, 2]);
  expect(idsOf({}, { pins, conditions: { query: { isEmpty: true } } })).toEqual([3, 1, 2]);
  expect(idsOf(red, { pins, conditions: { time: { end: '2030-05-31T00:00:00Z' } } })).toEqual([1, 2]);
  expect(idsOf(red, { pins, conditions: { time: { start: '2030-05-31T00:00:00Z' } } })).toEqual([3, 1, 2]);
  expect(idsOf({ ...red, filter: 'price < 5' }, { pins })).toEqual([1, 2]);
  expect(idsOf(red, { pins: [pinOf('3', 0, 'films'), pinOf('none', 0)] })).toEqual([1, 2]);
  expect(idsOf({ ...red, offset: 1, limit: 1 }, { pins })).toEqual([1]);
  expect(idsOf({ q: 'red -blue' }, { pins })).toEqual([3, 1, 2]);
});

it('pins by equalities that a branch of the filter forces', () => {
  const idsOf = (filter: unknown): unknown[] =>
    reader.withView('books', (view) => {
      const conditions = { filter: { values: { shelf: 'Y', price: 3 } } };
      const book = ruleBook({ pins: [pinOf('1', 1)], conditions });
      return search(view, { ...EMPTY, filter }, { ruleBook: book }).hits.map(({ id }) => id);
    });
  expect(idsOf('shelf = y AND price = 3.0')).toEqual([1]);
  expect(idsOf('shelf IN [x, y]')).toEqual([1, 2]);
  expect(idsOf([['shelf = y', 'price = 1'], 'price IN [1, 3]'])).toEqual([2, 1]);
  expect(idsOf('NOT (shelf = y AND price = 3) OR shelf = y')).toEqual([1, 2, 3]);
  expect(idsOf('shelf >= y AND price 1 TO 3')).toEqual([2, 1]);
  expect(idsOf('NOT (NOT shelf IN [x, y] OR price > 3)')).toEqual([2, 1]);
  expect(idsOf('shelf EXISTS AND price != 3.0')).toEqual([2]);
});

it('gives the same answer by parts made ahead, as when other instances are waited for', () => {
  const request = requestOf(
    [
      ['films', { q: 'fox' }],
      ['books', { q: 'fox' }],
    ],
    { distinct: 'sku' },
  );
  const parts = federatedParts(reader, request);
  expect(mergeParts(parts, request)).toEqual(federatedSearch(reader, request));
});
