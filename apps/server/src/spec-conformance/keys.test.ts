import { createHmac } from 'node:crypto';
import { expect, onTestFinished, vi } from 'vitest';
import { COPIES, HAS_COPIES } from '../e2e/dumping-server.test-support.js';
import { DATE_TIME, type Loose, MASTER_KEY, part, walked } from './walk.test-support.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const walk = walked(async (w) => {
  await w.done('POST', '/indexes/films/documents', [{ id: 1, title: 'Sea' }]);
  await w.done('POST', '/indexes/films_old/documents', [{ id: 1, title: 'Sea' }]);
  await w.done('POST', '/indexes/books/documents', [{ id: 1, title: 'Sea' }]);
});
const newKey = async (actions: readonly string[], indexes: readonly string[] = ['*'], more: object = {}) =>
  (await walk.call('POST', '/keys', { actions, indexes, expiresAt: null, ...more })).body;
/** Status of a request with a key. */
const status = async (key: string | null, method: string, path: string, body?: unknown): Promise<number> =>
  (await walk.call(method, path, body, key)).status;

const fields = part('API key');
fields('name and description are null by default', async () => {
  expect(await newKey(['search'])).toMatchObject({ name: null, description: null });
});
fields('what no key needs so much of is refused', async () => {
  const refused = async (change: object) =>
    (await walk.call('POST', '/keys', { actions: ['search'], indexes: ['*'], expiresAt: null, ...change })).body.code;
  const long = 'a'.repeat(65_537);
  expect(await refused({ name: long })).toBe('invalid_api_key_name');
  expect(await refused({ description: long })).toBe('invalid_api_key_description');
  expect(await refused({ actions: Array.from({ length: 10_001 }, () => 'search') })).toBe('invalid_api_key_actions');
  expect(await refused({ indexes: Array.from({ length: 10_001 }, (_, at) => `i${at}*`) })).toBe(
    'invalid_api_key_indexes',
  );
  const { uid } = await newKey(['search'], ['*'], { name: long.slice(1) });
  expect((await walk.call('PATCH', `/keys/${uid}`, { description: long })).body.code).toBe(
    'invalid_api_key_description',
  );
});
fields('uid is a UUID v4, generated when not supplied', async () => {
  expect((await newKey(['search'])).uid).toMatch(UUID_V4);
  const uid = '6062abda-a5aa-4414-ac91-ecd7944c0f8d';
  expect((await newKey(['search'], ['*'], { uid })).uid).toBe(uid);
});
fields('key is alphanumeric, made from uid and master key, and serves as a path value', async () => {
  const { uid, key } = await newKey(['search']);
  expect(key).toMatch(/^[a-z0-9]+$/i);
  expect(key).toBe(createHmac('sha256', MASTER_KEY).update(uid).digest('hex'));
  for (const name of [uid, key]) expect((await walk.call('GET', `/keys/${name}`)).body.uid).toBe(uid);
});
fields('actions ["*"] means all actions', async () => {
  const { key } = await newKey(['*']);
  for (const path of ['/indexes', '/tasks', '/stats', '/keys', '/version', '/batches', '/network'])
    expect([path, await status(key, 'GET', path)]).not.toEqual([path, 403]);
});
fields('indexes ["*"] means all, and a trailing * is a wildcard on the prefix', async () => {
  const { key } = await newKey(['search'], ['films*']);
  expect(await status(key, 'POST', '/indexes/films/search', {})).toBe(200);
  expect(await status(key, 'POST', '/indexes/films_old/search', {})).toBe(200);
  expect(await status(key, 'POST', '/indexes/books/search', {})).toBe(403);
  const all = await newKey(['search'], ['*']);
  expect(await status(all.key, 'POST', '/indexes/books/search', {})).toBe(200);
});
fields('expiresAt is an RFC 3339 date-time, null never expires', async () => {
  expect((await newKey(['search'])).expiresAt).toBeNull();
  expect((await newKey(['search'], ['*'], { expiresAt: '2099-01-02T03:04:05Z' })).expiresAt).toMatch(DATE_TIME);
});
fields('createdAt and updatedAt are RFC 3339 date-times', async () => {
  const { createdAt, updatedAt } = await newKey(['search']);
  expect([createdAt, updatedAt]).toEqual([expect.stringMatching(DATE_TIME), expect.stringMatching(DATE_TIME)]);
});

