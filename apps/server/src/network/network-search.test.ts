import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

const OPEN_NETWORK = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
const MASTER_KEY = 'a-master-key-of-the-remote';

interface Hit {
  readonly id: number;
  readonly _federation: Readonly<Record<string, unknown>>;
}
interface Answer {
  readonly hits: readonly Hit[];
  readonly estimatedTotalHits: number;
  readonly remoteErrors: Readonly<Record<string, { readonly code: string }>>;
  readonly facetDistribution: unknown;
  readonly facetsByIndex: unknown;
  readonly metadata: unknown;
  readonly code: string;
}
const cleanups: (() => unknown)[] = [];
let [near, far]: TestServer[] = [];
/** Of the far server: it may search there. */
let searchApiKey = '';
/** A remote that answers whatever `broken` says. */
let broken: (status: (code: number) => void) => string = () => '';

async function start(options: readonly string[]): Promise<TestServer> {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const server = await startTestServer(folder, options);
  cleanups.push(() => server.stop());
  return server;
}
async function fill(server: TestServer, firstId: number, headers: Record<string, string> = {}): Promise<void> {
  await server.call('PATCH', '/experimental-features', { network: true, dynamicSearchRules: true }, headers);
  const settings = { filterableAttributes: ['sku', 'owner'], sortableAttributes: ['price'] };
  await server.call('PATCH', '/indexes/goods/settings', settings, headers);
  const documents = ['red fox', 'red hen', 'blue fox'].map((name, i) => {
    return { id: firstId + i, name, sku: name.toUpperCase(), owner: i === 0 ? 'me' : 'you', price: firstId + 2 * i };
  });
  await server.call('POST', '/indexes/goods/documents', documents, headers);
}
async function listening(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const text = broken((code) => {
        response.statusCode = code;
      });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return server;
}
const ask = async (queries: readonly object[], federation: object = {}, headers = {}): Promise<Answer> =>
  (await near!.call<Answer>('POST', '/multi-search', { queries, federation }, headers)).body;
const goods = (more: object = {}, remote?: string, weight = 1): object => ({
  indexUid: 'goods',
  ...more,
  federationOptions: { weight, ...(remote === undefined ? {} : { remote }) },
});
const idsOf = ({ hits }: Answer): number[] => hits.map(({ id }) => id);

