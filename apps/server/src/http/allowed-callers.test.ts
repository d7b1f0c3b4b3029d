import { request as plainRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { allowedOrigin, type CallerLists, EVERY_CALLER, requireHost } from './cors.js';

const SHOP = 'https://shop.example.com';
const NAMES = ['search.example.com', '*.intra.example'];
const lists = (more: Partial<CallerLists>): CallerLists => ({ ...EVERY_CALLER, ...more });

it.each<[string | undefined, boolean]>([
  ['search.example.com', true],
  ['search.example.com:7700', true],
  ['SEARCH.example.com.:443', true],
  ['a.intra.example', true],
  ['a.b.intra.example:80', true],
  ['localhost:7700', true],
  ['127.0.0.1:7700', true],
  ['10.1.2.3', true],
  ['[::1]:7700', true],
  ['[fe80::1]', true],
  [undefined, true],
  ['evil.example.com', false],
  ['intra.example', false],
  ['search.example.com.evil.example', false],
  ['evilsearch.example.com', false],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
  ['search.example.com@evil.example', false],
  ['evil.example?search.example.com', false],
  ['evil.example#.intra.example', false],
  ['evil.example/.intra.example', false],
  ['a b', false],
  ['', false],
])('the name %j is a name of the server: %s', (host, isKnown) => {
  const ask = (headers: Record<string, string>): void => requireHost(lists({ httpHosts: NAMES }), headers);
  const refusal = expect.objectContaining({ code: 'host_not_allowed' });
  const given = host === undefined ? {} : { host };
  if (isKnown) expect(() => ask(given)).not.toThrow();
  else expect(() => ask(given)).toThrow(refusal);
  // HTTP/2 has another one, or both
  if (host !== undefined) {
    const pseudo = { ':authority': host };
    if (isKnown) expect(() => ask(pseudo)).not.toThrow();
    else expect(() => ask({ ...pseudo, host: 'localhost' })).toThrow(refusal);
  }
  expect(() => requireHost(EVERY_CALLER, given)).not.toThrow();
});

/** Lists, the origin of a page, the name by which it calls, the path, and what it is told; null: refused. */
const PAGES: readonly [Partial<CallerLists>, string, string, string, string | null][] = [
  [{}, 'http://evil.example', 'evil.example', '/indexes', '*'],
  [{}, 'null', 'localhost', '/indexes', '*'],
  [{ httpOrigins: ['*'] }, 'http://evil.example', 'localhost', '/indexes', '*'],
  [{ httpOrigins: [SHOP] }, SHOP, 'search.example.com', '/indexes', SHOP],
  [{ httpOrigins: [SHOP] }, SHOP, 'search.example.com', '/mcp', SHOP],
  [{ httpOrigins: [SHOP] }, 'http://shop.example.com', 'search.example.com', '/indexes', null],
  [{ httpOrigins: [SHOP] }, 'https://shop.example.com:8443', 'search.example.com', '/indexes', null],
  [{ httpOrigins: [SHOP] }, 'https://shop.example.com.evil.example', 'search.example.com', '/indexes', null],
  [{ httpOrigins: [SHOP] }, 'https://evil.example', 'search.example.com', '/mcp', null],
  [{ httpOrigins: [SHOP] }, 'null', 'localhost', '/indexes', null],
  [{ httpOrigins: [SHOP] }, '', 'localhost', '/indexes', null],
  [{ httpOrigins: [SHOP] }, `${SHOP}, https://evil.example`, 'localhost', '/indexes', null],
  [{ httpOrigins: [SHOP] }, 'file://', 'localhost', '/indexes', null],
  // its own page, by an address or by a name of its own
  [{ httpOrigins: [] }, 'http://localhost:7700', 'localhost:7700', '/indexes', 'http://localhost:7700'],
  [{ httpOrigins: [] }, 'http://127.0.0.1:7700', '127.0.0.1:7700', '/mcp', 'http://127.0.0.1:7700'],
  [{ httpOrigins: [] }, 'http://[::1]:7700', '[::1]:7700', '/indexes', 'http://[::1]:7700'],
  [{ httpOrigins: [] }, 'http://localhost:3000', 'localhost:7700', '/indexes', null],
  [{ httpOrigins: [] }, 'http://localhost:3000', 'localhost:7700', '/mcp', null],
  [
    { httpOrigins: [], httpHosts: NAMES },
    'https://search.example.com',
    'search.example.com',
    '/indexes',
    'https://search.example.com',
  ],
  [
    { httpOrigins: [], httpHosts: NAMES },
    'https://search.example.com',
    'search.example.com:443',
    '/indexes',
    'https://search.example.com',
  ],
  [{ httpOrigins: [] }, 'https://search.example.com', 'search.example.com', '/indexes', null],
  // DNS rebinding: the page calls its own name
  [{ httpOrigins: [] }, 'http://evil.example:7700', 'evil.example:7700', '/indexes', null],
  [{ httpOrigins: [], httpHosts: NAMES }, 'http://evil.example:7700', 'evil.example:7700', '/mcp', null],
  // origins of the tools, only there
  [{ httpOrigins: [], mcpOrigins: [SHOP] }, SHOP, 'localhost', '/mcp', SHOP],
  [{ httpOrigins: [], mcpOrigins: [SHOP] }, SHOP, 'localhost', '/indexes', null],
  [{ httpOrigins: [], mcpOrigins: ['*'] }, SHOP, 'localhost', '/mcp', SHOP],
  [{ httpOrigins: [], mcpOrigins: ['*'] }, SHOP, 'localhost', '/indexes', null],
];

it.each(PAGES)('with %j a page of %j that calls %j%s is told %j', (some, origin, host, path, told) => {
  const ask = (): string => allowedOrigin(lists(some), origin, { host }, path);
  if (told === null) expect(ask).toThrow(expect.objectContaining({ code: 'origin_not_allowed' }));
  else expect(ask()).toBe(told);
});

describe('a server without a master key', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(folder, [
      '--http-allowed-origins',
      SHOP,
      '--http-allowed-hosts',
      'search.example.com',
    ]);
    await server.call('POST', '/indexes', { uid: 'films' });
    await server.allTasksDone();
  });
  afterAll(async () => {
    await server.stop();
    removeFolder(folder);
  });

  /** Over a socket, with any `Host`. */
  async function ask(method: string, path: string, headers: Record<string, string>, body = '') {
    return new Promise<{ status: number; code: string | undefined; headers: Record<string, unknown> }>(
      (resolve, reject) => {
        const asked = plainRequest(`${server.url}${path}`, { method, headers }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (piece: string) => {
            text += piece;
          });
          answer.on('end', () => {
            const isJson = String(answer.headers['content-type']).includes('json') && text.startsWith('{');
            const { code } = isJson ? (JSON.parse(text) as { code?: string }) : {};
            resolve({ status: answer.statusCode!, code, headers: answer.headers });
          });
        });
        asked.once('error', reject).end(body);
      },
    );
  }
  const JSON_TYPE = { 'content-type': 'application/json' };

  it.each<[string, string, Record<string, string>, string]>([
    ['POST', '/indexes', { 'content-type': 'application/json' }, '{"uid":"theirs"}'],
    // what a browser sends without asking first
    ['POST', '/indexes', { 'content-type': 'text/plain' }, '{"uid":"theirs"}'],
    ['POST', '/indexes/films/documents', { 'content-type': 'text/plain' }, '[{"id":1}]'],
    ['POST', '/tasks/cancel?uids=*', {}, ''],
    ['POST', '/indexes/films/compact', {}, ''],
    ['DELETE', '/indexes/films', {}, ''],
    ['PATCH', '/experimental-features', JSON_TYPE, '{"metrics":true}'],
    ['POST', '/mcp', JSON_TYPE, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    ['GET', '/indexes', {}, ''],
    ['GET', '/', {}, ''],
    ['GET', '/health', {}, ''],
    ['GET', '/nowhere', {}, ''],
    ['OPTIONS', '/indexes', { 'access-control-request-method': 'POST' }, ''],
    ['OPTIONS', '/mcp', { 'access-control-request-method': 'POST' }, ''],
    ['TRACE', '/indexes', {}, ''],
  ])('refuses %s %s of a foreign page, and by a foreign name', async (method, path, headers, body) => {
    const before = (await server.call<{ total: number }>('GET', '/tasks')).body.total;
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1']) {
      const refused = await ask(method, path, { ...headers, origin }, body);
      expect([refused.status, refused.code]).toEqual([403, 'origin_not_allowed']);
      expect(refused.headers['access-control-allow-origin']).toBeUndefined();
    }
    const rebound = { host: 'evil.example:7700' };
    for (const more of [rebound, { ...rebound, origin: 'http://evil.example:7700' }, { ...rebound, origin: SHOP }]) {
      const refused = await ask(method, path, { ...headers, ...more }, body);
      expect([refused.status, refused.code]).toEqual([403, 'host_not_allowed']);
      expect(refused.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect((await server.call<{ total: number }>('GET', '/tasks')).body.total).toBe(before);
  });

  it('serves listed pages, its own page, and programs', async () => {
    for (const headers of [
      { origin: SHOP },
      { origin: SHOP, host: 'search.example.com' },
      {},
      { host: 'search.example.com:80' },
    ]) {
      const answer = await ask('GET', '/indexes', headers as Record<string, string>);
      expect(answer.status).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe('origin' in headers ? SHOP : undefined);
      expect(String(answer.headers['vary'])).toContain('origin');
    }
    for (const origin of [server.url, 'http://search.example.com']) {
      const { host } = new URL(origin);
      expect((await ask('GET', '/', { host })).status).toBe(200);
      const posted = await ask(
        'POST',
        '/multi-search',
        { ...JSON_TYPE, host, origin },
        '{"queries":[{"indexUid":"films"}]}',
      );
      expect(posted.status).toBe(200);
      const tools = await ask(
        'POST',
        '/mcp',
        { ...JSON_TYPE, host, origin },
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listIndexes","arguments":{}}}',
      );
      expect(tools.status).toBe(200);
    }
    const preflight = await ask('OPTIONS', '/indexes', { origin: SHOP, 'access-control-request-method': 'POST' });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([200, SHOP]);
  });

  it('without the options every page may use it, as the reference', async () => {
    const own = newDatabaseFolder();
    const open = await startTestServer(own);
    const answer = await fetch(`${open.url}/indexes`, {
      method: 'POST',
      headers: { ...JSON_TYPE, origin: 'https://evil.example' },
      body: '{"uid":"a"}',
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([202, '*']);
    await open.stop();
    removeFolder(own);
  });
});
