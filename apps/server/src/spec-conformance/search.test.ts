import { expect } from 'vitest';
import { type Loose, part, walked } from './walk.test-support.js';

const FILMS = [
  { id: 1, title: 'The Éclair of the sea', genre: 'drama', year: 1990, tags: ['red', 'wet'], _geo: { lat: 0, lng: 0 } },
  { id: 2, title: 'Sea eclair', genre: 'drama', year: 2000, tags: ['blue'], _geo: { lat: 0, lng: 1 } },
  { id: 3, title: 'A long tale of a ship that sails the sea. Then it sinks', genre: 'comedy', year: 2010, secret: 'x' },
  { id: 4, title: 'ocean storm', genre: 'comedy', year: 1980, _geo: { lat: 0, lng: 2 } },
  { id: 5, title: 'mountain', genre: 7, year: 2020 },
];
const walk = walked(async (w) => {
  await w.done('PATCH', '/indexes/films/settings', {
    filterableAttributes: ['genre', 'year', 'tags', '_geo'],
    sortableAttributes: ['year', '_geo'],
    synonyms: { sea: ['ocean'] },
    stopWords: ['the', 'of'],
    displayedAttributes: ['id', 'title', 'genre', 'year', 'tags', '_geo'],
  });
  await w.done('POST', '/indexes/films/documents', FILMS);
  const many = Array.from({ length: 1100 }, (_, id) => ({ id, name: 'same', kind: `k${id}` }));
  await w.done('PUT', '/indexes/many/settings/filterable-attributes', ['kind']);
  await w.done('POST', '/indexes/many/documents', many);
});
const search = async (body: object, index = 'films'): Promise<Loose> =>
  (await walk.call('POST', `/indexes/${index}/search`, body)).body;
const get = async (query: string): Promise<Loose> => (await walk.call('GET', `/indexes/films/search?${query}`)).body;
const ids = ({ hits }: Loose): number[] => hits.map(({ id }: Loose) => id);
const found = async (body: object): Promise<number[]> => ids(await search(body)).sort();

const routes = part('Search');
routes('POST and GET take the same parameters and answer 200', async () => {
  for (const [method, path, body] of [
    ['POST', '/indexes/films/search', { q: 'mountain', limit: 3 }],
    ['GET', '/indexes/films/search?q=mountain&limit=3', undefined],
  ] as const)
    expect(await walk.call(method, path, body)).toMatchObject({ status: 200, body: { limit: 3, hits: [{ id: 5 }] } });
});
routes('sort is a string separated by commas for GET, an array for POST', async () => {
  const sorted = ids(await search({ sort: ['year:desc'] }));
  expect(ids(await get('sort=year:desc'))).toEqual(sorted);
  expect((await walk.call('POST', '/indexes/films/search', { sort: 'year:desc' })).body.code).toBe(
    'invalid_search_sort',
  );
});
routes('defaults: q "", offset 0, limit 20', async () => {
  expect(await search({})).toMatchObject({ query: '', offset: 0, limit: 20, estimatedTotalHits: 5 });
});
routes('by default at most 1000 results are reachable', async () => {
  const { hits, estimatedTotalHits } = await search({ limit: 2000 }, 'many');
  expect([hits.length, estimatedTotalHits]).toEqual([1000, 1000]);
});
routes('the answer has hits, processingTimeMs and query', async () => {
  expect(await search({ q: 'sea' })).toMatchObject({
    hits: expect.any(Array),
    query: 'sea',
    processingTimeMs: expect.any(Number),
  });
});

