import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { afterEach, describe, expect, test } from 'vitest';

const REFERENCE_DUMP = fileURLToPath(new URL('../../../../../../../shared/dumps/reference-v6.dump', import.meta.url));
const MASTER_KEY = 'a-master-key-of-24-bytes';
const AUTH = { authorization: `Bearer ${MASTER_KEY}` };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
async function start(folder: string, options: readonly string[] = []): Promise<TestServer> {
  const always = ['--master-key', MASTER_KEY, '--dump-dir', join(folder, 'dumps')];
  const server = await startTestServer(join(folder, 'data.ms'), [...always, ...options]);
  cleanups.push(() => server.stop());
  return server;
}
async function get<T = unknown>(server: TestServer, path: string): Promise<T> {
  return (await server.call<T>('GET', path, undefined, AUTH)).body;
}
/** What has to be the same after a round trip. */
async function stateOf(server: TestServer): Promise<unknown> {
  const keys = await get(server, '/keys');
  const features = await get(server, '/experimental-features');
  const indexes = await get<{ results: { uid: string; createdAt: string; primaryKey: string }[] }>(server, '/indexes');
  const contents = [];
  for (const { uid, createdAt, primaryKey } of indexes.results) {
    const settings = await get(server, `/indexes/${uid}/settings`);
    const documents = await get(server, `/indexes/${uid}/documents?limit=100`);
    contents.push({ uid, createdAt, primaryKey, settings, documents });
  }
  return { keys, features, contents };
}

