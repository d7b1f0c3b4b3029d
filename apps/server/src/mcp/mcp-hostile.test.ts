import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../e2e/server-process.test-support.js';
import { LATEST, MASTER_KEY, post, request, startEmpty, startLibrary } from './mcp-client.test-support.js';

let server: TestServer;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ server, end } = await startLibrary());
});
afterAll(async () => {
  await end?.();
});
const call = (name: unknown, args: unknown): object => request('tools/call', { name, arguments: args });

describe('a hostile client of /mcp', () => {
  it.each<[string, unknown, number, number]>([
    ['no JSON', '{', 400, -32700],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, -32700],
    ['half of a surrogate pair', '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', 400, -32700],
    ['1,000 nested lists', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, 400, -32700],
    ['a number', '7', 400, -32600],
    ['null', 'null', 400, -32600],
    ['a text', '"tools/list"', 400, -32600],
    ['no version of JSON-RPC', { id: 1, method: 'ping' }, 400, -32600],
    ['JSON-RPC 1.0', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
    ['a method that is a list', { jsonrpc: '2.0', id: 1, method: ['ping'] }, 400, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, 400, -32600],
    ['the id null', { jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32600],
    ['an id that is an object', { jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }, 400, -32600],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 400, -32600],
    ['an unknown method', request('resources/list'), 200, -32601],
    ['a method of the prototype', request('constructor'), 200, -32601],
    ['a long method', request('x'.repeat(100_000)), 200, -32601],
    ['a tool of the prototype', call('__proto__', {}), 200, -32602],
    ['a tool without name', call(undefined, {}), 200, -32602],
    ['an operation that is no tool', call('createKey', {}), 200, -32602],
    ['a cursor', request('tools/list', { cursor: 'x' }), 200, -32602],
  ])('that sends %s gets an error', async (_name, body, status, code) => {
    const answer = await post(server, body);
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect(answer.text.length).toBeLessThan(2_000);
  });

  it.each<[string, unknown, Record<string, string | undefined>, number, string]>([
    ['no content type', '{}', { 'content-type': '' }, 415, 'invalid_content_type'],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'invalid_content_type'],
    ['nothing', '', {}, 400, 'missing_payload'],
    ['5 MB', `"${'x'.repeat(5_000_000)}"`, {}, 413, 'payload_too_large'],
    ['a bomb', gzipSync(Buffer.alloc(50_000_000, 0x20)), { 'content-encoding': 'gzip' }, 413, 'payload_too_large'],
    ['a million lists', `[${'[],'.repeat(1_000_000)}[]]`, {}, 413, 'payload_too_large'],
  ])('that sends %s is refused as on every route', async (_name, body, headers, status, code) => {
    const answer = await post(server, body, headers);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it.each(['', '.', '..', 'x'.repeat(20_000)])('cannot reach another route by the name %s', async (name) => {
    for (const tool of ['search', 'getSettings', 'deleteIndex', 'getIndex', 'addDocuments']) {
      const { json } = await post(server, call(tool, { indexUid: name, documents: [] }));
      const { code } = JSON.parse(json.result.content[0].text);
      expect([tool, json.result.isError, code]).toEqual([tool, true, 'invalid_mcp_argument']);
    }
  });

  it.each([
    '../keys',
    '..%2fkeys',
    '%2e%2e',
    'films/documents',
    'films?x=1',
    'films#x',
    '../../keys',
    '\\..\\keys',
    ' ',
    '\n',
    'ü',
    '//127.0.0.1',
  ])('cannot reach another route by the name %j', async (name) => {
    for (const [tool, args] of [
      ['search', { indexUid: name }],
      ['getSettings', { indexUid: name }],
      ['getDocument', { indexUid: 'films', documentId: name }],
      ['getTask', { taskUid: name }],
      ['deleteIndex', { indexUid: name }],
    ] as const) {
      const { json } = await post(server, call(tool, args));
      expect(json.result.isError).toBe(true);
      const { code } = JSON.parse(json.result.content[0].text);
      expect(code).toMatch(
        /^(index_not_found|invalid_index_uid|document_not_found|invalid_document_id|invalid_task_uids)$/,
      );
    }
  });

  it('cannot add members by names of the prototype', async () => {
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"indexUid":"films","__proto__":{"limit":1},"constructor":1}}}';
    const { json } = await post(server, body);
    expect(json.result.isError).toBe(true);
    expect(JSON.parse(json.result.content[0].text).code).toBe('bad_request');
  });

  it('finds no session, no stream and nothing to delete', async () => {
    const headers = { authorization: `Bearer ${MASTER_KEY}`, accept: 'text/event-stream' };
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const answer = await fetch(`${server.url}/mcp`, { method, headers });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
    const answer = await post(server, request('ping'), { 'mcp-session-id': 'x'.repeat(100) });
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null]);
  });

  it('gets no answer to notifications and responses', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', method: 'anything' },
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } },
    ]) {
      const answer = await post(server, body);
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
  });

  it('gets no fault, whatever a message is', async () => {
    const name = fc.constantFrom(
      'search',
      'addDocuments',
      'getTask',
      'listTasks',
      'updateSettings',
      'multiSearch',
      'x',
    );
    const args = fc.dictionary(
      fc.constantFrom(
        'indexUid',
        'q',
        'limit',
        'filter',
        'documents',
        'taskUid',
        'queries',
        'statuses',
        '__proto__',
        'x',
      ),
      fc.oneof(fc.constantFrom<unknown>('films', 'nowhere', [], {}), fc.jsonValue()),
    );
    const message = fc.record(
      {
        jsonrpc: fc.constantFrom<unknown>('2.0', '2.0', '2.0', 2),
        id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
        method: fc.constantFrom<unknown>('tools/call', 'tools/call', 'tools/list', 'initialize', 'server/discover', 7),
        params: fc.oneof(
          fc.record({ name, arguments: fc.oneof(args, fc.jsonValue()) }, { requiredKeys: [] }),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    );
    const version = fc.constantFrom<string | undefined>(undefined, LATEST, '2025-03-26', '2026-07-28', 'x');
    await fc.assert(
      fc.asyncProperty(fc.oneof(message, fc.array(message, { maxLength: 3 })), version, async (body, given) => {
        const answer = await post(server, body, given === undefined ? {} : { 'mcp-protocol-version': given });
        expect(answer.status, answer.text).toBeLessThan(500);
        expect(answer.text).not.toContain('"internal"');
      }),
      { numRuns: 300 },
    );
  });
});

