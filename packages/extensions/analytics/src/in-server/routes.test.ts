import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { extensionRoutes } from '@fossick/server/extensions/extension-parts.test-support';
import { afterAll, beforeAll, expect, it } from 'vitest';

const MASTER_KEY = 'a master key for the routes of analytics';
const ADMIN = { authorization: `Bearer ${MASTER_KEY}` };
const UID = '_fossick_analytics';
const folder = newDatabaseFolder();
let server: TestServer;
const asAdmin = <T>(method: string, path: string, body?: unknown) => server.call<T>(method, path, body, ADMIN);
const keyOf = async (actions: string[], indexes: string[]): Promise<Record<string, string>> => {
  const { body } = await asAdmin<{ key: string }>('POST', '/keys', { actions, indexes, expiresAt: null });
  return { authorization: `Bearer ${body.key}` };
};

beforeAll(async () => {
  server = await startTestServer(folder, ['--master-key', MASTER_KEY, '--search-analytics']);
  await asAdmin('POST', `/indexes/${UID}/documents?primaryKey=id`, [{ id: 1, query: 'payroll' }]);
  await asAdmin('POST', '/indexes/films/documents', [{ id: 1, title: 'The Red Harbour' }]);
  await server.allTasksDone();
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

/** Who may do what: the server checks the action that a route declares. */
const ACTIONS = {
  'POST /events': 'search',
  'GET /analytics/searches': 'stats.get',
  'GET /analytics/suggestions': 'dynamicSearchRules.get',
  'PATCH /analytics/suggestions': 'dynamicSearchRules.update',
  'DELETE /analytics/suggestions': 'dynamicSearchRules.delete',
};

it('ask for these actions', () => {
  const declared = extensionRoutes.map(({ method, path, action }) => [`${method} ${path}`, action]);
  expect(Object.fromEntries(declared)).toMatchObject(ACTIONS);
});

it('the index of counts shows only to who may see it', async () => {
  const read = async (headers: Record<string, string>): Promise<number> =>
    (await server.call('GET', `/indexes/${UID}/documents`, undefined, headers)).status;
  expect(await read(ADMIN)).toBe(200);
  expect(await read(await keyOf(['documents.get'], ['*']))).toBe(403);
  expect(await read(await keyOf(['documents.get', 'stats.get'], ['*']))).toBe(200);
  expect(await read(await keyOf(['documents.get'], ['_foss*']))).toBe(403);
  expect(await read(await keyOf(['documents.get'], [UID]))).toBe(200);
  const click = { eventType: 'click', eventName: 'x', indexUid: UID };
  expect((await server.call('POST', '/events', click, await keyOf(['search'], ['*']))).status).toBe(403);
  const own = await keyOf(['stats.get'], ['films']);
  const { status, body } = await server.call<object>('GET', `/analytics/searches?index=${UID}`, undefined, own);
  expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining('payroll')]);
});

it('the index of counts stays hidden when search analytics are left out', async () => {
  const hidden = await keyOf(['documents.get'], ['*']);
  await server.stop();
  server = await startTestServer(folder, ['--master-key', MASTER_KEY, '--extensions=']);
  expect((await asAdmin('GET', '/analytics/searches')).status).toBe(404);
  expect((await server.call('GET', `/indexes/${UID}/documents`, undefined, hidden)).status).toBe(403);
  expect((await asAdmin('GET', `/indexes/${UID}/documents`)).status).toBe(200);
});
