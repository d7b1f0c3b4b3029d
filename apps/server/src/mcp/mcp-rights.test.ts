import { OPERATIONS } from '@fossick/api/openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../e2e/server-process.test-support.js';
import {
  callTool,
  connect,
  MASTER_KEY,
  newKey,
  post,
  request,
  startLibrary,
  tenantToken,
} from './mcp-client.test-support.js';

/** Arguments with which each tool reaches the index films, or all indexes. */
const CALLS: Readonly<Record<string, Record<string, unknown>>> = {
  search: { indexUid: 'films', q: 'star' },
  multiSearch: { queries: [{ indexUid: 'films', q: 'star' }] },
  facetSearch: { indexUid: 'films', facetName: 'genre' },
  similar: { indexUid: 'films', id: 1, embedder: 'none' },
  fetchDocuments: { indexUid: 'films' },
  getDocument: { indexUid: 'films', documentId: 1 },
  listIndexes: {},
  getIndex: { indexUid: 'films' },
  listFields: { indexUid: 'films' },
  getSettings: { indexUid: 'films' },
  getStats: {},
  indexStats: { indexUid: 'films' },
  listTasks: {},
  getTask: { taskUid: 0 },
  addDocuments: { indexUid: 'films', documents: [{ id: 1, title: 'Star Wars', genre: 'space', year: 1977 }] },
  updateDocuments: { indexUid: 'films', documents: [{ id: 1, year: 1977 }] },
  deleteDocuments: { indexUid: 'films', ids: [404] },
  deleteDocumentsByFilter: { indexUid: 'films', filter: 'year = 1' },
  updateSettings: { indexUid: 'films', searchableAttributes: ['*'] },
  createIndex: { uid: 'films' },
  deleteIndex: { indexUid: 'nowhere' },
};
/** Tools that no argument confines to one index: a key of another index gets its own part. */
const OF_ALL_INDEXES = new Set(['listIndexes', 'getStats', 'listTasks', 'getTask']);
const actionOf = (tool: string): string => OPERATIONS.find(({ id }) => id === tool)!.action!;

interface Bearer {
  readonly name: string;
  readonly token: string;
  readonly lists: (tool: string) => boolean;
  readonly calls: (tool: string) => boolean;
}