const rules = part('API key rules');
rules('1, actions apply only to the authorized indexes', async () => {
  const { key } = await newKey(['documents.get'], ['books']);
  expect(await status(key, 'GET', '/indexes/books/documents')).toBe(200);
  expect(await status(key, 'GET', '/indexes/films/documents')).toBe(403);
});
rules('2, * is a wildcard for the families', async () => {
  const uses: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    'documents.*': [['GET', '/indexes/books/documents']],
    'indexes.*': [['GET', '/indexes/books']],
    'tasks.*': [['GET', '/tasks']],
    'settings.*': [['GET', '/indexes/books/settings']],
    'stats.*': [['GET', '/indexes/books/stats']],
    ...(HAS_COPIES ? { 'dumps.*': [['POST', '/dumps']] } : {}),
  };
  for (const [action, requests] of Object.entries(uses)) {
    const { key } = await newKey([action]);
    for (const [method, path] of requests) expect([action, await status(key, method, path)]).not.toEqual([action, 403]);
    expect([action, await status(key, 'POST', '/indexes/books/search', {})]).toEqual([action, 403]);
  }
});
rules('3, a key with the same uid has the same value under the same master key', async () => {
  const first = await newKey(['search']);
  await walk.call('DELETE', `/keys/${first.uid}`);
  expect((await newKey(['search'], ['*'], { uid: first.uid })).key).toBe(first.key);
});
rules('4, default keys are made on the first launch', async () => {
  const { results } = (await walk.call('GET', '/keys?limit=100')).body;
  const names = results.map(({ name }: Loose) => name);
  for (const name of ['Default Search API Key', 'Default Admin API Key', 'Default Chat API Key'])
    expect(names).toContain(name);
  for (const { uid } of results) expect(uid).toMatch(UUID_V4);
});
rules('5, a key past its expiresAt yields an error, and still appears in the list', async () => {
  const expiresMs = Date.now() + 3_600_000;
  const { key, uid } = await newKey(['search'], ['*'], { expiresAt: new Date(expiresMs).toISOString() });
  expect(await status(key, 'POST', '/indexes/books/search', {})).toBe(200);
  // the server takes the date from the process of the test
  vi.useFakeTimers({ toFake: ['Date'], now: expiresMs + 1 });
  onTestFinished(() => void vi.useRealTimers());
  expect((await walk.call('POST', '/indexes/books/search', {}, key)).body.code).toBe('invalid_api_key');
  expect((await walk.call('GET', '/keys?limit=100')).body.results.map((each: Loose) => each.uid)).toContain(uid);
});

const granted = part('Actions');
/** Action -> requests that it opens and that nothing else may. */
const OPENS: Readonly<Record<string, readonly (readonly [string, string, unknown?])[]>> = {
  search: [
    ['POST', '/indexes/books/search', {}],
    ['GET', '/indexes/books/search'],
  ],
  'documents.add': [
    ['POST', '/indexes/books/documents', [{ id: 5 }]],
    ['PUT', '/indexes/books/documents', [{ id: 5 }]],
  ],
  'documents.get': [
    ['GET', '/indexes/books/documents/1'],
    ['POST', '/indexes/books/documents/fetch', {}],
    ['GET', '/indexes/books/documents'],
  ],
  'documents.delete': [
    ['DELETE', '/indexes/gone/documents/1'],
    ['DELETE', '/indexes/gone/documents'],
    ['POST', '/indexes/gone/documents/delete-batch', [1]],
    ['POST', '/indexes/gone/documents/delete', { filter: 'id = 1' }],
  ],
  'indexes.create': [['POST', '/indexes', { uid: 'books' }]],
  'indexes.get': [
    ['GET', '/indexes/books'],
    ['GET', '/indexes'],
  ],
  'indexes.update': [['PATCH', '/indexes/gone', { primaryKey: 'id' }]],
  'indexes.delete': [['DELETE', '/indexes/gone']],
  'indexes.swap': [['POST', '/swap-indexes', []]],
  'tasks.get': [
    ['GET', '/tasks/0'],
    ['GET', '/tasks'],
  ],
  'tasks.cancel': [['POST', '/tasks/cancel?uids=0']],
  'tasks.delete': [['DELETE', '/tasks?uids=99999']],
  'settings.get': [
    ['GET', '/indexes/books/settings'],
    ['GET', '/indexes/books/settings/stop-words'],
  ],
  'settings.update': [
    ['PATCH', '/indexes/gone/settings', {}],
    ['DELETE', '/indexes/gone/settings'],
    ['PUT', '/indexes/gone/settings/stop-words', []],
    ['DELETE', '/indexes/gone/settings/stop-words'],
  ],
  'stats.get': [
    ['GET', '/indexes/books/stats'],
    ['GET', '/stats'],
  ],
  ...Object.fromEntries(COPIES.map((path) => [`${path.slice(1)}.create`, [['POST', path]] as const])),
  version: [['GET', '/version']],
  'keys.get': [['GET', '/keys']],
  'keys.create': [['POST', '/keys', { actions: ['search'], indexes: ['*'], expiresAt: null }]],
  'keys.update': [['PATCH', '/keys/none', { name: 'x' }]],
  'keys.delete': [['DELETE', '/keys/none']],
  'network.get': [['GET', '/network']],
  'network.update': [['PATCH', '/network', {}]],
};
for (const [action, requests] of Object.entries(OPENS))
  granted(`${action} grants its routes, and nothing else does`, async () => {
    const { key } = await newKey([action]);
    const { key: other } = await newKey([action === 'search' ? 'version' : 'search']);
    for (const [method, path, body] of requests) {
      expect([method, path, await status(key, method, path, body)]).not.toEqual([method, path, 403]);
      expect([method, path, await status(other, method, path, body)]).toEqual([method, path, 403]);
    }
  });