describe('search over a network', () => {
  beforeAll(async () => {
    const authorization = { authorization: `Bearer ${MASTER_KEY}` };
    [near, far] = await Promise.all([start(OPEN_NETWORK), start(['--master-key', MASTER_KEY])]);
    const brokenUrl = `http://127.0.0.1:${((await listening()).address() as AddressInfo).port}`;
    await Promise.all([fill(near, 1), fill(far, 11, authorization)]);
    const { body } = await far.call<{ results: { key: string }[] }>('GET', '/keys', undefined, authorization);
    searchApiKey = body.results.find((key) => JSON.stringify(key).includes('"search"'))!.key;
    await near.call('PATCH', '/network', {
      self: 'near',
      remotes: {
        near: { url: near.url },
        far: { url: far.url, searchApiKey },
        wrongKey: { url: far.url, searchApiKey: 'no-key' },
        broken: { url: brokenUrl },
        closed: { url: 'http://10.255.255.1:9' },
      },
    });
    await near.allTasksDone();
    await vi.waitFor(
      async () => {
        const documents = await far!.call('GET', '/indexes/goods/documents', undefined, authorization);
        expect(documents.body).toMatchObject({ total: 3 });
      },
      { timeout: 30_000 },
    );
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  test('merges the hits of both instances by score and tells where each was found', async () => {
    const answer = await ask([goods({ q: 'fox' }), goods({ q: 'red' }, 'far', 2), goods({ q: 'hen' }, 'near')], {
      limit: 4,
    });
    expect(idsOf(answer)).toEqual([11, 12, 1, 3]);
    expect(answer.hits[0]?._federation).toEqual({
      indexUid: 'goods',
      queriesPosition: 1,
      weightedRankingScore: expect.any(Number),
      remote: 'far',
    });
    expect(answer.hits[2]?._federation).toMatchObject({ queriesPosition: 0, remote: 'near' });
    expect(answer.estimatedTotalHits).toBe(5);
    expect(answer.remoteErrors).toEqual({});
  });

  test('interleaves sorted lists, counts facets together and cuts the page out of all', async () => {
    const sort = ['price:desc'];
    const facetsByIndex = { goods: ['owner'] };
    const answer = await ask([goods({ sort }), goods({ sort }, 'far')], { offset: 2, limit: 2, facetsByIndex });
    expect(idsOf(answer)).toEqual([11, 3]);
    expect(answer.facetsByIndex).toEqual({ goods: { distribution: { owner: { me: 2, you: 4 } }, stats: {} } });
  });

  test('keeps one hit of a distinct value, although the remote does not show the field', async () => {
    const queries = [goods({}), goods({ attributesToRetrieve: ['id'] }, 'far')];
    const answer = await ask(queries, { distinct: 'sku', facetsByIndex: { goods: ['owner'] }, mergeFacets: {} });
    expect(idsOf(answer)).toEqual([1, 2, 3]);
    expect(answer.estimatedTotalHits).toBe(3);
    expect(answer.facetDistribution).toEqual({ owner: { me: 1, you: 2 } });
  });

  test('asks every instance with `useNetwork`, also in a single search and a facet search', async () => {
    const single = await near!.call<Answer>(
      'POST',
      '/indexes/goods/search',
      { q: 'hen', useNetwork: true, facets: ['owner'] },
      { 'meili-include-metadata': 'true' },
    );
    expect(idsOf(single.body)).toEqual([2, 12]);
    expect(single.body.facetDistribution).toEqual({ owner: { you: 2 } });
    expect(single.body.metadata).toMatchObject({ query: 'hen', indexUid: 'goods', primaryKey: 'id', remote: 'near' });
    expect(Object.keys(single.body.remoteErrors).sort()).toEqual(['broken', 'closed', 'wrongKey']);
    const facets = await near!.call<{ facetHits: unknown }>('POST', '/indexes/goods/facet-search', {
      facetName: 'owner',
      facetQuery: 'y',
      useNetwork: true,
    });
    expect(facets.body.facetHits).toEqual([{ value: 'you', count: 4 }]);
  });

  test.each([
    ['wrongKey', '', 200, 'remote_invalid_api_key'],
    ['closed', '', 200, 'proxy_could_not_send_request'],
    ['broken', '{"code":"x"}', 400, 'remote_bad_request'],
    ['broken', 'gone', 500, 'remote_remote_error'],
    ['broken', '<html>', 200, 'remote_bad_response'],
    ['broken', '{"results":[]}', 200, 'remote_bad_response'],
    ['broken', '{"hits":[{"id":1}],"estimatedTotalHits":1}', 200, 'remote_bad_response'],
  ])('leaves out what %s failed to give: %s with %i is %s', async (remote, text, status, code) => {
    let callCount = 0;
    broken = (setStatus) => {
      callCount += 1;
      setStatus(status);
      return text;
    };
    const answer = await ask([goods({ q: 'hen' }), goods({ q: 'hen' }, remote)]);
    expect(idsOf(answer)).toEqual([2]);
    expect(answer.remoteErrors[remote]?.code).toBe(code);
    if (remote === 'broken') expect(callCount).toBe(status === 500 || text === '<html>' ? 4 : 1);
  });

  test.each([
    ['not among the remotes', { remotes: { near: null } }],
    ['without a name', { self: null }],
  ])('adds its own hits and facets while it is %s', async (_, change) => {
    await near!.call('PATCH', '/network', change);
    const search = { q: 'hen', useNetwork: true };
    const single = await near!.call<Answer>('POST', '/indexes/goods/search', search);
    const facetSearch = { facetName: 'owner', facetQuery: 'y', useNetwork: true };
    const facets = await near!.call('POST', '/indexes/goods/facet-search', facetSearch);
    await near!.call('PATCH', '/network', { self: 'near', remotes: { near: { url: near!.url } } });
    expect(idsOf(single.body)).toContain(2);
    expect(idsOf(single.body)).toContain(12);
    expect(facets.body).toMatchObject({ facetHits: [{ value: 'you', count: expect.any(Number) }] });
  });

  test('places what rules of each instance pin', async () => {
    const authorization = { authorization: `Bearer ${MASTER_KEY}` };
    const pin = (id: string, position: number) => ({
      conditions: { query: { words: 'pinned' } },
      actions: [{ selector: { id }, action: { type: 'pin', position } }],
    });
    await near!.call('PATCH', '/dynamic-search-rules/own', pin('3', 1));
    await far!.call('PATCH', '/dynamic-search-rules/own', pin('12', 0), authorization);
    await near!.allTasksDone();
    const queries = [goods({ q: 'fox pinned' }), goods({ q: 'red pinned' }, 'far')];
    await expect
      .poll(async () => idsOf(await ask(queries, { limit: 3 })), { timeout: 30_000 })
      .toEqual([12, 3, expect.any(Number)]);
  });

  test('shows values of hidden attributes to members of the network alone', async () => {
    const authorization = { authorization: `Bearer ${MASTER_KEY}` };
    const settings = {
      displayedAttributes: ['id'],
      sortableAttributes: ['price', 'id'],
      filterableAttributes: ['sku'],
    };
    for (const [server, headers, id] of [[near!, {}, 1] as const, [far!, authorization, 2] as const]) {
      await server.call('PATCH', '/indexes/hiding/settings', settings, headers);
      await server.call('POST', '/indexes/hiding/documents', [{ id, price: 7_000 * id + 1, sku: 'A' }], headers);
    }
    await Promise.all([near!.allTasksDone(), far!.allTasksDone()]);
    const hiding = (more: object, remote?: string) => ({
      indexUid: 'hiding',
      ...more,
      ...(remote === undefined ? {} : { federationOptions: { remote } }),
    });
    const answered = async (key: string, query: object, federation: object = {}): Promise<string> => {
      const headers = { 'meili-proxy-search': 'true', authorization: `Bearer ${key}` };
      const { body } = await far!.call('POST', '/multi-search', { queries: [hiding(query)], federation }, headers);
      return JSON.stringify(body);
    };
    const byPrice = { sort: ['price:desc'] };
    // as it was, it told the price and the sku to everybody with a search key
    expect(await answered(searchApiKey, byPrice)).not.toContain('14001');
    expect(await answered(searchApiKey, {}, { distinct: 'sku' })).not.toContain('"A"');
    expect(await answered(searchApiKey, { sort: ['id:asc'] })).toContain('"weightedScoreValues":[{"sort":');
    expect(await answered(MASTER_KEY, byPrice)).toContain('"value":14001');
    const queries = [hiding(byPrice), hiding(byPrice, 'far')];
    const lacking = await ask(queries);
    expect(lacking.remoteErrors.far?.code).toBe('remote_bad_response');
    expect(idsOf(lacking)).toEqual([1]);
    await far!.call(
      'PATCH',
      '/network',
      { self: 'far', remotes: { far: { url: far!.url, searchApiKey } } },
      authorization,
    );
    expect(await answered(searchApiKey, byPrice)).toContain('"value":14001');
    expect(idsOf(await ask(queries))).toEqual([2, 1]);
    expect(idsOf(await ask(queries, { distinct: 'sku' }))).toEqual([2]);
    const others = { actions: ['search'], indexes: ['*'], expiresAt: null };
    const { body } = await far!.call<{ key: string }>('POST', '/keys', others, authorization);
    expect(await answered(body.key, byPrice)).not.toContain('14001');
  });

  test('lists documents of all instances, sorted as one, and finds one wherever it is', async () => {
    const authorization = { authorization: `Bearer ${MASTER_KEY}` };
    const list = async (query: object): Promise<{ ids: number[]; total: number; errors: Record<string, unknown> }> => {
      const body = { fields: ['id'], useNetwork: true, ...query };
      const answer = await near!.call<{ results: Hit[]; total: number; remoteErrors: Record<string, unknown> }>(
        'POST',
        '/indexes/goods/documents/fetch',
        body,
      );
      const { results, total, remoteErrors } = answer.body;
      for (const each of results) expect(Object.keys(each)).toEqual(['id']);
      return { ids: results.map(({ id }) => id), total, errors: remoteErrors };
    };
    // a key that may search may not read documents
    const refused = await list({});
    expect(refused).toMatchObject({ ids: [1, 2, 3], total: 3, errors: { far: { code: 'remote_invalid_api_key' } } });
    const reading = { actions: ['search', 'documents.get'], indexes: ['*'], expiresAt: null };
    const { body } = await far!.call<{ key: string }>('POST', '/keys', reading, authorization);
    await near!.call('PATCH', '/network', { remotes: { far: { searchApiKey: body.key } } });
    expect(await list({})).toMatchObject({ ids: [1, 2, 3, 11, 12, 13], total: 6 });
    expect((await list({ offset: 2, limit: 2 })).ids).toEqual([3, 11]);
    expect((await list({ offset: 4, limit: 9 })).ids).toEqual([12, 13]);
    expect((await list({ sort: ['price:desc'] })).ids).toEqual([13, 12, 11, 3, 2, 1]);
    expect((await list({ sort: ['price:desc'], offset: 2, limit: 2 })).ids).toEqual([11, 3]);
    expect(await list({ filter: 'owner = me' })).toMatchObject({ ids: [1, 11], total: 2 });
    expect((await list({})).errors).toMatchObject({ closed: { code: 'proxy_could_not_send_request' } });
    const found = await near!.call<{ results: Hit[] }>('GET', '/indexes/goods/documents?useNetwork=true&ids=2,12');
    expect(found.body.results.map(({ id }) => id)).toEqual([2, 12]);
    const one = (id: number) => near!.call('GET', `/indexes/goods/documents/${id}?useNetwork=true&fields=name`);
    expect((await one(1)).body).toEqual({ name: 'red fox' });
    expect((await one(12)).body).toEqual({ name: 'red hen' });
    // while remotes fail nobody knows that there is none
    expect(await one(99)).toMatchObject({
      status: expect.any(Number),
      body: { code: expect.stringMatching(/^(remote|proxy)_/) },
    });
    await near!.call('PATCH', '/network', { remotes: { broken: null, closed: null, wrongKey: null } });
    expect(await one(99)).toMatchObject({ status: 404, body: { code: 'document_not_found' } });
    expect((await near!.call('GET', '/indexes/goods/documents/12')).status).toBe(404);
  });

  test.each([
    ['invalid_multi_search_remote', goods({}, 'nobody')],
    ['invalid_multi_search_federation_options', goods({ useNetwork: true }, 'far')],
    ['invalid_search_filter', goods({ filter: 'sku =' }, 'far')],
  ])('refuses with %s before anything is asked', async (code, query) => {
    expect((await ask([query])).code).toBe(code);
  });
});