const rule = part('Search rules');
rule('1, matching ignores accents and case', async () => {
  for (const q of ['éclair', 'ECLAIR', 'eclair']) expect(await found({ q })).toEqual([1, 2]);
});
rule('1, without q all documents, in the order of the database', async () => {
  expect(ids(await search({}))).toEqual([1, 2, 3, 4, 5]);
});
rule('1, without q ordered by sort', async () => {
  expect(ids(await search({ sort: ['year:asc'] }))).toEqual([4, 1, 2, 3, 5]);
});
rule('1, a phrase asks for its order, whatever the case, over soft separators', async () => {
  expect(await found({ q: '"SEA eclair"' })).toEqual([2]);
  expect(await found({ q: '"sea-eclair"' })).toEqual([2]);
  expect(await found({ q: '"eclair sea"' })).toEqual([]);
});
rule('1, a hard separator splits a phrase into several', async () => {
  expect(await found({ q: '"eclair. sea"' })).toEqual([1, 2]);
});
rule('1, a leading - excludes a word or a phrase', async () => {
  expect(await found({ q: 'eclair -sea' })).toEqual([]);
  expect(await found({ q: '-"sea eclair"' })).toEqual([1, 3, 4, 5]);
});
rule('2, offset and limit give estimatedTotalHits only', async () => {
  const answer = await search({ offset: 1, limit: 2 });
  expect(answer).toMatchObject({ offset: 1, limit: 2, estimatedTotalHits: 5 });
  for (const name of ['totalHits', 'totalPages', 'page', 'hitsPerPage']) expect(answer).not.toHaveProperty(name);
});
rule('3, page and hitsPerPage put offset and limit aside and give exact totals', async () => {
  const answer = await search({ page: 2, hitsPerPage: 2, offset: 4, limit: 1 });
  expect(answer).toMatchObject({ page: 2, hitsPerPage: 2, totalHits: 5, totalPages: 3 });
  expect(ids(answer)).toEqual([3, 4]);
  for (const name of ['estimatedTotalHits', 'offset', 'limit']) expect(answer).not.toHaveProperty(name);
  expect(await search({ page: 1 })).toMatchObject({ page: 1, hitsPerPage: 20 });
  expect(await search({ hitsPerPage: 2 })).toMatchObject({ page: 1, hitsPerPage: 2 });
});
rule('3, hitsPerPage 0: no hits, exact totalHits, totalPages 0', async () => {
  expect(await search({ hitsPerPage: 0 })).toMatchObject({ hits: [], totalHits: 5, totalPages: 0 });
});
rule('3, page 0: no hits, exact facets, totalPages and totalHits', async () => {
  const facetDistribution = { genre: { 7: 1, comedy: 2, drama: 2 } };
  expect(await search({ page: 0, hitsPerPage: 2, facets: ['genre'] })).toMatchObject({
    hits: [],
    totalHits: 5,
    totalPages: 3,
    facetDistribution,
  });
});
rule('3, no total exceeds maxTotalHits', async () => {
  await walk.done('PATCH', '/indexes/many/settings/pagination', { maxTotalHits: 7 });
  expect((await search({ limit: 1 }, 'many')).estimatedTotalHits).toBe(7);
  expect((await search({ page: 1 }, 'many')).totalHits).toBe(7);
  await walk.done('DELETE', '/indexes/many/settings/pagination');
});
rule('4, filter: attributes have to be filterable, a wrong one is invalid_search_filter', async () => {
  expect(await found({ filter: 'genre = drama' })).toEqual([1, 2]);
  expect(await found({ filter: ['genre = drama', ['year = 1990', 'year = 1980']] })).toEqual([1]);
  for (const filter of ['title = a', 'genre =', 'genre = a AND', '(genre = a'])
    expect((await search({ filter })).code).toBe('invalid_search_filter');
});
rule('4, _geoRadius and _geoBoundingBox', async () => {
  expect(await found({ filter: '_geoRadius(0.0, 0.0, 120000)' })).toEqual([1, 2]);
  expect(await found({ filter: '_geoBoundingBox([1, 2.5], [-1, 0.5])' })).toEqual([2, 4]);
});
rule('5, facets ["*"] are all filterable attributes, others are ignored', async () => {
  const { facetDistribution } = await search({ facets: ['*'], filter: 'genre = comedy' });
  expect(Object.keys(facetDistribution)).toEqual(expect.arrayContaining(['genre', 'year']));
  expect((await search({ facets: ['title', 'genre'] })).facetDistribution).toEqual({
    genre: { 7: 1, comedy: 2, drama: 2 },
  });
});
rule('5, at most 100 values a facet, which maxValuesPerFacet changes', async () => {
  expect(Object.keys((await search({ facets: ['kind'] }, 'many')).facetDistribution.kind)).toHaveLength(100);
  await walk.done('PATCH', '/indexes/many/settings/faceting', { maxValuesPerFacet: 3 });
  expect(Object.keys((await search({ facets: ['kind'] }, 'many')).facetDistribution.kind)).toHaveLength(3);
});
rule('5, facetStats have min and max of numbers, strings ignored', async () => {
  const { facetStats } = await search({ facets: ['year', 'genre', 'tags'] });
  expect(facetStats).toEqual({ year: { min: 1980, max: 2020 }, genre: { min: 7, max: 7 } });
});
rule('6, distinct gives the most relevant document of each value and overrides the setting', async () => {
  expect(ids(await search({ distinct: 'genre' }))).toEqual([1, 3, 5]);
  await walk.done('PUT', '/indexes/films/settings/distinct-attribute', 'year');
  expect(ids(await search({ distinct: 'genre' }))).toEqual([1, 3, 5]);
  await walk.done('DELETE', '/indexes/films/settings/distinct-attribute');
});
rule('7, attributesToRetrieve default to the displayed ones, others are silently ignored', async () => {
  expect((await search({ q: 'ship' })).hits[0]).not.toHaveProperty('secret');
  expect((await search({ q: 'ship', attributesToRetrieve: ['id', 'secret'] })).hits).toEqual([{ id: 3 }]);
});

