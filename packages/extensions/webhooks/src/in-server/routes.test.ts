import { OptionTable, OptionValues } from '@fossick/instance';
import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { extensionRoutes } from '@fossick/server/extensions/extension-parts.test-support';
import { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWebhook, WEBHOOK_OPTIONS } from '../options.js';

const MASTER_KEY = 'a master key for the routes of webhooks';
const ADMIN = { authorization: `Bearer ${MASTER_KEY}` };
const OPTIONS = [
  '--task-webhook-url',
  'http://192.0.2.1/first',
  '--task-webhook-authorization-header',
  'Bearer abcdef',
];
const FIXED = '00000000-0000-0000-0000-000000000000';
const NOBODY = 'ffffffff-ffff-4fff-8fff-ffffffffffff';
const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const long = (length: number): string => 'a'.repeat(length);
const address = 'http://192.0.2.1/';

interface Shown {
  readonly uuid: string;
  readonly isEditable: boolean;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const folder = newDatabaseFolder();
let server: TestServer;
const call = <T = Shown>(method: string, path: string, body?: unknown, headers: Record<string, string> = ADMIN) =>
  server.call<T>(method, path, body, headers);
const made = async (body: object): Promise<Shown> => {
  const answer = await call('POST', '/webhooks', body);
  expect(answer.status).toBe(201);
  return answer.body;
};
const all = async (): Promise<readonly Shown[]> =>
  (await call<{ results: readonly Shown[] }>('GET', '/webhooks')).body.results;
const removeAll = async (): Promise<void> => {
  for (const { uuid, isEditable } of await all()) if (isEditable) await call('DELETE', `/webhooks/${uuid}`);
};

beforeAll(async () => {
  server = await startTestServer(folder, ['--master-key', MASTER_KEY, ...OPTIONS]);
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

/** Who may do what: the server checks the action that a route declares. */
const ACTIONS = {
  'GET /webhooks': 'webhooks.get',
  'POST /webhooks': 'webhooks.create',
  'GET /webhooks/:uuid': 'webhooks.get',
  'PATCH /webhooks/:uuid': 'webhooks.update',
  'DELETE /webhooks/:uuid': 'webhooks.delete',
};

describe('rights', () => {
  it('are these actions', () => {
    const declared = extensionRoutes.map(({ method, path, action }) => [`${method} ${path}`, action]);
    expect(Object.fromEntries(declared)).toMatchObject(ACTIONS);
  });

  it('are asked for by each route, and no key of single indexes has them', async () => {
    const keyOf = async (actions: string[], indexes: string[]): Promise<Record<string, string>> => {
      const { body } = await call<{ key: string }>('POST', '/keys', { actions, indexes, expiresAt: null });
      return { authorization: `Bearer ${body.key}` };
    };
    const statusOf = async (route: string, headers: Record<string, string>): Promise<number> => {
      const [method, path] = route.split(' ') as [string, string];
      const body = method === 'POST' || method === 'PATCH' ? { url: 7 } : undefined;
      return (await call(method, path.replace(':uuid', NOBODY), body, headers)).status;
    };
    const others = await keyOf(['search', 'documents.*', 'tasks.*', 'settings.*'], ['*']);
    const ofIndex = await keyOf(['*'], ['films']);
    for (const [route, action] of Object.entries(ACTIONS)) {
      expect([route, await statusOf(route, {})]).toEqual([route, 401]);
      for (const headers of [others, ofIndex]) expect([route, await statusOf(route, headers)]).toEqual([route, 403]);
      for (const granted of [action, 'webhooks.*', '*'])
        expect([200, 400, 404]).toContain(await statusOf(route, await keyOf([granted], ['*'])));
    }
    const reader = await keyOf(['*.get'], ['*']);
    expect(await statusOf('GET /webhooks', reader)).toBe(200);
    expect(await statusOf('POST /webhooks', reader)).toBe(403);
  });
});

describe('webhooks', () => {
  it('are made, shown, changed and deleted by the npm client', async () => {
    const client = new Meilisearch({ host: server.url, apiKey: MASTER_KEY });
    const { uuid } = await client.createWebhook({ url: 'https://example.com/hook', headers: {} });
    expect(await client.updateWebhook(uuid, { headers: { 'x-a': 'b' } })).toMatchObject({ headers: { 'x-a': 'b' } });
    expect((await client.getWebhooks()).results).toHaveLength(2);
    expect(await client.getWebhook(uuid)).toMatchObject({ url: 'https://example.com/hook' });
    await client.deleteWebhook(uuid);
    await expect(client.getWebhook(uuid)).rejects.toMatchObject({ cause: { code: 'webhook_not_found' } });
  });

  it('keep the headers that a change does not name, and show no secrets', async () => {
    const { uuid } = await made({ url: `${address}a`, headers: { Authorization: 'Bearer 1234567890', 'X-Who': 'me' } });
    const change = { headers: { 'x-two': '2', 'X-Who': null } };
    const changed = (await call('PATCH', `/webhooks/${uuid.toUpperCase()}`, change)).body;
    expect(changed).toMatchObject({ uuid, isEditable: true, url: `${address}a` });
    expect(Object.keys(changed.headers)).toEqual(['Authorization', 'x-two']);
    expect(changed.headers['Authorization']).not.toContain('1234567890');
    expect((await call('PATCH', `/webhooks/${uuid}`, { headers: null, url: `${address}b` })).body).toMatchObject({
      url: `${address}b`,
      headers: {},
    });
    expect((await call('DELETE', `/webhooks/${uuid}`)).status).toBe(204);
  });

  it('include that of the command line, which stays as it is', async () => {
    const [first] = await all();
    expect(first).toMatchObject({ uuid: FIXED, isEditable: false, url: 'http://192.0.2.1/first' });
    expect(JSON.stringify(first)).not.toContain('abcdef');
    for (const method of ['PATCH', 'DELETE'])
      expect(await call(method, `/webhooks/${FIXED}`, method === 'PATCH' ? { url: address } : undefined)).toMatchObject(
        { status: 400, body: { code: 'immutable_webhook' } },
      );
  });

  it.each([
    ['GET', '/webhooks/none', undefined, 400, 'invalid_webhook_uuid'],
    ['GET', `/webhooks/${NOBODY}`, undefined, 404, 'webhook_not_found'],
    ['PATCH', `/webhooks/${NOBODY}`, {}, 404, 'webhook_not_found'],
    ['PATCH', `/webhooks/${NOBODY}`, { url: null }, 400, 'invalid_webhook_url'],
    ['DELETE', `/webhooks/${NOBODY}`, undefined, 404, 'webhook_not_found'],
    ['POST', '/webhooks', {}, 400, 'invalid_webhook_url'],
    ['POST', '/webhooks', { url: 'ftp://there' }, 400, 'invalid_webhook_url'],
    ['POST', '/webhooks', { url: address, uuid: NOBODY }, 400, 'immutable_webhook_uuid'],
    ['POST', '/webhooks', { url: address, isEditable: true }, 400, 'immutable_webhook_is_editable'],
    ['POST', '/webhooks', { url: address, headers: { 'a b': 'c' } }, 400, 'invalid_webhook_headers'],
    ['PUT', '/webhooks', {}, 405, 'method_not_allowed'],
    ['POST', `/webhooks/${NOBODY}`, {}, 405, 'method_not_allowed'],
  ] as const)('%s %s %j is refused: %i %s', async (method, path, body, status, code) => {
    expect(await call(method, path, body)).toMatchObject({ status, body: { code } });
  });

  it('ignore parameters of their address, as all routes without any', async () => {
    expect(await call('GET', '/webhooks?pretty=true&unknown')).toEqual(await call('GET', '/webhooks'));
  });

  it('are at most twenty', async () => {
    await removeAll();
    for (let at = 0; at < 20; at++) await made({ url: address });
    expect(await call('POST', '/webhooks', { url: address })).toMatchObject({
      status: 400,
      body: { code: 'invalid_webhooks' },
    });
    await removeAll();
  });
});

describe('what is configured', () => {
  it.each([
    ['invalid_webhook_url', { url: address + long(8_192) }],
    ['invalid_webhook_headers', { url: address, headers: { a: long(16_384) } }],
    [
      'invalid_webhook_headers',
      { url: address, headers: Object.fromEntries(many(100, (i) => [`header-${i}`, long(200)])) },
    ],
    ['invalid_webhook_headers', { url: address, headers: Object.fromEntries(many(201, (i) => [`header-${i}`, 'a'])) }],
  ])('has a bound: %s', async (code, body) => {
    expect(await call('POST', '/webhooks', body)).toMatchObject({ status: 400, body: { code } });
  });

  it('may be as large as its bound', async () => {
    await made({ url: `${address}${long(8_192 - address.length)}`, headers: { a: long(16_383) } });
  });

  it('has at most 50,000 values', async () => {
    const headers = Object.fromEntries(many(60_000, (i) => [`a${i}`, 'x']));
    expect(await call('POST', '/webhooks', { url: address, headers })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('may be called %s', async (name) => {
    const json = { ...ADMIN, 'content-type': 'application/json' };
    // JSON.stringify of a literal would leave __proto__ out
    const body = `{"url":"${address}","headers":{"${name}":"x"}}`;
    const { status, body: shown } = await call('POST', '/webhooks', body, json);
    expect([status, Object.keys(shown.headers)]).toEqual([201, [name]]);
    expect(await call('POST', '/webhooks', `{"${name}":1}`, json)).toMatchObject({ body: { code: 'bad_request' } });
    await call('DELETE', `/webhooks/${shown.uuid}`);
  });

  it('is checked before the server starts', () => {
    const given = (...values: readonly string[]) => {
      const [url, authorization] = values.map((text) => ({ text, origin: 'MEILI_TASK_WEBHOOK_URL' }));
      const all = { 'task-webhook-url': url, 'task-webhook-authorization-header': authorization };
      const known = Object.entries(all).flatMap(([flag, value]) =>
        value === undefined ? [] : [[flag, value] as const],
      );
      return readWebhook(new OptionValues(new Map(known), new OptionTable([WEBHOOK_OPTIONS])));
    };
    for (const url of ['ftp://x', 'nowhere'])
      expect(() => given(url)).toThrow(`MEILI_TASK_WEBHOOK_URL: \`${url}\` is not a URL`);
    expect(given()).toBeNull();
    expect(given('http://x/y')).toMatchObject({ url: 'http://x/y', headers: {} });
    expect(given('http://x/y', 'Bearer z')).toMatchObject({ headers: { Authorization: 'Bearer z' } });
  });
});