describe('dumps', () => {
  test('a dump brings an instance over, with its tasks', async () => {
    const [from, to] = [newFolder(), newFolder()];
    const server = await start(from);
    await server.call('POST', '/indexes/films/documents', '[{"id":9007199254740993,"t":"Sea"},{"id":2,"t":"Air"}]', {
      ...AUTH,
      'content-type': 'application/json',
    });
    await server.call('PATCH', '/indexes/films/settings', { filterableAttributes: ['t'], stopWords: ['of'] }, AUTH);
    await server.call('POST', '/indexes/films/documents/delete', { filter: 't = Air' }, AUTH);
    await server.call('POST', '/indexes', { uid: 'empty' }, AUTH);
    await server.allTasksDone();
    await server.call('POST', '/tasks/cancel?uids=0,1', undefined, AUTH);
    await server.call('PATCH', '/experimental-features', { containsFilter: true }, AUTH);
    await server.allTasksDone();
    const before = await get<{ results: { uid: number }[] }>(server, '/tasks');
    const { body } = await server.call<{ taskUid: number; type: string }>('POST', '/dumps', undefined, AUTH);
    expect(body).toMatchObject({ taskUid: 5, type: 'dumpCreation' });
    const [dumped] = await server.allTasksDone();
    expect(dumped).toMatchObject({ status: 'succeeded', details: { dumpUid: expect.stringMatching(/^\d{8}-\d{9}$/) } });
    const state = await stateOf(server);
    await server.stop();

    const file = join(from, 'dumps', `${String(dumped!.details!.dumpUid)}.dump`);
    const copy = await start(to, ['--import-dump', file]);
    expect(await stateOf(copy)).toEqual(state);
    const tasks = await get<{ results: { uid: number }[] }>(copy, '/tasks');
    expect(tasks.results.filter(({ uid }) => uid < 5)).toEqual(before.results);
    expect(tasks.results[0]).toMatchObject({
      uid: 5,
      type: 'dumpCreation',
      status: 'succeeded',
      details: dumped!.details,
    });
    const next = await copy.call<{ taskUid: number }>('POST', '/indexes', { uid: 'next' }, AUTH);
    expect(next.body.taskUid).toBe(6);
    await copy.allTasksDone();
    await copy.stop();

    await expect(start(to, ['--import-dump', file])).rejects.toThrow('there is a database');
    const again = await start(to, ['--import-dump', file, '--ignore-dump-if-db-exists']);
    expect((await get<{ total: number }>(again, '/indexes')).total).toBe(3);
  });

  test('features, the network, search rules and vectors come along', async () => {
    const [from, to] = [newFolder(), newFolder()];
    const open = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
    const server = await start(from, open);
    const features = { dynamicSearchRules: true, network: true, chatCompletions: true };
    await server.call('PATCH', '/experimental-features', features, AUTH);
    const remotes = { other: { url: 'http://example.com', searchApiKey: 'abc' } };
    await server.call('PATCH', '/network', { self: 'me', remotes }, AUTH);
    const actions = [{ selector: { indexUid: 'a', id: '1' }, action: { type: 'pin', position: 0 } }];
    const rule = { description: 'd', precedence: 3, conditions: { query: { words: 'red shoes' } }, actions };
    await server.call('PATCH', '/dynamic-search-rules/promo', rule, AUTH);
    await server.call('PATCH', '/dynamic-search-rules/bare', {}, AUTH);
    const embedders = { own: { source: 'userProvided', dimensions: 2 } };
    await server.call('PATCH', '/indexes/a/settings', { embedders }, AUTH);
    await server.call('POST', '/indexes/a/documents', [{ id: 1, _vectors: { own: [1, 0.5] } }], AUTH);
    await server.allTasksDone();
    await server.call('POST', '/dumps', undefined, AUTH);
    const [dumped] = await server.allTasksDone();
    const views = async (instance: TestServer) => ({
      features: await get(instance, '/experimental-features'),
      network: await get(instance, '/network'),
      rules: (await instance.call('POST', '/dynamic-search-rules', {}, AUTH)).body,
      documents: await get(instance, '/indexes/a/documents?retrieveVectors=true'),
      stats: (await get<Record<string, unknown>>(instance, '/indexes/a/stats')).numberOfEmbeddings,
    });
    const state = await views(server);
    expect(state.rules).toMatchObject({ total: 2 });
    expect(state.stats).toBe(1);
    const file = join(from, 'dumps', `${String(dumped!.details!.dumpUid)}.dump`);
    const copy = await start(to, ['--import-dump', file, ...open]);
    expect(await views(copy)).toEqual(state);
  });

  test('a missing dump is refused unless that is asked for, and a broken one leaves nothing', async () => {
    const folder = newFolder();
    await expect(start(folder, ['--import-dump', join(folder, 'none.dump')])).rejects.toThrow('does not exist');
    await expect(start(folder, ['--ignore-missing-dump'])).rejects.toThrow('needs --import-dump');
    await expect(start(folder, ['--import-dump', import.meta.filename])).rejects.toThrow(
      'cannot be imported: it is damaged, or no dump (',
    );
    expect(existsSync(join(folder, 'data.ms'))).toBe(false);
    await start(folder, ['--import-dump', join(folder, 'none.dump'), '--ignore-missing-dump']);
  });

  if (!existsSync(REFERENCE_DUMP)) console.warn(`skipped, for there is no ${REFERENCE_DUMP}`);
  test.skipIf(!existsSync(REFERENCE_DUMP))("the reference engine's dump comes over whole", async () => {
    const server = await start(newFolder(), ['--import-dump', REFERENCE_DUMP]);
    const stats = await get<{ indexes: Record<string, { numberOfDocuments: number }> }>(server, '/stats');
    expect(Object.entries(stats.indexes).map(([uid, { numberOfDocuments }]) => [uid, numberOfDocuments])).toEqual([
      ['books', 0],
      ['cities', 300],
      ['movies', 802],
    ]);
    expect(await get(server, '/indexes/movies')).toMatchObject({
      primaryKey: 'id',
      createdAt: '2026-11-21T07:51:59.444665213Z',
    });
    expect(await get(server, '/indexes/movies/settings')).toMatchObject({
      searchableAttributes: ['title', 'overview', 'cast', 'genres'],
      sortableAttributes: ['title', 'year'],
    });
    expect(await get(server, '/keys/6062abda-a5aa-4414-ac91-ecd7944c0f8d')).toMatchObject({
      key: '506c7ff824c61dc2ee0268d30e481186df64391a4867996bb7a83a3647588fa0',
      indexes: ['mov*'],
    });
    expect(await get(server, '/experimental-features')).toMatchObject({ metrics: true, chatCompletions: true });
    const { results } = await get<{ results: object[] }>(server, '/tasks');
    expect(results).toHaveLength(8);
    expect(results[7]).toMatchObject({ uid: 0, type: 'settingsUpdate', status: 'succeeded', indexUid: 'movies' });
    expect(results[1]).toMatchObject({
      uid: 6,
      error: { code: 'index_primary_key_no_candidate_found' },
      details: { receivedDocuments: 1, indexedDocuments: 0 },
      enqueuedAt: '2026-11-21T07:51:59.721866Z',
    });
    expect((await get<{ total: number }>(server, '/batches')).total).toBe(7);
    const found = await server.call<{ hits: object[] }>('POST', '/indexes/movies/search', { q: 'vector one' }, AUTH);
    expect(found.body.hits[0]).toMatchObject({ id: 900001 });
  });
});
