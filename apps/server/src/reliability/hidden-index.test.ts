import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { ACTION_NAMES, coversAction, coversWithinIndexes } from '@fossick/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startServerWith } from '../e2e/test-server.test-support.js';
import { LEDGER, LEDGER_UID } from '../extensions/guarding-extension.test-support.js';
import { holdUpQueue } from './held-queue.test-support.js';
import { routeTable } from './route-table.test-support.js';

const MASTER_KEY = 'a master key for a guarded index';
const ADMIN = { authorization: `Bearer ${MASTER_KEY}` };
const UID = LEDGER_UID;
/** In every document, task and setting of a guarded index. */
const CANARY = 'zyxcanary';

interface Ask {
  readonly path: string;
  readonly body?: unknown;
}
/** The index is named in the path. */
const PATH = 'path';
/** `none`, and why nothing of an index shows; or requests that reach for a guarded index, the queue being held. */
type Decision = typeof PATH | { readonly none: string } | { readonly asks: readonly Ask[] };
const none = (reason: string): Decision => ({ none: reason });
const asks = (...all: readonly Ask[]): Decision => ({ asks: all });
const at = (path: string, body?: unknown): Ask => ({ path, ...(body === undefined ? {} : { body }) });
const FOREIGN = ['_foreign(seen, kind = query)', `_foreign(seen, q = "${CANARY} 2")`, 'NOT _foreign(seen, hits > 2)'];
const tool = (name: string, given: object): Ask =>
  at('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });
const template = { kind: 'inlineDocumentTemplate', inline: '{{ doc | json }}', documentTemplateMaxBytes: 10_000 };

/** What each route decides about a guarded index. A route without a decision fails the test. */
const DECISIONS: Readonly<Record<string, Decision>> = {
  'GET /': none('a page'),
  'GET /dashboard/:file': none('a page'),
  'GET /health': none('a word'),
  'GET /openapi.json': none('the same for everybody'),
  'GET /docs': none('a page'),
  'GET /version': none('a version'),
  'GET /usage-data': none('counts without names'),
  'POST /mcp': asks(
    tool('listIndexes', {}),
    tool('listTasks', {}),
    tool('search', { indexUid: UID, q: '' }),
    tool('search', { indexUid: 'films', q: '' }),
    tool('listDocuments', { indexUid: UID }),
  ),
  'GET /stats': asks(at('/stats'), at('/stats?showInternalDatabaseSizes=true')),
  'GET /metrics': asks(at('/metrics')),
  'GET /experimental-features': none('names of features'),
  'PATCH /experimental-features': none('names of features'),
  'GET /indexes': asks(at('/indexes'), at('/indexes?limit=1'), at('/indexes?offset=1')),
  'POST /indexes': asks(at('/indexes', { uid: UID })),
  'GET /indexes/:indexUid': PATH,
  'PATCH /indexes/:indexUid': asks(at('/indexes/films', { uid: UID }), at(`/indexes/${UID}`, { uid: 'mine' })),
  'DELETE /indexes/:indexUid': PATH,
  'POST /indexes/:indexUid/compact': PATH,
  'POST /swap-indexes': asks(
    at('/swap-indexes', [{ indexes: ['films', UID] }]),
    at('/swap-indexes', [{ indexes: [UID, 'mine'], rename: true }]),
  ),
  'GET /indexes/:indexUid/stats': PATH,
  'POST /indexes/:indexUid/fields': PATH,
  'GET /indexes/:indexUid/documents': asks(
    at(`/indexes/${UID}/documents`),
    at('/indexes/films/documents'),
    ...FOREIGN.map((filter) => at(`/indexes/films/documents?filter=${encodeURIComponent(filter)}`)),
  ),
  'POST /indexes/:indexUid/documents/fetch': asks(
    at(`/indexes/${UID}/documents/fetch`, {}),
    ...FOREIGN.map((filter) => at('/indexes/films/documents/fetch', { filter })),
  ),
  'GET /indexes/:indexUid/documents/:documentId': asks(
    at(`/indexes/${UID}/documents/1`),
    at('/indexes/films/documents/1'),
  ),
  'POST /indexes/:indexUid/documents': PATH,
  'PUT /indexes/:indexUid/documents': PATH,
  'DELETE /indexes/:indexUid/documents': PATH,
  'DELETE /indexes/:indexUid/documents/:documentId': PATH,
  'POST /indexes/:indexUid/documents/delete-batch': PATH,
  'POST /indexes/:indexUid/documents/delete': asks(
    at(`/indexes/${UID}/documents/delete`, { filter: 'hits > 0' }),
    ...FOREIGN.map((filter) => at('/indexes/films/documents/delete', { filter })),
  ),
  'POST /indexes/:indexUid/documents/edit': asks(
    at(`/indexes/${UID}/documents/edit`, { function: 'doc.x = 1' }),
    at('/indexes/films/documents/edit', { filter: FOREIGN[0], function: 'doc.x = 1' }),
  ),
  'GET /indexes/:indexUid/settings': PATH,
  'PATCH /indexes/:indexUid/settings': PATH,
  'DELETE /indexes/:indexUid/settings': PATH,
  'GET /indexes/:indexUid/settings/*': PATH,
  'PUT /indexes/:indexUid/settings/*': PATH,
  'PATCH /indexes/:indexUid/settings/*': PATH,
  'DELETE /indexes/:indexUid/settings/*': PATH,
  'GET /indexes/:indexUid/search': asks(
    at(`/indexes/${UID}/search?q=`),
    at('/indexes/films/search?q='),
    ...FOREIGN.map((filter) => at(`/indexes/films/search?filter=${encodeURIComponent(filter)}`)),
  ),
  'POST /indexes/:indexUid/search': asks(
    at(`/indexes/${UID}/search`, {}),
    at('/indexes/films/search', { q: '', facets: ['*'] }),
    at('/indexes/films/search', {
      q: CANARY.slice(0, -1),
      attributesToHighlight: ['*'],
      attributesToRetrieve: ['seen'],
    }),
    ...FOREIGN.map((filter) => at('/indexes/films/search', { filter })),
  ),
  'POST /indexes/:indexUid/facet-search': asks(
    at(`/indexes/${UID}/facet-search`, { facetName: 'q' }),
    ...FOREIGN.map((filter) => at('/indexes/films/facet-search', { facetName: 'title', filter })),
  ),
  'GET /indexes/:indexUid/similar': asks(
    at(`/indexes/${UID}/similar?id=1&embedder=given`),
    at('/indexes/films/similar?id=1&embedder=given'),
    at(`/indexes/films/similar?id=1&embedder=given&filter=${encodeURIComponent(FOREIGN[0]!)}`),
  ),
  'POST /indexes/:indexUid/similar': asks(
    at(`/indexes/${UID}/similar`, { id: 1, embedder: 'given' }),
    at('/indexes/films/similar', { id: 1, embedder: 'given' }),
    ...FOREIGN.map((filter) => at('/indexes/films/similar', { id: 1, embedder: 'given', filter })),
  ),
  'POST /multi-search': asks(
    at('/multi-search', { queries: [{ indexUid: 'films' }, { indexUid: UID }] }),
    at('/multi-search', { queries: [{ indexUid: 'films' }] }),
    at('/multi-search', { federation: {}, queries: [{ indexUid: UID }] }),
    at('/multi-search', { federation: {}, queries: [{ indexUid: 'films' }] }),
    at('/multi-search', { federation: { facetsByIndex: { [UID]: ['q'] } }, queries: [{ indexUid: 'films' }] }),
    ...FOREIGN.map((filter) => at('/multi-search', { federation: {}, queries: [{ indexUid: 'films', filter }] })),
    ...FOREIGN.map((filter) => at('/multi-search', { queries: [{ indexUid: 'films', filter }] })),
  ),
  'GET /tasks': asks(
    at('/tasks?limit=1000'),
    at(`/tasks?indexUids=${UID}`),
    at('/tasks?statuses=enqueued'),
    at('/tasks?types=indexSwap,export&reverse=true'),
    at('/tasks?uids=0,1,2,3,4,5,6,7,8,9,10,11,12'),
  ),
  'DELETE /tasks': asks(at(`/tasks?indexUids=${UID}`)),
  'GET /tasks/stream': none('asks as GET /tasks does: streams/task-streams.test.ts'),
  'GET /tasks/:uid': asks(...Array.from({ length: 24 }, (_, uid) => at(`/tasks/${uid}`))),
  'GET /tasks/:uid/documents': asks(...Array.from({ length: 24 }, (_, uid) => at(`/tasks/${uid}/documents`))),
  'GET /tasks/:uid/errors': asks(...Array.from({ length: 24 }, (_, uid) => at(`/tasks/${uid}/errors`))),
  'POST /tasks/cancel': asks(at(`/tasks/cancel?indexUids=${UID}`)),
  'POST /tasks/compact': none('counts of bytes'),
  'GET /batches': asks(at('/batches?limit=1000'), at(`/batches?indexUids=${UID}`)),
  'GET /batches/stream': none('asks as GET /batches does: streams/task-streams.test.ts'),
  'GET /batches/:uid': asks(...Array.from({ length: 24 }, (_, uid) => at(`/batches/${uid}`))),
  'GET /keys': none('keys'),
  'POST /keys': none('who makes keys gives rights'),
  'GET /keys/:key': none('keys'),
  'PATCH /keys/:key': none('keys'),
  'DELETE /keys/:key': none('keys'),
  'GET /network': none('addresses'),
  'PATCH /network': none('addresses'),
  'POST /logs/stream': none('lines about the server'),
  'DELETE /logs/stream': none('no content'),
  'POST /logs/stderr': none('no content'),
  'POST /render-template': asks(
    at('/render-template', { template, input: { kind: 'indexDocument', indexUid: UID, id: '1' } }),
    at('/render-template', { template: { kind: 'chatDocumentTemplate', indexUid: UID } }),
    at('/render-template', { template: { kind: 'documentTemplate', indexUid: UID, embedder: 'given' } }),
  ),
  'POST /dynamic-search-rules': none('rules'),
  'DELETE /dynamic-search-rules': none('rules'),
  'GET /dynamic-search-rules/:uid': none('rules'),
  'GET /dynamic-search-rules/:uid/target': none('rules'),
  'PATCH /dynamic-search-rules/:uid': none('rules'),
  'DELETE /dynamic-search-rules/:uid': none('rules'),
};

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const patternOf = (url: string): string => url.replace(/^(\/indexes\/:indexUid\/settings)\/[^/]+$/, '$1/*');

describe('a guarded index', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  let queue: { release(): void };
  const bearers: { name: string; token: string }[] = [];
  let keyOfAll = '';

  const asAdmin = <T>(method: string, path: string, body?: unknown) => server.call<T>(method, path, body, ADMIN);
  const newKey = async (actions: readonly string[], indexes: readonly string[]) =>
    (await asAdmin<{ uid: string; key: string }>('POST', '/keys', { actions, indexes, expiresAt: null })).body;
  const documentsOf = (count: number): object[] =>
    Array.from({ length: count }, (_, i) => ({
      id: i,
      kind: 'query',
      q: `${CANARY} ${i}`,
      hits: i,
      _vectors: { given: [i, 1] },
    }));

  beforeAll(async () => {
    server = await startServerWith([LEDGER], join(folder, 'data'), [
      ...['--master-key', MASTER_KEY, '--experimental-allowed-ip-networks', '127.0.0.0/8'],
    ]);
    await asAdmin('PATCH', '/experimental-features', {
      ...{ foreignKeys: true, renderRoute: true, getTaskDocumentsRoute: true, metrics: true, chatCompletions: true },
      ...{ editDocumentsByFunction: true, tasksStreamingRoute: true, logsRoute: true },
    });
    const embedders = { given: { source: 'userProvided', dimensions: 2 } };
    const filterable = ['kind', 'q', 'hits', 'title', 'seen'];
    await asAdmin('PATCH', `/indexes/${UID}/settings`, {
      filterableAttributes: filterable,
      embedders,
      synonyms: { [CANARY]: ['x'] },
      chat: { documentTemplate: CANARY },
    });
    await asAdmin('POST', `/indexes/${UID}/documents?primaryKey=id&customMetadata=${CANARY}`, documentsOf(5));
    await asAdmin('PATCH', '/indexes/films/settings', {
      filterableAttributes: filterable,
      embedders,
      foreignKeys: [{ foreignIndexUid: UID, fieldName: 'seen' }],
    });
    const films = Array.from({ length: 5 }, (_, i) => ({
      id: i,
      title: `Film ${i}`,
      seen: i,
      _vectors: { given: [i, 2] },
    }));
    await asAdmin('POST', '/indexes/films/documents?primaryKey=id', films);
    await asAdmin('POST', '/swap-indexes', [{ indexes: [UID, 'scratch'], rename: true }]);
    await asAdmin('POST', '/swap-indexes', [{ indexes: ['scratch', UID], rename: true }]);
    const faulty = `/indexes/${UID}/documents?onDocumentError=skip&customMetadata=${CANARY}`;
    await asAdmin('POST', faulty, [
      { id: `${CANARY} !`, q: CANARY },
      { id: 1000, q: CANARY },
    ]);
    const tasks = await server.allTasksDone();
    expect(tasks.filter(({ status }) => status !== 'succeeded')).toEqual([]);

    const withoutStats = ACTION_NAMES.filter((name) => !coversAction([name], 'stats.get'));
    expect(withoutStats.length).toBeGreaterThan(30);
    const all = await newKey(withoutStats, ['*']);
    keyOfAll = all.key;
    const single = ACTION_NAMES.filter((name) => name === '*' || !coversWithinIndexes([name], 'stats.get')).filter(
      (name) => !['*', '*.get'].includes(name) && coversWithinIndexes([name], name.replace('.*', '.get')),
    );
    const ofFilms = await newKey([...single, 'stats.get'], ['films', 'mine*']);
    const prefix = await newKey(['search', 'documents.*', 'tasks.*', 'indexes.*', 'settings.*'], ['films', '_foss*']);
    const parent = await newKey(['search', 'chatCompletions', 'stats.get'], ['*']);
    const signed = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64({ apiKeyUid: parent.uid, searchRules: { '*': null, [UID]: null } })}`;
    bearers.push(
      { name: 'a key of all indexes without stats.get', token: all.key },
      { name: 'a key of single indexes', token: ofFilms.key },
      { name: 'a key of a pattern without stats.get', token: prefix.key },
      {
        name: 'a tenant token',
        token: `${signed}.${createHmac('sha256', parent.key).update(signed).digest('base64url')}`,
      },
    );
    queue = await holdUpQueue(server, ADMIN);
    await asAdmin('POST', `/indexes/${UID}/documents?customMetadata=${CANARY}`, documentsOf(3));
  });
  afterAll(async () => {
    queue?.release();
    await server.stop();
    removeFolder(folder);
  });

  const ask = async (method: string, { path, body }: Ask, token: string): Promise<{ status: number; text: string }> => {
    const answer = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };

  it('has a decision of every route, and of no other', () => {
    const table = routeTable().map(({ method, url }) => `${method} ${patternOf(url)}`);
    expect(table.filter((name) => DECISIONS[name] === undefined)).toEqual([]);
    expect(Object.keys(DECISIONS).filter((name) => !table.includes(name))).toEqual([]);
  });

  it('is refused to everybody who may not see it, wherever a path names it', async () => {
    const wrong: string[] = [];
    for (const { method, url } of routeTable()) {
      if (DECISIONS[`${method} ${patternOf(url)}`] !== PATH) continue;
      const path = url.replace(':indexUid', UID).replace(/:\w+/, '1');
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
      for (const { name, token } of bearers) {
        const { status } = await ask(method, { path, ...body }, token);
        if (status !== 403) wrong.push(`${method} ${path} by ${name}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('shows in no answer of any other route', async () => {
    const leaks: string[] = [];
    let seenByAdmin = 0;
    for (const [route, decision] of Object.entries(DECISIONS)) {
      if (typeof decision === 'string' || 'none' in decision) continue;
      const method = route.split(' ')[0]!;
      for (const one of decision.asks) {
        const given = `${decodeURIComponent(one.path)} ${JSON.stringify(one.body)}`;
        for (const { name, token } of bearers) {
          const { status, text } = await ask(method, one, token);
          // an error may cite the request itself, and name the index that a foreign key leads to
          const isError = status >= 400 || /"isError":true/.test(text);
          const cites = (word: string): boolean =>
            isError && (given.includes(word) || (word === UID && status === 403));
          const isLeak = [CANARY, UID].some((word) => text.includes(word) && !cites(word));
          // keys name the index that they lead to: settings say so, and masks of settings are not rights
          const isOfSettings = /foreignIndexUid/.test(text) && !text.includes(CANARY);
          // the filter of a cancelation is the caller's own
          const isOwnFilter = /"originalFilter":"\?indexUids=_fossick_ledger"/.test(text) && !text.includes(CANARY);
          if (status >= 500 || (isLeak && !isOfSettings && !isOwnFilter))
            leaks.push(
              `${route} ${given} by ${name}: ${status} ${text
                .split('\n')
                .filter((line) => line.includes(UID) || line.includes(CANARY))
                .join()
                .slice(0, 300)}`,
            );
        }
        if (method !== 'GET' && !/search|fetch|similar|render|mcp/.test(route)) continue;
        if ((await ask(method, one, MASTER_KEY)).text.includes(CANARY)) seenByAdmin += 1;
      }
    }
    expect(leaks).toEqual([]);
    // the requests do reach for it
    expect(seenByAdmin).toBeGreaterThan(25);
  });

  it('cannot be a condition', async () => {
    for (const { token } of bearers)
      for (const filter of FOREIGN) {
        const { status } = await ask('POST', at('/indexes/films/search', { filter }), token);
        expect(status).toBe(403);
      }
  });

  it('leaves all other tasks to a key of all other indexes', async () => {
    const listed = async (token: string): Promise<{ indexUid: string | null; type: string }[]> =>
      JSON.parse((await ask('GET', at('/tasks?limit=1000'), token)).text).results;
    const all = await listed(MASTER_KEY);
    const seen = await listed(keyOfAll);
    expect(seen.length).toBe(all.filter(({ indexUid }) => indexUid !== UID).length);
    expect(new Set(seen.map(({ type }) => type))).toContain('indexSwap');
  });
});
