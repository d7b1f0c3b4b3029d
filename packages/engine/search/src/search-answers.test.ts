import { ApiError } from '@fossick/base';
import { afterEach, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from './scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index.close());

const BRANDS = ['', '', [''], ' ', undefined, null, ['x', ''], [], 'x'];
const brandDocs = BRANDS.map((brand, id) => ({ id, brand }));

test('of "" and white space one is shown by a distinct of the request, and none to filter by', async () => {
  index = await openScratchIndex(brandDocs, { filterableAttributes: ['brand'] });
  // 6 is put after 0, and has kept 8 out before
  expect(index.idsOf({ distinct: 'brand' })).toEqual([0, 4, 5, 7]);
  expect(index.idsOf({ filter: 'brand = ""' })).toEqual([3]);
});

test('nothing moves up for the "" that are left out, and they count as long as they are not reached', async () => {
  index = await openScratchIndex(brandDocs, { filterableAttributes: ['brand'] });
  const page = (request: object) => {
    const { hits, ...answer } = index.search({ distinct: 'brand', ...request });
    const total = 'totalHits' in answer ? answer.totalHits : answer.estimatedTotalHits;
    return [hits.map(({ id }) => id), total];
  };
  expect(page({ limit: 1 })).toEqual([[0], 9]);
  expect(page({ limit: 3 })).toEqual([[0], 7]);
  expect(page({ offset: 1, limit: 4 })).toEqual([[4], 6]);
  expect(page({ page: 1, hitsPerPage: 2 })).toEqual([[0], 7]);
});

test('a distinct attribute of the settings tells no "" from another', async () => {
  index = await openScratchIndex(brandDocs, { filterableAttributes: ['brand'], distinctAttribute: 'brand' });
  expect(index.idsOf({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('within given attributes typos count but for those named as without, whose children take them', async () => {
  index = await openScratchIndex(
    [
      { id: 1, author: { name: 'according' } },
      { id: 2, t: 'according' },
      { id: 3, author: 'according' },
      { id: 4, t: 'according', author: 'according' },
      { id: 5, author: { name: 'another' } },
    ],
    { typoTolerance: { disableOnAttributes: ['author'] } },
  );
  const idsIn = (q: string, ...attributesToSearchOn: string[]) => index.idsOf({ q, attributesToSearchOn });
  expect(index.idsOf({ q: 'accordion' })).toEqual([2, 4]);
  expect(idsIn('accordion', 'author.name')).toEqual([1]);
  expect(idsIn('accordion', 'author')).toEqual([]);
  expect(idsIn('accordion', 't', 'author')).toEqual([2, 4]);
  expect(idsIn('according', 'author')).toEqual([3, 4]);
  // a word that no fuzzy field holds is no neighbour of any
  expect(idsIn('anither', 'author.name')).toEqual([]);
});

test('a page past the last document counts distinct values of all of them', async () => {
  index = await openScratchIndex(
    [1, 1, 2, 2, 3].map((n, id) => ({ id, n })),
    { filterableAttributes: ['n'] },
  );
  expect(index.search({ distinct: 'n', offset: 9 })).toMatchObject({ hits: [], estimatedTotalHits: 3 });
});

test('documents before the page are held against the threshold too', async () => {
  index = await openScratchIndex([
    { id: 1, t: 'red fox' },
    { id: 2, t: 'fox' },
  ]);
  expect(index.search({ q: 'red fox', rankingScoreThreshold: 0.9, offset: 1 })).toMatchObject({
    estimatedTotalHits: 1,
  });
  expect(index.search({ q: 'fox red', rankingScoreThreshold: 1, offset: 2 })).toMatchObject({ estimatedTotalHits: 0 });
});

test('children of a facet come with a field that is filterable itself, and patterns meet as texts', async () => {
  const rule = { facetSearch: true, filter: { equality: true, comparison: true } };
  index = await openScratchIndex([{ id: 1, author: { born: 1900 }, tags: ['a'] }], {
    filterableAttributes: ['author.born', { attributePatterns: ['*gs'], features: rule }],
  });
  expect(index.search({ facets: ['author'] }).facetDistribution).toEqual({});
  expect(index.search({ facets: ['author.*'] }).facetDistribution).toEqual({ 'author.born': { 1900: 1 } });
  expect(index.search({ facets: ['*ags'] }).facetDistribution).toEqual({ tags: { a: 1 } });
  // no rule's text meets this one, but the field is filterable
  expect(index.search({ facets: ['t*', 'id', 'none'] }).facetDistribution).toEqual({ tags: { a: 1 } });
});

test('by count, strings follow without end where numbers filled the quota; by name they do not', async () => {
  const docs = [1, 2, 'a', 'b', 'c'].map((n, id) => ({ id, n }));
  const facets = { facets: ['n'] };
  index = await openScratchIndex(docs, { filterableAttributes: ['n'], faceting: { maxValuesPerFacet: 2 } });
  expect(index.search(facets).facetDistribution).toEqual({ n: { 1: 1, 2: 1 } });
  await index.change({ faceting: { sortFacetValuesBy: { '*': 'count' } } });
  expect(index.search(facets).facetDistribution).toEqual({ n: { 1: 1, 2: 1, a: 1, b: 1, c: 1 } });
  await index.change({ faceting: { maxValuesPerFacet: 3 } });
  expect(index.search(facets).facetDistribution).toEqual({ n: { 1: 1, 2: 1, c: 1 } });
});

test("a string equal to a number's text is one value with it, by name and by count", async () => {
  const docs = [1, '1', 2, '2', '2', 'a', 'b', 3].map((n, id) => ({ id, n }));
  index = await openScratchIndex(docs, { filterableAttributes: ['n'], faceting: { maxValuesPerFacet: 5 } });
  expect(index.search({ facets: ['n'] }).facetDistribution).toEqual({ n: { 1: 2, 2: 3, 3: 1, a: 1, b: 1 } });
  await index.change({ faceting: { sortFacetValuesBy: { '*': 'count' } } });
  expect(index.search({ facets: ['n'] }).facetDistribution).toEqual({ n: { 1: 2, 2: 3, 3: 1, a: 1, b: 1 } });
});

test('an empty list asks for nothing; a page without hits still looks at what is before it', async () => {
  const rule = { facetSearch: false, filter: { equality: false, comparison: true } };
  index = await openScratchIndex(
    [1, 1, 2].map((n, id) => ({ id, n, t: 'a' })),
    { filterableAttributes: [{ attributePatterns: ['n'], features: rule }], distinctAttribute: 'n' },
  );
  expect(index.search({ filter: 'n NOT IN []', limit: 0, q: 'a' })).toMatchObject({ estimatedTotalHits: 3 });
  expect(index.search({ filter: 'n NOT IN []', limit: 0, offset: 2, q: 'a' })).toMatchObject({ estimatedTotalHits: 2 });
  expect(index.search({ limit: 0, offset: 1 })).toMatchObject({ estimatedTotalHits: 2 });
  expect(() => index.search({ filter: 'n IN [1]' })).toThrow(/IN/);
});

test('a facet search spells a value as the lowest document of the index does, whatever the query finds', async () => {
  index = await openScratchIndex([{ id: 1, genre: 'Action', t: 'one' }], { filterableAttributes: ['genre'] });
  await index.add([{ id: 2, genre: 'ACTION', t: 'two' }]);
  expect(index.facetSearch({ facetName: 'genre', q: 'two' }).facetHits).toEqual([{ value: 'Action', count: 1 }]);
});

test('coordinates in a filter are checked only when their turn comes', async () => {
  index = await openScratchIndex([{ id: 1, n: 1 }], { filterableAttributes: ['n'] });
  expect(index.idsOf({ filter: 'n = 2 AND _geoRadius(1, 1, 1)' })).toEqual([]);
  expect(() => index.search({ filter: 'n = 1 AND _geoRadius(1, 1, 1)' })).toThrow(/_geo/);
});

test('errors are reported in order: attributesToSearchOn, distinct, filter, sort', async () => {
  index = await openScratchIndex([{ id: 1, t: 'a' }], { searchableAttributes: ['t'] });
  const codeOf = (request: Parameters<ScratchIndex['search']>[0]): string => {
    try {
      index.search(request);
    } catch (error) {
      if (error instanceof ApiError) return error.code;
    }
    return 'none';
  };
  const wrong = { sort: ['n:asc'], filter: 'n = 1', distinct: 'n', attributesToSearchOn: ['n'] };
  expect(codeOf(wrong)).toBe('invalid_search_attributes_to_search_on');
  expect(codeOf({ ...wrong, attributesToSearchOn: null })).toBe('invalid_search_distinct');
  expect(codeOf({ sort: wrong.sort, filter: wrong.filter })).toBe('invalid_search_filter');
  expect(codeOf({ sort: wrong.sort })).toBe('invalid_search_sort');
});

test('typos are highlighted for terms that the ranking got to', async () => {
  const docs = [{ id: 1, t: 'harbor walls' }];
  index = await openScratchIndex(docs, { typoTolerance: { minWordSizeForTypos: { oneTypo: 3, twoTypos: 9 } } });
  const shown = (q: string): unknown => index.search({ q, attributesToHighlight: ['t'] }).hits[0]!._formatted;
  expect(shown('harbor wells ')).toEqual({ id: '1', t: '<em>harbor</em> <em>walls</em>' });
  // No document holds `harbor nothing`: what comes after is never looked at.
  expect(shown('harbor nothing wells ')).toEqual({ id: '1', t: '<em>harbor</em> walls' });
});

test('a phrase counts for each of its words where the crop window is chosen', async () => {
  const t = 'book one two three four five six seven wall e eight nine';
  index = await openScratchIndex([{ id: 1, t }]);
  const request = { q: 'book "wall e"', attributesToCrop: ['t'], cropLength: 3 };
  expect(index.search(request).hits[0]!['_formatted']).toEqual({ id: '1', t: '…seven wall e…' });
});

test('a crop length of nothing holds for the fields below, before theirs', async () => {
  index = await openScratchIndex([{ id: 1, a: { b: 'one two three' } }]);
  const formatted = (attributesToCrop: string[]): unknown => index.search({ attributesToCrop }).hits[0]!['_formatted'];
  expect(formatted(['a:0', 'a.b:1'])).toEqual({ id: '1', a: { b: 'one two three' } });
  expect(formatted(['a.b:1'])).toEqual({ id: '1', a: { b: 'one…' } });
});

test('by frequency, words that are left when common ones were given up are marked with their typos', async () => {
  index = await openScratchIndex([
    { id: 1, t: 'harbour' },
    { id: 2, t: 'snowstorm' },
    { id: 3, t: 'snowstorm' },
  ]);
  const request = { q: 'snowstorm harbuor', matchingStrategy: 'frequency' as const, attributesToHighlight: ['t'] };
  const marked = index.search(request).hits.map((hit) => (hit['_formatted'] as { t: string }).t);
  expect(marked).toContain('<em>harbour</em>');
});

test('an exact facet count takes the first document of each distinct value in their own order, whatever ranks first', async () => {
  const documents = [
    { id: 1, n: [1, 2], f: 'x' },
    { id: 2, n: [2, 3], f: 'y' },
    { id: 3, n: 3, f: 'x' },
  ];
  const settings = {
    distinctAttribute: 'n',
    filterableAttributes: ['f'],
    sortableAttributes: ['id'],
    rankingRules: ['id:desc'],
  };
  index = await openScratchIndex(documents, settings);
  const hits = index.facetSearch({ facetName: 'f', exhaustiveFacetCount: true }).facetHits;
  expect(hits).toEqual([{ value: 'x', count: 2 }]);
});

test('by count, a facet search keeps the later of equal values once it is full', async () => {
  const values = ['MAIN Inne', 'MAIN Stst', 'main_garden', 'mainlofo', 'mainlofo', 'Mainlofo  beca', 'MAINLOFO red'];
  index = await openScratchIndex(
    values.map((f, id) => ({ id, f })),
    { filterableAttributes: ['f'], faceting: { maxValuesPerFacet: 3, sortFacetValuesBy: { '*': 'count' } } },
  );
  const { facetHits } = index.facetSearch({ facetName: 'f', facetQuery: 'mai' });
  expect(facetHits.map(({ value }) => value)).toEqual(['mainlofo', 'main_garden', 'MAINLOFO red']);
});

test('the order of facets is that of the request, which decides what is cut off; without one that of the settings', async () => {
  const makers = ['zeal', 'ado', 'zeal', 'mire', 'zeal', 'mire', 9, 9, 9, 9];
  index = await openScratchIndex(
    makers.map((maker, id) => ({ id, maker })),
    { filterableAttributes: ['maker'], faceting: { maxValuesPerFacet: 2 } },
  );
  const counted = (request: object) =>
    Object.entries(index.search({ facets: ['maker'], ...request }).facetDistribution!.maker!);
  expect(counted({ filter: 'maker != 9' })).toEqual([
    ['ado', 1],
    ['mire', 2],
  ]);
  expect(counted({ filter: 'maker != 9', facetOrder: 'count' })).toEqual([
    ['zeal', 3],
    ['mire', 2],
  ]);
  await index.change({ faceting: { sortFacetValuesBy: { '*': 'count' } } });
  expect(counted({ filter: 'maker != 9', facetOrder: null })).toEqual([
    ['zeal', 3],
    ['mire', 2],
  ]);
  expect(counted({ filter: 'maker != 9', facetOrder: 'alpha' })).toEqual([
    ['ado', 1],
    ['mire', 2],
  ]);
});

test('a page without hits counts the same documents and facets as one with them', async () => {
  const words = ['harbour', 'harbor', 'lighthouse', 'light', 'house', 'sea'];
  const docs = Array.from({ length: 40 }, (_, id) => ({
    ...{ id, title: `${words[id % 6]} ${words[(id * 5 + 2) % 6]} ${id}`, kind: `k${id % 4}` },
  }));
  index = await openScratchIndex(docs, { filterableAttributes: ['kind'], sortableAttributes: ['id'] });
  const counted = (request: object) => {
    const answer = index.search({ facets: ['kind'], ...request });
    return [answer.facetDistribution, 'totalHits' in answer ? answer.totalHits : answer.estimatedTotalHits];
  };
  for (const q of [
    '',
    'harbour',
    'harbour sea',
    'lighthouze',
    'light house',
    '"light house"',
    'sea -harbor',
    'zzz',
    '4',
  ])
    for (const more of [{}, { matchingStrategy: 'all' }, { filter: 'kind != k1' }, { sort: ['id:desc'] }])
      expect(counted({ q, limit: 0, ...more }), q).toEqual(counted({ q, limit: 40, ...more }));
});