describe('rights of tools', () => {
  let server: TestServer;
  let end: () => Promise<void>;
  const bearers: Bearer[] = [];
  beforeAll(async () => {
    ({ server, end } = await startLibrary());
    const all = await newKey(server, ['*'], ['*']);
    const search = await newKey(server, ['search'], ['*']);
    const books = await newKey(server, ['*'], ['books']);
    const reader = await newKey(server, ['search', 'documents.get', 'tasks.get'], ['films']);
    const everything = () => true;
    const searches = (tool: string) => actionOf(tool) === 'search';
    const reads = (tool: string) => ['search', 'documents.get', 'tasks.get'].includes(actionOf(tool));
    const filter = { searchRules: { films: { filter: 'genre = space' } } };
    bearers.push(
      { name: 'the master key', token: MASTER_KEY, lists: everything, calls: everything },
      { name: 'a key of everything', token: all.key, lists: everything, calls: everything },
      { name: 'a key that searches', token: search.key, lists: searches, calls: searches },
      { name: 'a key that reads films', token: reader.key, lists: reads, calls: reads },
      { name: 'a tenant token', token: tenantToken(search, filter), lists: searches, calls: searches },
      {
        name: 'a tenant token of the key of everything',
        token: tenantToken(all, filter),
        lists: searches,
        calls: searches,
      },
      {
        name: 'a tenant token of books',
        token: tenantToken(search, { searchRules: ['books'] }),
        lists: searches,
        calls: () => false,
      },
      { name: 'a key of books', token: books.key, lists: everything, calls: (tool) => OF_ALL_INDEXES.has(tool) },
      {
        name: 'a key that dumps',
        token: (await newKey(server, ['dumps.create'], ['*'])).key,
        lists: () => false,
        calls: () => false,
      },
    );
  });
  afterAll(async () => {
    await end?.();
  });

  it('are those of the key: each tool with each bearer is listed and runs, or is neither', async () => {
    const wrong: string[] = [];
    for (const { name, token, lists, calls } of bearers) {
      const client = await connect(server, token);
      const listed = new Set((await client.listTools()).tools.map((tool) => tool.name));
      for (const [tool, args] of Object.entries(CALLS)) {
        if (listed.has(tool) !== lists(tool)) wrong.push(`${tool} is ${lists(tool) ? 'not ' : ''}listed for ${name}`);
        const { isError, json } = await callTool(client, tool, args);
        const isDenied = isError && json['code'] === 'invalid_api_key';
        // the first task is one of films, which a key of another index does not see
        const isHidden = tool === 'getTask' && json['code'] === 'task_not_found';
        if (isDenied === calls(tool) && !isHidden)
          wrong.push(`${tool} by ${name}: ${JSON.stringify(json).slice(0, 200)}`);
      }
      expect([...listed].filter((tool) => !(tool in CALLS))).toEqual([]);
      await client.close();
    }
    expect(wrong).toEqual([]);
  });

  it('of a tenant token keep its filter, whatever filter a model asks for', async () => {
    const { token } = bearers.find(({ name }) => name === 'a tenant token')!;
    const client = await connect(server, token);
    for (const filter of [undefined, 'genre = drama', 'genre = drama OR genre = space', ['genre = drama']]) {
      const args = { indexUid: 'films', q: 'star', ...(filter === undefined ? {} : { filter }) };
      const one = await callTool(client, 'search', args);
      const many = await callTool(client, 'multiSearch', { queries: [args] });
      const merged = await callTool(client, 'multiSearch', { federation: {}, queries: [args] });
      const results = (many.json as { results: { hits: unknown[] }[] }).results;
      for (const hits of [one.json['hits'], results[0]!.hits, merged.json['hits']])
        for (const hit of hits as { genre: string }[]) expect(hit.genre).toBe('space');
    }
    const facets = await callTool(client, 'facetSearch', { indexUid: 'films', facetName: 'genre' });
    expect(facets.json['facetHits']).toEqual([{ value: 'space', count: 2 }]);
    await client.close();
  });

  it('of a key of one index show nothing of others', async () => {
    const { token } = bearers.find(({ name }) => name === 'a key of books')!;
    const client = await connect(server, token);
    for (const tool of ['listIndexes', 'getStats', 'listTasks']) {
      const { text } = await callTool(client, tool, {});
      expect(text).toContain('books');
      expect(text).not.toContain('films');
    }
    await client.close();
  });

  it('end with the key', async () => {
    const key = await newKey(server, ['search'], ['*']);
    const client = await connect(server, key.key);
    await server.call('DELETE', `/keys/${key.uid}`, undefined, { authorization: `Bearer ${MASTER_KEY}` });
    await expect(client.listTools()).rejects.toThrow(/invalid_api_key/);
  });

  it.each<[string, string | undefined, number, string]>([
    ['nobody', undefined, 401, 'missing_authorization_header'],
    ['a stranger', 'Bearer nobody', 403, 'invalid_api_key'],
    ['another scheme', 'Basic YTpi', 401, 'missing_authorization_header'],
  ])('are refused to %s before the body is read', async (_name, authorization, status, code) => {
    for (const body of [request('tools/list'), request('initialize'), '{', '[]']) {
      const answer = await post(server, body, { authorization });
      expect([answer.status, answer.json.code]).toEqual([status, code]);
    }
  });

  it('of expired keys and tokens are none', async () => {
    const key = await newKey(server, ['search'], ['*']);
    const expired = tenantToken(key, { searchRules: ['*'], exp: 1 });
    const answer = await post(server, request('tools/list'), { authorization: `Bearer ${expired}` });
    expect([answer.status, answer.json.code]).toEqual([403, 'invalid_api_key']);
  });
});
