import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer, type WireTask } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

describe('settings', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  const films = '/indexes/films';

  beforeAll(async () => {
    server = await startTestServer(folder);
    await done('PATCH', `${films}/settings`, { embedders: { own: { source: 'userProvided', dimensions: 2 } } });
    await done('POST', `${films}/documents`, [
      { id: 1, genre: 'Horror', '*': 'star', _geo: { lat: 1, lng: 2 }, _vectors: { own: [1, 2], free: [3, 4] } },
      { id: 2, genre: 'Comedy', _vectors: { own: null } },
    ]);
  });
  afterAll(async () => {
    await server?.stop();
    removeFolder(folder);
  });

  async function done(method: string, path: string, body?: unknown): Promise<WireTask> {
    const summary = await server.call<{ taskUid: number }>(method, path, body);
    const tasks = await server.allTasksDone();
    return tasks.find(({ uid }) => uid === summary.body.taskUid)!;
  }
  async function facets(filterableAttributes: unknown): Promise<unknown> {
    await done('PUT', `${films}/settings/filterable-attributes`, filterableAttributes);
    const { body } = await server.call<Record<string, unknown>>('POST', `${films}/search`, { facets: ['*'] });
    return body['facetDistribution'];
  }
  const text = async (path: string): Promise<string> => (await fetch(`${server.url}${path}`)).text();

  it.each([
    'searchable',
    'displayed',
  ])('%s attributes that are reset are `*` in the details of the task', async (which) => {
    const task = await done('DELETE', `${films}/settings/${which}-attributes`);
    expect(task).toMatchObject({ status: 'succeeded', details: { [`${which}Attributes`]: ['*'] } });
    expect((await done('DELETE', `${films}/settings/stop-words`)).details).toEqual({ stopWords: null });
  });

  it('a reset of all settings includes those that only this server has, and does not list them', async () => {
    const set = { expiryAttribute: 'until', elementAttributes: ['sizes'], substringAttributes: ['sku'] };
    await server.call('PATCH', '/indexes/offers/settings', set);
    const all = await done('DELETE', '/indexes/offers/settings');
    expect(all.details).toMatchObject({ stopWords: null, searchableAttributes: ['*'] });
    const own = ['expiryAttribute', 'elementAttributes', 'hierarchicalFacets', 'substringAttributes'];
    expect(Object.keys(all.details ?? {}).filter((name) => own.includes(name))).toEqual([]);
    const settings = await server.call<object>('GET', '/indexes/offers/settings');
    expect(Object.keys(settings.body).filter((name) => own.includes(name))).toEqual([]);
    // the request names it
    expect((await done('DELETE', '/indexes/offers/settings/expiry-attribute')).details).toEqual({
      expiryAttribute: null,
    });
  });

  it('parts of words have a setting with a route, shown where it is set, and CONTAINS answers as without it', async () => {
    const path = '/indexes/skus/settings/substring-attributes';
    const contains = { filter: 'sku CONTAINS "b-1"', attributesToRetrieve: ['id'] };
    const idsOf = async (body: object): Promise<unknown> =>
      (await server.call<{ hits?: object[] }>('POST', '/indexes/skus/search', body)).body.hits;
    await server.call('PATCH', '/experimental-features', { containsFilter: true });
    await server.call('PATCH', '/indexes/skus/settings', { filterableAttributes: ['sku'] });
    await done('POST', '/indexes/skus/documents', [
      { id: 1, sku: 'AB-12/red' },
      { id: 2, sku: 'CB-13' },
    ]);
    expect(await idsOf(contains)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await idsOf({ q: 'cred' })).toEqual([]);
    expect((await done('PUT', path, ['sku'])).details).toEqual({ substringAttributes: ['sku'] });
    expect((await server.call('GET', path)).body).toEqual(['sku']);
    expect((await server.call('GET', '/indexes/skus/settings')).body).toHaveProperty('substringAttributes', ['sku']);
    expect(await idsOf(contains)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await server.call('PUT', path, { sku: true })).toMatchObject({
      status: 400,
      body: { code: 'invalid_settings_substring_attributes' },
    });
    await done('DELETE', path);
    expect((await server.call('GET', '/indexes/skus/settings')).body).not.toHaveProperty('substringAttributes');
    expect(await idsOf(contains)).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('a filterable attribute `*` is the attribute of that name', async () => {
    expect(await facets(['*'])).toEqual({ '*': { star: 1 } });
    const filtered = await server.call('POST', `${films}/search`, { filter: 'genre = Horror' });
    expect(filtered).toMatchObject({ status: 400, body: { code: 'invalid_search_filter' } });
    const named = await server.call('POST', `${films}/search`, { filter: '"*" = star' });
    expect(named).toMatchObject({ status: 200, body: { estimatedTotalHits: 1 } });
  });

  it('a pattern `*` does not take in reserved fields', async () => {
    const pattern = { attributePatterns: ['*'] };
    expect(await facets([pattern])).toEqual({ '*': { star: 1 }, genre: { Comedy: 1, Horror: 1 }, id: { 1: 1, 2: 1 } });
    const inRadius = () => server.call('POST', `${films}/search`, { filter: '_geoRadius(1, 2, 10)' });
    expect(await inRadius()).toMatchObject({ status: 400, body: { code: 'invalid_search_filter' } });
    await facets([pattern, '_geo']);
    expect(await inRadius()).toMatchObject({ status: 200, body: { estimatedTotalHits: 1 } });
  });

  it('the distribution of an embedder prints whole numbers as floats', async () => {
    const distribution = { mean: 1, sigma: 0.5 };
    const own = { source: 'userProvided', dimensions: 2, distribution };
    const { uid } = await done('PATCH', `${films}/settings/embedders`, { own });
    const shown = '"distribution":{"mean":1.0,"sigma":0.5}';
    expect(await text(`${films}/settings/embedders`)).toContain(shown);
    expect(await text(`${films}/settings`)).toContain(shown);
    expect(await text(`/tasks/${uid}`)).toContain(shown);
    expect(await text('/batches?limit=1')).toContain(shown);
  });

  it('vectors of documents print whole numbers as floats', async () => {
    const shown = '"_vectors":{"free":[3,4],"own":{"embeddings":[[1.0,2.0]],"regenerate":false}}';
    expect(await text(`${films}/documents/1?retrieveVectors=true`)).toContain(shown);
    expect(await text(`${films}/documents?retrieveVectors=true`)).toContain(shown);
    expect(await text(`${films}/search?retrieveVectors=true&showRankingScore=true`)).toContain(shown);
    const similar = await text(`${films}/similar?id=1&embedder=own&retrieveVectors=true`);
    expect(JSON.parse(similar)).toMatchObject({ hits: [] });
  });

  it('the end of a key is returned as it was sent', async () => {
    const key = { actions: ['search'], indexes: ['*'], expiresAt: '2930-06-04T21:08:12.000032Z' };
    const secured = await startTestServer(`${folder}-keys`, ['--master-key', 'a master key of the tests']);
    try {
      const headers = { authorization: 'Bearer a master key of the tests' };
      const made = await secured.call<{ uid: string }>('POST', '/keys', key, headers);
      expect(made).toMatchObject({ status: 201, body: { expiresAt: key.expiresAt } });
      const read = await secured.call('GET', `/keys/${made.body.uid}`, undefined, headers);
      expect(read.body).toMatchObject({ expiresAt: key.expiresAt });
    } finally {
      await secured.stop();
      removeFolder(`${folder}-keys`);
    }
  });
});