const routes = part('Keys');
routes('GET /keys lists newest first, with offset 0, limit 20 and total', async () => {
  for (let i = 0; i < 3; i++) await newKey(['search'], ['*'], { name: `k${i}` });
  const { status: code, body } = await walk.call('GET', '/keys');
  expect(code).toBe(200);
  expect(body).toMatchObject({ offset: 0, limit: 20, total: expect.any(Number) });
  const dates = body.results.map(({ createdAt }: Loose) => createdAt);
  expect(dates).toEqual([...dates].sort().reverse());
  const second = (await walk.call('GET', '/keys?offset=1&limit=2')).body;
  expect(second).toMatchObject({ offset: 1, limit: 2, results: body.results.slice(1, 3) });
});
routes('GET /keys/{key_or_uid} takes value or uid and answers 200', async () => {
  const made = await newKey(['search']);
  for (const name of [made.key, made.uid])
    expect(await walk.call('GET', `/keys/${name}`)).toEqual({ status: 200, body: made });
});
routes('POST /keys answers 201 with the key', async () => {
  const body = { actions: ['search'], indexes: ['books'], expiresAt: null, name: 'n', description: 'd' };
  expect(await walk.call('POST', '/keys', body)).toMatchObject({ status: 201, body });
});
routes('POST /keys requires actions, indexes and expiresAt', async () => {
  const whole: Record<string, unknown> = { actions: ['search'], indexes: ['books'], expiresAt: null };
  for (const name of Object.keys(whole)) {
    const { [name]: _left, ...rest } = whole;
    expect((await walk.call('POST', '/keys', rest)).status).toBe(400);
  }
});
routes('PATCH changes name and description alone, leaves the others, answers 200', async () => {
  const made = await newKey(['search'], ['*'], { name: 'a', description: 'b' });
  const changed = await walk.call('PATCH', `/keys/${made.uid}`, { name: 'c' });
  expect(changed).toMatchObject({ status: 200, body: { ...made, name: 'c', updatedAt: expect.any(String) } });
  for (const field of ['uid', 'key', 'actions', 'indexes', 'expiresAt', 'createdAt', 'updatedAt'])
    expect((await walk.call('PATCH', `/keys/${made.uid}`, { [field]: made[field] })).status).toBe(400);
});
routes('DELETE deletes the key, which the list does not show any more', async () => {
  const made = await newKey(['search']);
  await walk.call('DELETE', `/keys/${made.uid}`);
  expect((await walk.call('GET', `/keys/${made.uid}`)).body.code).toBe('api_key_not_found');
  const uids = (await walk.call('GET', '/keys?limit=1000')).body.results.map(({ uid }: Loose) => uid);
  expect(uids).not.toContain(made.uid);
});

const access = part('Authentication');
access('1, every route but /health requires an authorization', async () => {
  expect(await status(null, 'GET', '/health')).toBe(200);
  for (const path of ['/indexes', '/tasks', '/keys', '/version', '/stats', '/batches', '/experimental-features'])
    expect([path, await status(null, 'GET', path)]).toEqual([path, 401]);
});
access('1, the master key is accepted too', async () => {
  expect(await status(MASTER_KEY, 'POST', '/indexes/books/search', {})).toBe(200);
});
access('2, /keys is reached with the master key and with keys that hold its actions', async () => {
  const { key } = await newKey(['keys.get', 'keys.create']);
  expect(await status(key, 'GET', '/keys')).toBe(200);
  const body = { actions: ['search'], indexes: ['*'], expiresAt: null };
  expect(await status(key, 'POST', '/keys', body)).toBe(201);
  expect(await status((await newKey(['search'])).key, 'GET', '/keys')).toBe(403);
});
access('3, lists omit indexes, tasks and stats that the key may not see', async () => {
  const { key } = await newKey(['indexes.get', 'tasks.get', 'stats.get'], ['books']);
  const indexes = (await walk.call('GET', '/indexes', undefined, key)).body;
  expect(indexes).toMatchObject({ total: 1, results: [{ uid: 'books' }] });
  const tasks = (await walk.call('GET', '/tasks?limit=1000', undefined, key)).body.results;
  expect(new Set(tasks.map(({ indexUid }: Loose) => indexUid))).toEqual(new Set(['books']));
  expect(Object.keys((await walk.call('GET', '/stats', undefined, key)).body.indexes)).toEqual(['books']);
});
access('3, dumps and snapshots are not restricted by indexes', async () => {
  const { key } = await newKey(['dumps.create', 'snapshots.create'], ['books']);
  expect(key).toBeTypeOf('string');
  for (const path of COPIES) expect(await status(key, 'POST', path)).toBe(202);
});
access('3, cancelations leave alone the tasks of indexes that the key may not see', async () => {
  const { key } = await newKey(['tasks.cancel'], ['books']);
  const answer = await walk.call('POST', '/tasks/cancel?uids=0', undefined, key);
  if (answer.status === 200) expect((await walk.task(answer.body.taskUid)).details.matchedTasks).toBe(0);
  else expect(answer.status).toBe(403);
});
