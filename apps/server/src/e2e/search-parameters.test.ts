import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

interface Answer {
  readonly hits: readonly Record<string, unknown>[];
  readonly facetDistribution?: unknown;
  readonly facetStats?: unknown;
  readonly code?: string;
  readonly message?: string;
}

// the parameters of a search, where they reach from the wire to the hits
describe('parameters of a search', () => {
  let folder: string;
  let server: TestServer;
  const search = (body: object) => server.call<Answer>('POST', '/indexes/books/search', body);
  const get = (query: string) => server.call<Answer>('GET', `/indexes/books/search?${query}`);

  beforeAll(async () => {
    folder = newDatabaseFolder();
    server = await startTestServer(folder);
    await server.call('POST', '/indexes/books/documents', [
      { id: 1, title: 'one red fox and two red hens went to the market', kind: 'tale', price: 3 },
      { id: 2, title: 'blue', kind: 'poem', price: 2 },
    ]);
    const settings = {
      filterableAttributes: [
        'kind',
        { attributePatterns: ['price'], features: { filter: { equality: false, comparison: false } } },
      ],
    };
    await server.call('PATCH', '/indexes/books/settings', settings);
    await server.allTasksDone();
  });
  afterAll(async () => {
    await server.stop();
    removeFolder(folder);
  });

  it('00 rule 5: facets that are not filterable are ignored', async () => {
    const counted = { facetDistribution: { kind: { poem: 1, tale: 1 } }, facetStats: {} };
    expect((await search({ facets: ['title', 'kind', 'price', 'none'] })).body).toMatchObject(counted);
    expect((await get('facets=title,kind')).body).toMatchObject(counted);
    expect((await search({ facets: ['title'] })).body).toMatchObject({ facetDistribution: {}, facetStats: {} });
    const queries = [{ indexUid: 'books', facets: ['title', 'kind'] }];
    const multi = await server.call<{ results: readonly Answer[] }>('POST', '/multi-search', { queries });
    expect(multi.body.results[0]).toMatchObject(counted);
    const federation = { facetsByIndex: { books: ['title', 'kind'] } };
    const federated = await server.call('POST', '/multi-search', { queries: [{ indexUid: 'books' }], federation });
    expect(federated).toMatchObject({ status: 400, body: { code: 'invalid_search_facets' } });
  });

  it('00 rules 10 and 12: null and empty markers insert nothing', async () => {
    const shown = async (members: object): Promise<unknown> => {
      const asked = {
        q: 'fox',
        attributesToCrop: ['title'],
        cropLength: 3,
        attributesToHighlight: ['title'],
        ...members,
      };
      return ((await search(asked)).body.hits[0]!._formatted as Record<string, unknown>).title;
    };
    expect(await shown({})).toBe('…red <em>fox</em> and…');
    expect(await shown({ cropMarker: null })).toBe('red <em>fox</em> and');
    expect(await shown({ highlightPreTag: null })).toBe('…red fox</em> and…');
    expect(await shown({ highlightPostTag: null })).toBe('…red <em>fox and…');
    expect(await shown({ cropMarker: '', highlightPreTag: null, highlightPostTag: '' })).toBe('red fox and');
  });

  it.each([
    'cropMarker',
    'highlightPreTag',
    'highlightPostTag',
  ])('refuses a %s of more than 1024 bytes', async (name) => {
    const code = `invalid_search_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
    const fits = 'é'.repeat(512);
    expect((await search({ [name]: fits })).status).toBe(200);
    for (const asked of [
      search({ [name]: `${fits}x` }),
      search({ [name]: 'x'.repeat(2_000_000) }),
      get(`${name}=${fits}x`),
    ])
      expect(await asked).toMatchObject({ status: 400, body: { code } });
    const queries = [{ indexUid: 'books', [name]: `${fits}x` }];
    expect((await server.call('POST', '/multi-search', { queries })).body).toMatchObject({ code });
  });

  it('quotes filters as they were given, of an array the element; only searches name the index', async () => {
    const line = '\n11:16 kind=a OR title=b';
    const filter = ['kind = x', ['kind=a OR title=b']];
    const of = async (method: string, path: string, body?: object) =>
      (await server.call<Answer>(method, `/indexes/books${path}`, body)).body.message ?? '';
    for (const asked of [of('POST', '/search', { filter }), of('GET', `/search?filter=${JSON.stringify(filter)}`)])
      expect(await asked).toMatch(/^Index `books`: [\s\S]*\n11:16 kind=a OR title=b$/);
    const { body } = await server.call<Answer>('POST', '/multi-search', { queries: [{ indexUid: 'books', filter }] });
    expect(body.message).toContain(line);
    for (const message of [
      await of('POST', '/facet-search', { facetName: 'kind', filter }),
      await of('POST', '/documents/fetch', { filter }),
      await of('GET', `/documents?filter=${JSON.stringify(filter)}`),
    ]) {
      expect(message).toContain(line);
      expect(message).not.toContain('`books`');
    }
    await server.call('POST', '/indexes/books/documents/delete', { filter });
    const [task] = await server.allTasksDone();
    expect(task!.error!.message).toMatch(/^Index `books`: [\s\S]*\n11:16 kind=a OR title=b$/);
  });

  it('refuses ids of documents that no document can have', async () => {
    const refused = { status: 400, body: { code: 'invalid_document_ids' } };
    const fetch = (ids: unknown) => server.call('POST', '/indexes/books/documents/fetch', { ids });
    for (const ids of [['a b'], [''], [1.5], ['1', 'é'], ['x'.repeat(512)], [true], 'x'])
      expect({ ids, ...(await fetch(ids)) }).toMatchObject(refused);
    for (const ids of ['a b', '1,é', '1,,2', 'a/b'])
      expect({ ids, ...(await server.call('GET', `/indexes/books/documents?ids=${ids}`)) }).toMatchObject(refused);
    expect(await fetch(['1', 2, 'none'])).toMatchObject({ status: 200, body: { total: 2 } });
    expect(await fetch([])).toMatchObject({ status: 200, body: { total: 0 } });
    const empty = await server.call('GET', '/indexes/books/documents?ids=');
    expect(empty).toMatchObject({ status: 200, body: { total: 0 } });
  });

  it('sorts documents by any number of repeated entries, by many points, and by at most a hundred different ones', async () => {
    const documents = Array.from({ length: 3_000 }, (_, id) => ({
      id,
      half: id % 2,
      _geo: { lat: ((id * 37) % 3_000) / 50, lng: ((id * 91) % 3_000) / 50 },
    }));
    await server.call('PATCH', '/indexes/places/settings', { sortableAttributes: ['half', '_geo'] });
    await server.call('POST', '/indexes/places/documents', documents);
    await server.allTasksDone();
    const fetch = (sort: readonly string[], limit: number) =>
      server.call<{ results: readonly { id: number }[] }>('POST', '/indexes/places/documents/fetch', {
        sort,
        limit,
        fields: ['id'],
      });
    const points = (count: number): string[] =>
      Array.from({ length: count }, (_, i) => `_geoPoint(${i / 2}, ${i}):asc`);
    const repeated = Array.from({ length: 10_000 }, (_, i) => `half:${i % 2 === 0 ? 'asc' : 'desc'}`);
    for (const limit of [900, 2_000]) {
      expect((await fetch(repeated, limit)).body).toEqual((await fetch(['half:asc'], limit)).body);
      expect((await fetch(points(100), limit)).body).toEqual((await fetch(points(3), limit)).body);
    }
    const get = await server.call('GET', `/indexes/places/documents?limit=5&sort=${repeated.slice(0, 500).join()}`);
    expect(get).toMatchObject({ status: 200, body: { results: [0, 2, 4, 6, 8].map((id) => ({ id })) } });
    expect(await fetch(points(101), 20)).toMatchObject({
      status: 400,
      body: { code: 'invalid_document_sort', message: expect.stringContaining('101 different entries') },
    });
  });

  it('tells processing times in whole milliseconds, rounded down', async () => {
    const { body } = await search({ q: 'fox' });
    expect(JSON.stringify(body)).toMatch(/"processingTimeMs":\d+[,}]/);
  });

  it('a ratio without an embedder is a wrong hybrid query', async () => {
    expect((await get('q=fox&hybridSemanticRatio=0.5')).body.code).toBe('invalid_search_hybrid_query');
  });

  it('00: GET similar takes the embedder `default`, whether or not there is one', async () => {
    const { body } = await server.call<Answer>('GET', '/indexes/books/similar?id=1');
    expect(body.code).toBe('invalid_similar_embedder');
    expect(body.message).toContain('`default`');
    expect((await server.call<Answer>('POST', '/indexes/books/similar', { id: 1 })).body.code).toBe('bad_request');
  });
});