const decorated = async (body: object): Promise<Loose> => (await search({ q: 'sails', ...body })).hits[0]._formatted;
rule('8, attributesToCrop adds _formatted; attribute:length goes before cropLength', async () => {
  expect((await decorated({ attributesToCrop: ['title'], cropLength: 3 })).title).toBe('…that sails the…');
  expect((await decorated({ attributesToCrop: ['title:1'], cropLength: 3 })).title).toBe('…sails…');
  expect((await decorated({ attributesToCrop: ['*'], cropLength: 1 })).title).toBe('…sails…');
});
rule('8, without a term in the field, cropping begins at its first word', async () => {
  const { hits } = await search({ q: 'comedy', attributesToCrop: ['title'], cropLength: 2, filter: 'year = 2010' });
  expect(hits[0]._formatted.title).toBe('A long…');
});
rule('9, cropLength counts words, stop words too, and is 10 by default', async () => {
  const { title } = await decorated({ attributesToCrop: ['title'] });
  expect(title.replaceAll('…', '').split(/\s+/)).toHaveLength(10);
  expect((await search({ q: 'sails', cropLength: 2 })).hits[0]).not.toHaveProperty('_formatted');
});
rule('10, cropMarker is where content was removed; null or empty is none', async () => {
  expect((await decorated({ attributesToCrop: ['title:1'], cropMarker: '<' })).title).toBe('<sails<');
  for (const cropMarker of [null, ''])
    expect((await decorated({ attributesToCrop: ['title:1'], cropMarker })).title).toBe('sails');
  expect((await search({ q: 'mountain', attributesToCrop: ['title'] })).hits[0]._formatted.title).toBe('mountain');
  expect((await search({ q: 'sails', cropMarker: '<' })).hits[0]).not.toHaveProperty('_formatted');
});
rule('11, highlights strings, numbers and arrays; synonyms too', async () => {
  const marked = async (q: string, filter: string) =>
    (await search({ q, filter, attributesToHighlight: ['*'] })).hits[0]._formatted;
  expect((await marked('1990', 'year = 1990')).year).toBe('<em>1990</em>');
  expect((await marked('red', 'year = 1990')).tags).toEqual(['<em>red</em>', 'wet']);
  expect((await marked('sea', 'year = 1980')).title).toBe('<em>ocean</em> storm');
});
rule('11, stop words are highlighted too', async () => {
  const { hits } = await search({ q: 'the sea', filter: 'year = 1990', attributesToHighlight: ['*'] });
  expect(hits[0]._formatted.title).toBe('<em>The</em> Éclair of <em>the</em> <em>sea</em>');
});
rule('12, the tags are any strings; null or empty insert nothing; nothing without attributesToHighlight', async () => {
  const tags = { highlightPreTag: '[', highlightPostTag: ']' };
  expect((await search({ q: 'mountain', attributesToHighlight: ['title'], ...tags })).hits[0]._formatted.title).toBe(
    '[mountain]',
  );
  for (const none of [null, '']) {
    const empty = { highlightPreTag: none, highlightPostTag: none };
    expect((await search({ q: 'mountain', attributesToHighlight: ['title'], ...empty })).hits[0]._formatted.title).toBe(
      'mountain',
    );
  }
  expect((await search({ q: 'mountain', ...tags })).hits[0]).not.toHaveProperty('_formatted');
});
rule('13, showMatchesPosition gives start and length, in strings, numbers and arrays', async () => {
  const positions = async (q: string) =>
    (await search({ q, showMatchesPosition: true, filter: 'year = 1990' })).hits[0]._matchesPosition;
  expect((await positions('eclair')).title).toEqual([{ start: 4, length: 7 }]);
  expect((await positions('1990')).year).toEqual([{ start: 0, length: 4 }]);
  expect((await positions('wet')).tags).toMatchObject([{ start: 0, length: 3 }]);
});
rule('14, the order of sort is precedence; _geoPoint sorts by distance and adds _geoDistance', async () => {
  await walk.done('PUT', '/indexes/films/settings/sortable-attributes', ['year', 'genre', '_geo']);
  expect(ids(await search({ sort: ['genre:asc', 'year:desc'] }))).toEqual([5, 3, 4, 2, 1]);
  const near = await search({ sort: ['_geoPoint(0, 0):asc'], filter: 'tags EXISTS OR year = 1980' });
  expect(near.hits.map(({ id, _geoDistance }: Loose) => [id, _geoDistance > 0])).toEqual([
    [1, false],
    [2, true],
    [4, true],
  ]);
  expect(ids(await search({ sort: ['_geoPoint(0, 0):desc'], filter: 'tags EXISTS OR year = 1980' }))).toEqual([
    4, 2, 1,
  ]);
});
rule(
  '15, matchingStrategy last drops terms from the end, all drops none, frequency the most frequent first',
  async () => {
    await walk.done('POST', '/indexes/strategy/documents', [
      { id: 1, t: 'common rare' },
      { id: 2, t: 'common' },
      { id: 3, t: 'rare' },
      { id: 4, t: 'common other' },
    ]);
    const strategy = async (matchingStrategy: string, q: string) =>
      ids(await search({ q, matchingStrategy }, 'strategy'));
    expect(await strategy('last', 'common rare')).toEqual([1, 2, 4]);
    expect(await strategy('all', 'common rare')).toEqual([1]);
    expect(await strategy('frequency', 'common rare')).toEqual([1, 3]);
  },
);
rule('16, _rankingScore is in 0 to 1; neither sort nor other documents change it', async () => {
  const scores = async (more: object) =>
    new Map(
      (await search({ q: 'sea', showRankingScore: true, ...more })).hits.map((hit: Loose) => [
        hit.id,
        hit._rankingScore,
      ]),
    );
  const plain = await scores({});
  for (const score of plain.values()) expect(Number(score) >= 0 && Number(score) <= 1).toBe(true);
  expect(await scores({ sort: ['year:asc'] })).toEqual(
    new Map((await search({ q: 'sea', sort: ['year:asc'] })).hits.map(({ id }: Loose) => [id, plain.get(id)])),
  );
  await walk.done('POST', '/indexes/films/documents', [{ id: 9, title: 'sea sea sea', genre: 'x', year: 1 }]);
  const after = await scores({});
  for (const [id, score] of plain) expect(after.get(id)).toBe(score);
  await walk.done('DELETE', '/indexes/films/documents/9');
});
rule('17, _rankingScoreDetails hold one object a rule with order, score and its own fields', async () => {
  const rankingRules = ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness'];
  await walk.done('PUT', '/indexes/films/settings/ranking-rules', rankingRules);
  const body = { q: 'sea eclair', showRankingScoreDetails: true, sort: ['year:asc', '_geoPoint(0, 0):asc'] };
  const details = (await search(body)).hits.find(({ id }: Loose) => id === 2)._rankingScoreDetails;
  const [order, score] = [expect.any(Number), expect.any(Number)];
  expect(details).toMatchObject({
    words: { order, score, matchingWords: 2, maxMatchingWords: 2 },
    typo: { order, score, typoCount: 0, maxTypoCount: expect.any(Number) },
    proximity: { order, score },
    attribute: {
      order,
      score,
      attributeRankingOrderScore: expect.any(Number),
      queryWordDistanceScore: expect.any(Number),
    },
    exactness: { order, score, matchType: 'exactMatch' },
    'year:asc': { order, value: 2000 },
  });
  const geo = Object.entries(details).find(([name]) => name.startsWith('_geoPoint'));
  expect(geo?.[1]).toMatchObject({ order, value: { lat: 0, lng: 1 }, distance: expect.any(Number) });
  const loose = (await search({ ...body, q: 'eclair sea' })).hits[0]._rankingScoreDetails.exactness;
  expect(loose).toMatchObject({ matchType: 'noExactMatch', matchingWords: 2, maxMatchingWords: 2 });
  const begins = (await search({ q: 'mount', showRankingScoreDetails: true })).hits[0]._rankingScoreDetails.exactness
    .matchType;
  expect(['matchesStart', 'noExactMatch']).toContain(begins);
  await walk.done('DELETE', '/indexes/films/settings/ranking-rules');
});
rule('18, what rankingScoreThreshold excludes does not count', async () => {
  const body = { q: 'sea eclair', rankingScoreThreshold: 0.9, showRankingScore: true, facets: ['genre'] };
  const answer = await search(body);
  expect(answer.hits.every(({ _rankingScore }: Loose) => _rankingScore >= 0.9)).toBe(true);
  const drama = answer.hits.filter(({ genre }: Loose) => genre === 'drama').length;
  expect(answer).toMatchObject({ estimatedTotalHits: answer.hits.length, facetDistribution: { genre: { drama } } });
  expect((await search({ ...body, page: 1 })).totalHits).toBe(answer.hits.length);
});
rule('19, attributesToSearchOn ["*"] or null search all; their order does not matter', async () => {
  const all = ids(await search({ q: 'comedy' }));
  for (const attributesToSearchOn of [['*'], null])
    expect(ids(await search({ q: 'comedy', attributesToSearchOn }))).toEqual(all);
  expect(await found({ q: 'comedy', attributesToSearchOn: ['title'] })).toEqual([]);
  const [one, other] = [
    ['title', 'genre'],
    ['genre', 'title'],
  ];
  expect(ids(await search({ q: 'sea', attributesToSearchOn: one }))).toEqual(
    ids(await search({ q: 'sea', attributesToSearchOn: other })),
  );
});
rule('values of another type or out of range are refused with the code of the parameter', async () => {
  for (const [body, code] of [
    [{ limit: -1 }, 'invalid_search_limit'],
    [{ offset: 'a' }, 'invalid_search_offset'],
    [{ matchingStrategy: 'first' }, 'invalid_search_matching_strategy'],
    [{ rankingScoreThreshold: 1.5 }, 'invalid_search_ranking_score_threshold'],
    [{ locales: ['xx'] }, 'invalid_search_locales'],
    [{ vector: ['a'] }, 'invalid_search_vector'],
    [{ hybrid: [] }, 'invalid_search_hybrid_query'],
    [{ retrieveVectors: 1 }, 'invalid_search_retrieve_vectors'],
  ] as const)
    expect((await search(body)).code).toBe(code);
});
rule('locales are taken', async () => {
  expect(await found({ q: 'mountain', locales: ['eng'] })).toEqual([5]);
});
