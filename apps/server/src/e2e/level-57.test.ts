/** What releases 1.54 to 1.57 of the reference brought (docs/reference/levels.md). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdUpQueue } from '../reliability/held-queue.test-support.js';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const folder = newDatabaseFolder();
let server: TestServer;
type Json = Readonly<Record<string, unknown>>;
const call = async (method: string, path: string, body?: unknown): Promise<Json> =>
  (await server.call<Json>(method, path, body)).body;

beforeAll(async () => {
  server = await startTestServer(folder, ['--experimental-allowed-ip-networks', '127.0.0.0/8']);
  await call('PATCH', '/experimental-features', { dynamicSearchRules: true });
  for (const uid of ['ships', 'ports']) {
    await call('PATCH', `/indexes/${uid}/settings`, { filterableAttributes: ['flag', 'year'] });
    const documents = Array.from({ length: 30 }, (_, id) => ({
      id,
      name: `anchor ${id}`,
      flag: `f${id % 7}`,
      year: id,
    }));
    await call('POST', `/indexes/${uid}/documents`, documents);
  }
  await server.allTasksDone();
});
afterAll(async () => {
  await server?.stop();
  removeFolder(folder);
});

describe('the target of rules', () => {
  const base = '/dynamic-search-rules';
  test('is what waiting tasks make of them', async () => {
    const pin = (id: string) => ({ actions: { pin: [{ id, position: 0 }] } });
    await call('PATCH', `${base}/kept`, { description: 'first', ...pin('1') });
    await call('PATCH', `${base}/gone`, pin('2'));
    await server.allTasksDone();
    const kept = await call('GET', `${base}/kept`);
    expect(await call('GET', `${base}/kept/target`)).toEqual({
      current: kept,
      target: kept,
      needsProcessing: false,
      taskUids: [],
    });
    const queue = await holdUpQueue(server);
    const task = async (method: string, path: string, body?: unknown) => (await call(method, path, body))['taskUid'];
    const uids = [
      await task('PATCH', `${base}/kept`, { description: 'second' }),
      await task('DELETE', `${base}/gone`),
      await task('PATCH', `${base}/made`, { precedence: 3, ...pin('3') }),
      await task('PATCH', `${base}/kept`, { active: false }),
    ];
    expect(await call('GET', `${base}/kept/target`)).toMatchObject({
      current: { description: 'first', active: true },
      target: { uid: 'kept', description: 'second', active: false, actions: pin('1').actions },
      needsProcessing: true,
      taskUids: [uids[0], uids[3]],
    });
    expect(await call('GET', `${base}/gone/target`)).toMatchObject({
      current: { uid: 'gone' },
      target: null,
      needsProcessing: true,
      taskUids: [uids[1]],
    });
    expect(await call('GET', `${base}/made/target`)).toMatchObject({ current: null, target: { precedence: 3 } });
    expect(await call('POST', base, { showTarget: true })).toMatchObject({
      results: [
        { uid: 'gone', needsProcessing: true },
        { uid: 'kept', needsProcessing: true },
      ],
      needsProcessing: true,
      taskUids: uids,
      totalRuleCount: 2,
      targetTotalRuleCount: 2,
    });
    const clear = await task('DELETE', base);
    const after = await task('PATCH', `${base}/last`, pin('4'));
    expect(await call('GET', `${base}/kept/target`)).toMatchObject({
      target: null,
      taskUids: [uids[0], uids[3], clear],
    });
    expect(await call('GET', `${base}/last/target`)).toMatchObject({ current: null, taskUids: [clear, after] });
    expect(await call('POST', base, { showTarget: true })).toMatchObject({ targetTotalRuleCount: 1 });
    queue.release();
    await server.allTasksDone();
    expect(await call('POST', base, { showTarget: true })).toMatchObject({
      results: [{ uid: 'last', needsProcessing: false }],
      needsProcessing: false,
      taskUids: [],
      totalRuleCount: 1,
      targetTotalRuleCount: 1,
    });
  });

  test.each([
    ['GET', `${base}/unknown/target`, undefined, 404, 'dynamic_search_rule_not_found'],
    ['GET', `${base}/a%20b/target`, undefined, 400, 'invalid_index_uid'],
    ['POST', base, { showTarget: 'yes' }, 400, 'invalid_dynamic_search_rule_show_target'],
    ['PUT', `${base}/last/target`, {}, 405, 'method_not_allowed'],
  ])('%s %s is refused', async (method, path, body, status, code) => {
    expect(await server.call(method, path, body)).toMatchObject({ status, body: { code } });
  });

  test('without `showTarget` a list has its four members', async () => {
    for (const body of [{}, { showTarget: false }])
      expect(Object.keys(await call('POST', base, body)).sort()).toEqual(['limit', 'offset', 'results', 'total']);
  });
});

test('the feature `mcpRoute` is on, and switches `/mcp` off and on', async () => {
  const ping = () => server.call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(await call('GET', '/experimental-features')).toMatchObject({ mcpRoute: true, metrics: false });
  expect((await ping()).status).toBe(200);
  expect(await call('PATCH', '/experimental-features', { mcpRoute: false })).toMatchObject({ mcpRoute: false });
  expect(await ping()).toMatchObject({ status: 400, body: { code: 'feature_not_enabled' } });
  await call('PATCH', '/experimental-features', { metrics: true });
  expect((await ping()).status).toBe(400);
  await call('PATCH', '/experimental-features', { mcpRoute: true, metrics: false });
  expect((await ping()).status).toBe(200);
});

test('times of facets are told apart', async () => {
  const { performanceDetails } = await call('POST', '/indexes/ships/search', {
    q: 'anchor',
    facets: ['flag', 'year'],
    showPerformanceDetails: true,
  });
  for (const stage of ['', ' > compute facet distribution', ' > compute facet stats'])
    expect(performanceDetails).toHaveProperty([`search > facet distribution${stage}`]);
});

test('each query of a federated search has its time', async () => {
  const { performanceDetails } = await call('POST', '/multi-search', {
    federation: { showPerformanceDetails: true, facetsByIndex: { ships: ['flag'] } },
    queries: [
      { indexUid: 'ships', q: 'anchor' },
      { indexUid: 'ports', q: 'ancor' },
      { indexUid: 'ships', q: '' },
    ],
  });
  const names = Object.keys(performanceDetails as object);
  for (const query of [0, 1, 2]) expect(names.filter((name) => name.endsWith(` > query ${query}`))).toHaveLength(1);
  expect(names.some((name) => name.endsWith('facet distribution > compute facet distribution'))).toBe(true);
});

test.each(['ships', 'ports'])('`sampledCount` orders facet values of %s by their counts', async (uid) => {
  await call('PATCH', `/indexes/${uid}/settings`, {
    faceting: { maxValuesPerFacet: 3, sortFacetValuesBy: { flag: 'sampledCount' } },
  });
  await server.allTasksDone();
  expect(await call('GET', `/indexes/${uid}/settings/faceting`)).toMatchObject({
    sortFacetValuesBy: { '*': 'alpha', flag: 'sampledCount' },
  });
  const { facetDistribution } = await call('POST', `/indexes/${uid}/search`, { facets: ['flag', 'year'] });
  const { flag, year } = facetDistribution as Readonly<Record<string, Readonly<Record<string, number>>>>;
  // 30 documents, 7 flags: the first two have five each
  expect(flag).toMatchObject({ f0: 5, f1: 5 });
  expect(Object.values(flag!)).toEqual([5, 5, 4]);
  expect(year).toEqual({ '0': 1, '1': 1, '10': 1 });
  const found = await call('POST', `/indexes/${uid}/facet-search`, { facetName: 'flag', facetQuery: 'f' });
  expect((found['facetHits'] as readonly Json[]).map(({ count }) => count)).toEqual([5, 5, 4]);
});

test('a federated search merges facets that are ordered by `count` and by `sampledCount`', async () => {
  await call('PATCH', '/indexes/ports/settings', { faceting: { sortFacetValuesBy: { flag: 'count' } } });
  await server.allTasksDone();
  const queries = ['ships', 'ports'].map((indexUid) => ({ indexUid, q: 'anchor' }));
  const federation = { mergeFacets: {}, facetsByIndex: { ships: ['flag'], ports: ['flag'] } };
  const { facetDistribution } = await call('POST', '/multi-search', { federation, queries });
  expect(facetDistribution).toMatchObject({ flag: { f0: 10, f6: 8 } });
});
