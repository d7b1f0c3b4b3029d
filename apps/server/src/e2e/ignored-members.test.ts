import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COPIES, copyFolders } from './dumping-server.test-support.js';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const MASTER = { authorization: 'Bearer a master key of the tests' };
type Route = readonly [method: string, path: string, body?: object | undefined, status?: number];
/** Routes that take no query parameters: as in the reference engine, they ignore what a client adds to their address. */
const WITHOUT_QUERY: readonly Route[] = [
  ['POST', '/indexes/films/search', { q: 'alien' }],
  ['POST', '/multi-search', { queries: [{ indexUid: 'films', q: 'alien' }] }],
  ['POST', '/indexes/films/facet-search', { facetName: 'genre', facetQuery: 'h' }],
  ['POST', '/indexes/films/similar', { id: 1, embedder: 'own' }],
  ['POST', '/indexes/films/documents/fetch', { limit: 1 }],
  ['POST', '/indexes', { uid: 'other' }, 202],
  ['PATCH', '/indexes/other', { primaryKey: 'id' }, 202],
  ['POST', '/swap-indexes', [{ indexes: ['films', 'films2'] }], 202],
  ['POST', '/keys', { actions: ['search'], indexes: ['*'], expiresAt: null }, 201],
  ...COPIES.map((path) => ['POST', path, undefined, 202] as const),
  ['GET', '/indexes/films/settings'],
  ['PATCH', '/indexes/films/settings', { stopWords: ['the'] }, 202],
  ['GET', '/indexes/films/settings/synonyms'],
  ['PUT', '/indexes/films/settings/synonyms', { film: ['movie'] }, 202],
  ['GET', '/experimental-features'],
  ['PATCH', '/experimental-features', { metrics: true }],
  ['GET', '/keys/none', undefined, 404],
  ['GET', '/tasks/0'],
  ['GET', '/batches/0'],
  ['GET', '/network', undefined, 400],
];
const named = ([method, path, body, status = 200]: Route) => ({ method, path, body, status });
const WITH_QUERY = ['/indexes/films/search', '/indexes/films/documents', '/indexes', '/keys', '/tasks', '/stats'];

describe('members and parameters that a route does not know', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  const send = (method: string, path: string, body?: unknown) =>
    server.call<Record<string, unknown>>(method, path, body, MASTER);

  beforeAll(async () => {
    server = await startTestServer(`${folder}/data`, [
      ...['--master-key', 'a master key of the tests', ...copyFolders(folder)],
    ]);
    await send('PATCH', '/indexes/films/settings', {
      filterableAttributes: ['genre'],
      embedders: { own: { source: 'userProvided', dimensions: 2 } },
    });
    for (const uid of ['films', 'films2'])
      await send('POST', `/indexes/${uid}/documents`, [
        { id: 1, title: 'Alien', genre: 'Horror', _vectors: { own: [1, 2] } },
      ]);
    await server.allTasksDone();
  });
  afterAll(async () => {
    await server?.stop();
    removeFolder(folder);
  });

  it.each(WITHOUT_QUERY.map(named))('$method $path ignores query parameters', async ({
    method,
    path,
    body,
    status,
  }) => {
    const plain = await send(method, path, body);
    const answer = await send(method, `${path}?pretty=true&unknown`, body);
    expect([answer.status, answer.body['code']]).toEqual([plain.status, plain.body['code']]);
    expect(answer.status).toBe(status);
  });

  it.each(WITH_QUERY)('GET %s refuses parameters that it does not know', async (path) => {
    const { status, body } = await send('GET', `${path}?pretty=true`);
    expect([status, body['code']]).toEqual([400, 'bad_request']);
  });

  it('facet search ignores the other members of a search, even invalid ones', async () => {
    // between the two swaps of the tests above `films` is another index
    await server.allTasksDone();
    const body = { facetName: 'genre', facetQuery: 'h', limit: 'many', sort: 5, unknown: { at: 'all' } };
    const answer = await send('POST', '/indexes/films/facet-search', body);
    expect(answer.body).toMatchObject({ facetHits: [{ value: 'Horror', count: 1 }] });
    const refused = await send('POST', '/indexes/films/facet-search', { ...body, filter: 5 });
    expect(refused.body['code']).toBe('invalid_search_filter');
  });
});
