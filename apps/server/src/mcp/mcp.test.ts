import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../e2e/server-process.test-support.js';
import { callTool, connect, LATEST, MASTER_KEY, post, request, startLibrary } from './mcp-client.test-support.js';

let server: TestServer;
let end: () => Promise<void>;
let client: Client;
beforeAll(async () => {
  ({ server, end } = await startLibrary());
  client = await connect(server, MASTER_KEY);
});
afterAll(async () => {
  await client?.close();
  await end?.();
});
const route = async (method: string, path: string, body?: unknown): Promise<unknown> =>
  (await server.call(method, path, body, { authorization: `Bearer ${MASTER_KEY}` })).body;
const withoutTime = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json, (name, value) => (name === 'processingTimeMs' || name === 'requestUid' ? 0 : value)));

describe('tools, for the client of the public SDK', () => {
  it('are listed with schemas that take the examples of their operations', async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    for (const name of ['search', 'multiSearch', 'facetSearch', 'fetchDocuments', 'getDocument', 'addDocuments'])
      expect(names).toContain(name);
    for (const { inputSchema, description, annotations } of tools) {
      expect(inputSchema.type).toBe('object');
      expect(JSON.stringify(inputSchema)).not.toContain('$ref');
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(annotations?.readOnlyHint).toBeTypeOf('boolean');
    }
    const search = tools.find(({ name }) => name === 'search')!;
    expect(search.inputSchema.required).toEqual(['indexUid']);
    expect(Object.keys(search.inputSchema.properties!)).toEqual(expect.arrayContaining(['indexUid', 'q', 'filter']));
    expect(search.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
    const remove = tools.find(({ name }) => name === 'deleteDocuments')!;
    expect(remove.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  it.each<[string, Record<string, unknown>, string, string, unknown]>([
    [
      'search',
      { indexUid: 'films', q: 'star wrs', limit: 1 },
      'POST',
      '/indexes/films/search',
      { q: 'star wrs', limit: 1 },
    ],
    [
      'multiSearch',
      { queries: [{ indexUid: 'films', q: 'star' }] },
      'POST',
      '/multi-search',
      { queries: [{ indexUid: 'films', q: 'star' }] },
    ],
    [
      'facetSearch',
      { indexUid: 'films', facetName: 'genre' },
      'POST',
      '/indexes/films/facet-search',
      { facetName: 'genre' },
    ],
    [
      'fetchDocuments',
      { indexUid: 'films', filter: 'year > 1970' },
      'POST',
      '/indexes/films/documents/fetch',
      { filter: 'year > 1970' },
    ],
    [
      'getDocument',
      { indexUid: 'films', documentId: 1, fields: ['id', 'title'] },
      'GET',
      '/indexes/films/documents/1?fields=id,title',
      undefined,
    ],
    ['getSettings', { indexUid: 'films' }, 'GET', '/indexes/films/settings', undefined],
    ['listIndexes', { limit: 1 }, 'GET', '/indexes?limit=1', undefined],
    ['getIndex', { indexUid: 'books' }, 'GET', '/indexes/books', undefined],
    ['listFields', { indexUid: 'films' }, 'POST', '/indexes/films/fields', {}],
    ['listTasks', { statuses: ['succeeded'], limit: 2 }, 'GET', '/tasks?statuses=succeeded&limit=2', undefined],
    ['getTask', { taskUid: 0 }, 'GET', '/tasks/0', undefined],
    ['indexStats', { indexUid: 'films' }, 'GET', '/indexes/films/stats', undefined],
    ['getStats', {}, 'GET', '/stats', undefined],
  ])('%s answers what its route answers', async (name, args, method, path, body) => {
    const outcome = await callTool(client, name, args);
    expect(outcome.isError, outcome.text).toBe(false);
    expect(withoutTime(outcome.json)).toEqual(withoutTime(await route(method, path, body)));
    expect(outcome.structured).toEqual(outcome.json);
  });

  it('write by tasks', async () => {
    const add = await callTool(client, 'addDocuments', { indexUid: 'notes', documents: [{ id: 1, text: 'a', n: 1 }] });
    expect(add.json).toMatchObject({ indexUid: 'notes', status: 'enqueued', type: 'documentAdditionOrUpdate' });
    await callTool(client, 'updateDocuments', { indexUid: 'notes', documents: { id: 1, text: 'b' } });
    await callTool(client, 'addDocuments', {
      indexUid: 'notes',
      documents: [{ id: 2 }, { id: 3 }],
      customMetadata: 'x',
    });
    await callTool(client, 'deleteDocuments', { indexUid: 'notes', ids: [2] });
    await callTool(client, 'updateSettings', { indexUid: 'notes', filterableAttributes: ['n'] });
    await callTool(client, 'deleteDocumentsByFilter', { indexUid: 'notes', filter: 'n > 5' });
    await callTool(client, 'createIndex', { uid: 'empty', primaryKey: 'key' });
    await callTool(client, 'deleteIndex', { indexUid: 'empty' });
    const tasks = await server.allTasksDone();
    expect(tasks.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    expect(await route('GET', '/indexes/notes/documents')).toMatchObject({
      results: [{ id: 1, text: 'b', n: 1 }, { id: 3 }],
    });
    expect(await route('GET', '/indexes/notes/settings/filterable-attributes')).toEqual(['n']);
  });

  it('keep the digits of numbers in both directions', async () => {
    const text = '{"id":9007199254740993,"price":1.0,"tiny":1e-7}';
    const call = `{"jsonrpc":"2.0","id":9007199254740995,"method":"tools/call","params":{"name":"addDocuments","arguments":{"indexUid":"digits","documents":[${text}]}}}`;
    const added = await post(server, call);
    expect(added.text).toContain('"id":9007199254740995');
    await server.allTasksDone();
    const shown = await post(
      server,
      request('tools/call', { name: 'fetchDocuments', arguments: { indexUid: 'digits' } }),
      {
        'mcp-protocol-version': LATEST,
      },
    );
    expect(shown.text).toContain(`"structuredContent":{"results":[${text}]`);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['search', { indexUid: 'nowhere' }, 'index_not_found'],
    ['search', { indexUid: 'films', filter: 'title = x' }, 'invalid_search_filter'],
    ['search', { indexUid: 'films', limit: 'many' }, 'invalid_search_limit'],
    ['search', { indexUid: 'films', stranger: 1 }, 'bad_request'],
    ['search', {}, 'invalid_mcp_argument'],
    ['search', { indexUid: { a: 1 } }, 'invalid_mcp_argument'],
    ['getDocument', { indexUid: 'films', documentId: 99 }, 'document_not_found'],
    ['getTask', { taskUid: 'x' }, 'invalid_task_uids'],
    ['getDocument', { indexUid: 'films', documentId: 1, stranger: 1 }, 'bad_request'],
    ['listTasks', { statuses: ['tired'] }, 'invalid_task_statuses'],
    ['addDocuments', { indexUid: 'films' }, 'invalid_mcp_argument'],
    ['addDocuments', { indexUid: 'a b', documents: [] }, 'invalid_index_uid'],
    ['addDocuments', { indexUid: 'films', documents: 'text' }, 'malformed_payload'],
    ['updateSettings', { indexUid: 'films', rankingRules: 7 }, 'invalid_settings_ranking_rules'],
    ['createIndex', {}, 'missing_index_uid'],
  ])('%s with %j fails as a tool, with the code %s', async (name, args, code) => {
    const outcome = await callTool(client, name, args);
    expect(outcome).toMatchObject({ isError: true, json: { code } });
    expect(outcome.json['message']).toBeTypeOf('string');
  });

  it('refuse an answer that no model can read', async () => {
    const documents = Array.from({ length: 12 }, (_, id) => ({ id, text: 'long '.repeat(20_000) }));
    await server.call('POST', '/indexes/long/documents', documents, { authorization: `Bearer ${MASTER_KEY}` });
    await server.allTasksDone();
    const all = await callTool(client, 'search', { indexUid: 'long' });
    expect(all).toMatchObject({ isError: true, json: { code: 'mcp_answer_too_large' } });
    const few = await callTool(client, 'search', { indexUid: 'long', attributesToRetrieve: ['id'] });
    expect(few.isError).toBe(false);
    expect((few.json['hits'] as object[]).length).toBe(12);
  });
});

describe('versions of the protocol', () => {
  const initialize = (protocolVersion: unknown): object =>
    request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } });

  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('%s is agreed on', async (version) => {
    const { json } = await post(server, initialize(version));
    expect(json.result).toMatchObject({
      protocolVersion: version,
      serverInfo: { name: 'fossick' },
      capabilities: { tools: {} },
    });
  });

  it.each(['1999-01-01', '2099-01-01', 7, null])('%j is answered with the newest one', async (version) => {
    expect((await post(server, initialize(version))).json.result.protocolVersion).toBe(LATEST);
  });

  it('of the header that are not known are refused', async () => {
    const { status, json } = await post(server, request('tools/list'), { 'mcp-protocol-version': '2099-01-01' });
    expect([status, json.error.code]).toEqual([400, -32022]);
    expect(json.error.data).toMatchObject({ requested: '2099-01-01', supported: expect.arrayContaining([LATEST]) });
  });

  it('before 2025-06-18 have no structured results', async () => {
    const call = request('tools/call', { name: 'getStats', arguments: {} });
    const old = await post(server, call, { 'mcp-protocol-version': '2025-03-26' });
    expect(old.json.result.structuredContent).toBeUndefined();
    const young = await post(server, call, { 'mcp-protocol-version': '2025-06-18' });
    expect(young.json.result.structuredContent).toEqual(JSON.parse(young.json.result.content[0].text));
  });

  it('have batches only in 2025-03-26', async () => {
    const batch = [
      request('ping', {}, 'a'),
      request('nothing', {}, 2),
      { jsonrpc: '2.0', method: 'notifications/x' },
      7,
    ];
    for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
      const { status, json } = await post(server, batch, headers);
      expect(status).toBe(200);
      expect(json).toEqual([
        { jsonrpc: '2.0', id: 'a', result: {} },
        { jsonrpc: '2.0', id: 2, error: { code: -32601, message: expect.any(String) } },
        { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
      ]);
    }
    for (const version of ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28']) {
      const { status, json } = await post(server, batch, { 'mcp-protocol-version': version });
      expect([status, json.error.code]).toEqual([400, -32600]);
    }
    const refused = await post(server, [initialize(LATEST)]);
    expect(refused.json[0].error.code).toBe(-32600);
    expect((await post(server, [])).json.error.code).toBe(-32600);
    expect((await post(server, Array(21).fill(request('ping')))).json.error.code).toBe(-32600);
    expect((await post(server, [{ jsonrpc: '2.0', method: 'notifications/x' }])).status).toBe(202);
  });

  describe('2026-07-28, without initialize', () => {
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = (method: string, more: Record<string, string> = {}) => ({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...more,
    });
    const named = (method: string, params: object = {}) => request(method, { ...params, _meta: envelope });

    it('is discovered', async () => {
      const { json } = await post(server, named('server/discover'), headers('server/discover'));
      expect(json.result).toMatchObject({
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: 'private',
      });
    });

    it('lists and calls tools', async () => {
      const list = await post(server, named('tools/list'), headers('tools/list'));
      expect(list.json.result).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
      const params = { name: 'search', arguments: { indexUid: 'films', q: 'wars' } };
      const call = await post(server, named('tools/call', params), headers('tools/call', { 'mcp-name': 'search' }));
      expect(call.json.result.structuredContent?.hits[0]?.title).toBe('Star Wars');
    });

    it.each<[string, object, Record<string, string>, number, number]>([
      ['another method', named('tools/list'), headers('tools/call'), 400, -32020],
      [
        'another version',
        named('tools/list'),
        { ...headers('tools/list'), 'mcp-protocol-version': LATEST },
        400,
        -32020,
      ],
      [
        'another tool',
        named('tools/call', { name: 'search' }),
        headers('tools/call', { 'mcp-name': 'getStats' }),
        400,
        -32020,
      ],
      ['no version in the request', request('tools/list'), headers('tools/list'), 400, -32602],
      ['initialize', named('initialize'), headers('initialize'), 404, -32601],
      ['ping', named('ping'), headers('ping'), 404, -32601],
    ])('refuses %s', async (_name, body, given, status, code) => {
      const answer = await post(server, body, given);
      expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    });
  });
});