describe('the origin of a page', () => {
  const statusOf = async (url: string, origin: string | undefined, host?: string): Promise<number> => {
    const { port } = new URL(url);
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      authorization: `Bearer ${MASTER_KEY}`,
    };
    if (origin !== undefined) headers['origin'] = origin;
    if (host !== undefined) headers['host'] = host;
    return new Promise((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(request('ping')));
    });
  };

  it.each<[string | undefined, number]>([
    [undefined, 200],
    ['http://localhost:3000', 200],
    ['https://localhost', 200],
    ['http://127.0.0.1:6274', 200],
    ['http://[::1]:80', 200],
    ['http://evil.example.com', 403],
    ['http://localhost.evil.example.com', 403],
    ['http://127.0.0.1.evil.example.com', 403],
    ['http://192.0.2.7:7700', 403],
    ['null', 403],
    ['', 403],
    ['file://', 403],
    ['no address', 403],
  ])('%j is answered %i', async (origin, status) => {
    expect(await statusOf(server.url, origin)).toBe(status);
  });

  it('is refused also where the name of the page leads to this machine', async () => {
    const { port } = new URL(server.url);
    expect(await statusOf(server.url, `http://evil.example.com:${port}`, `evil.example.com:${port}`)).toBe(403);
  });

  it('may be one that the operator lists, or any', async () => {
    for (const [list, status] of [
      ['https://chat.example.com, http://intra:8080/', 200],
      ['*', 200],
      ['https://other.example.com', 403],
    ] as const) {
      const other = await startEmpty(['--master-key', MASTER_KEY, '--mcp-allowed-origins', list]);
      expect(await statusOf(other.server.url, 'https://chat.example.com')).toBe(status);
      await other.end();
    }
  });
});

describe('options', () => {
  it('without a master key every tool is open, as every route is', async () => {
    const library = await startLibrary([]);
    const list = await post(library.server, request('tools/list'), { authorization: undefined });
    expect(list.json.result.tools.length).toBeGreaterThan(15);
    const found = await post(library.server, call('search', { indexUid: 'films', q: 'wars' }), {
      authorization: undefined,
    });
    expect(found.json.result.isError).toBe(false);
    await library.end();
  });

  it('--no-mcp takes the route away', async () => {
    const other = await startEmpty(['--no-mcp']);
    expect((await post(other.server, request('tools/list'))).status).toBe(404);
    await other.end();
  });
});
