import { createHmac } from 'node:crypto';
import { ACTION_NAMES } from '@fossick/api';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { copyFolders } from '../e2e/dumping-server.test-support.js';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { extensionRoutes } from '../extensions/extension-parts.test-support.js';
import { isLongRun } from './rounds.test-support.js';
import { routeTable } from './route-table.test-support.js';

/** For a route that asks for a valid key or token, whatever it may do. */
const ANY = 'any';
/** What only keys of everything may do. */
const EVERYTHING = '*';

/**
 * Which actions each route asks for, all of them: the one table that says who may do what. `*` at the end of a path
 * stands for every setting. `documents.*` as an action means the whole family.
 */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  'GET /': [],
  'GET /dashboard/:file': [],
  'GET /health': [],
  'GET /openapi.json': [],
  'GET /usage-data': ['metrics.get'],
  'GET /docs': [],
  'POST /mcp': [ANY],
  'GET /version': ['version'],
  'GET /stats': ['stats.get'],
  'GET /metrics': ['metrics.get'],
  'GET /experimental-features': ['experimental.get'],
  'PATCH /experimental-features': ['experimental.update'],
  'GET /indexes': ['indexes.get'],
  'POST /indexes': ['indexes.create'],
  'GET /indexes/:indexUid': ['indexes.get'],
  'PATCH /indexes/:indexUid': ['indexes.update'],
  'DELETE /indexes/:indexUid': ['indexes.delete'],
  'POST /indexes/:indexUid/compact': ['indexes.compact'],
  'POST /swap-indexes': ['indexes.swap'],
  'GET /indexes/:indexUid/stats': ['stats.get'],
  'POST /indexes/:indexUid/fields': ['fields.post'],
  'GET /indexes/:indexUid/documents': ['documents.get'],
  'POST /indexes/:indexUid/documents/fetch': ['documents.get'],
  'GET /indexes/:indexUid/documents/:documentId': ['documents.get'],
  'POST /indexes/:indexUid/documents': ['documents.add'],
  'PUT /indexes/:indexUid/documents': ['documents.add'],
  'DELETE /indexes/:indexUid/documents': ['documents.delete'],
  'DELETE /indexes/:indexUid/documents/:documentId': ['documents.delete'],
  'POST /indexes/:indexUid/documents/delete-batch': ['documents.delete'],
  'POST /indexes/:indexUid/documents/delete': ['documents.delete'],
  'POST /indexes/:indexUid/documents/edit': ['documents.*'],
  'GET /indexes/:indexUid/settings': ['settings.get'],
  'PATCH /indexes/:indexUid/settings': ['settings.update'],
  'DELETE /indexes/:indexUid/settings': ['settings.update'],
  'GET /indexes/:indexUid/settings/*': ['settings.get'],
  'PUT /indexes/:indexUid/settings/*': ['settings.update'],
  'PATCH /indexes/:indexUid/settings/*': ['settings.update'],
  'DELETE /indexes/:indexUid/settings/*': ['settings.update'],
  'GET /indexes/:indexUid/search': ['search'],
  'POST /indexes/:indexUid/search': ['search'],
  'POST /indexes/:indexUid/facet-search': ['search'],
  'GET /indexes/:indexUid/similar': ['search'],
  'POST /indexes/:indexUid/similar': ['search'],
  'POST /multi-search': ['search'],
  'GET /tasks': ['tasks.get'],
  'DELETE /tasks': ['tasks.delete'],
  'GET /tasks/stream': ['tasks.get'],
  'GET /tasks/:uid': ['tasks.get'],
  'GET /tasks/:uid/documents': ['tasks.get'],
  'GET /tasks/:uid/errors': ['tasks.get'],
  'POST /tasks/cancel': ['tasks.cancel'],
  'POST /tasks/compact': ['tasks.compact'],
  'GET /batches': ['tasks.get'],
  'GET /batches/stream': ['tasks.get'],
  'GET /batches/:uid': ['tasks.get'],
  'GET /keys': ['keys.get'],
  'POST /keys': ['keys.create'],
  'GET /keys/:key': ['keys.get'],
  'PATCH /keys/:key': ['keys.update'],
  'DELETE /keys/:key': ['keys.delete'],
  'GET /network': ['network.get'],
  'PATCH /network': ['network.update'],
  'POST /logs/stream': ['metrics.get'],
  'DELETE /logs/stream': ['metrics.get'],
  'POST /logs/stderr': ['metrics.get'],
  'POST /render-template': ['settings.get', 'documents.get'],
  'POST /dynamic-search-rules': ['dynamicSearchRules.get'],
  'DELETE /dynamic-search-rules': ['dynamicSearchRules.delete'],
  'GET /dynamic-search-rules/:uid': ['dynamicSearchRules.get'],
  'GET /dynamic-search-rules/:uid/target': ['dynamicSearchRules.get'],
  'PATCH /dynamic-search-rules/:uid': ['dynamicSearchRules.update'],
  'DELETE /dynamic-search-rules/:uid': ['dynamicSearchRules.delete'],
};
/** What `*.get` lets its bearer do: reading, but neither keys nor chats, nor sending everything elsewhere. */
const READING = new Set(
  (
    'search documents.get indexes.get tasks.get settings.get stats.get metrics.get version experimental.get network.get ' +
    'chats.get chatsSettings.get webhooks.get fields.post dynamicSearchRules.get'
  ).split(' '),
);
/** Actions about the instance, which a key of some indexes never has. Dumps and snapshots are not restricted by indexes. */
const OF_INSTANCE =
  /^(metrics|version|keys|experimental|export|network|chats|chatsSettings|webhooks|dynamicSearchRules)(\.|$)|^tasks\.compact$/;
const NOT_RESTRICTED = /^(dumps|snapshots)\./;

const MASTER_KEY = 'a master key for the matrix of rights';
const INDEX = 'shelf-1';
/** What stands for each parameter of a path. */
const PARAMETERS: Readonly<Record<string, string>> = {
  indexUid: INDEX,
  documentId: '1',
  uid: '999999',
  key: 'ffffffff-ffff-4fff-8fff-ffffffffffff',
  workspace: 'none',
};

interface Route {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly required: readonly string[];
}
/** A bearer and what it may do. */
interface Bearer {
  readonly name: string;
  readonly token: string | null;
  readonly allows: (route: Route) => boolean;
}

function requiredOf(method: string, url: string): readonly string[] | undefined {
  const setting = url.replace(/^(\/indexes\/:indexUid\/settings)\/[^/]+$/, '$1/*');
  return REQUIRED[`${method} ${url}`] ?? REQUIRED[`${method} ${setting}`];
}
const covers = (granted: string, action: string): boolean =>
  action === ANY ||
  granted === '*' ||
  granted === action ||
  (granted === '*.get' && READING.has(action)) ||
  (granted.endsWith('.*') && granted !== '*.*' && action.startsWith(granted.slice(0, -1)));

function allowsWith(granted: string, pattern: string): Bearer['allows'] {
  const isBound = pattern !== '*';
  const coversIndex = pattern.endsWith('*') ? INDEX.startsWith(pattern.slice(0, -1)) : INDEX === pattern;
  return ({ url, required }) =>
    required.every(
      (action) => covers(granted, action) && !(isBound && (action === EVERYTHING || OF_INSTANCE.test(action))),
    ) &&
    (coversIndex || !url.includes(':indexUid'));
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
function tenantToken(key: { uid: string; key: string }, claims: object, header: object = { alg: 'HS256' }): string {
  const text = `${base64({ typ: 'JWT', ...header })}.${base64({ apiKeyUid: key.uid, ...claims })}`;
  return `${text}.${createHmac('sha256', key.key).update(text).digest('base64url')}`;
}

describe('rights', () => {
  const folder = newDatabaseFolder();
  const table = routeTable();
  const routeOf = (method: string, url: string, required: readonly string[]): Route => {
    const path = url.replace(/:(\w+)/g, (_, name: string) => PARAMETERS[name] ?? name);
    return { method, url, path, required };
  };
  const routes = [
    ...table.map(({ method, url }) => routeOf(method, url, requiredOf(method, url) ?? [])),
    // their own tests say which actions are right
    ...extensionRoutes.map(({ method, path, action }) => routeOf(method, path, action === null ? [] : [action])),
  ];
  let server: TestServer;

  beforeAll(async () => {
    const copies = copyFolders(folder);
    server = await startTestServer(folder, ['--master-key', MASTER_KEY, ...copies]);
  });
  afterAll(async () => {
    await server.stop();
    removeFolder(folder);
  });

  async function newKey(actions: readonly string[], indexes: readonly string[], expiresAt: string | null = null) {
    const headers = { authorization: `Bearer ${MASTER_KEY}` };
    const made = await server.call<{ uid: string; key: string }>(
      'POST',
      '/keys',
      { actions, indexes, expiresAt },
      headers,
    );
    expect(made.status).toBe(201);
    return made.body;
  }
  const statusOf = async ({ method, path }: Route, token: string | null): Promise<number> => {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const hasBody = method !== 'GET' && method !== 'DELETE';
    if (hasBody) headers['content-type'] = 'application/json';
    const answer = await fetch(server.url + path, { method, headers, ...(hasBody ? { body: '{}' } : {}) });
    // a fault of the server is looked into
    if (answer.status >= 500) console.error(await answer.text(), server.output());
    else await answer.body?.cancel();
    return answer.status;
  };
  /** Every cell that is not as the table says. */
  async function wrongCells(bearers: readonly Bearer[], asked = routes): Promise<string[]> {
    const wrong: string[] = [];
    const cells = bearers.flatMap((bearer) => asked.map((route) => ({ bearer, route })));
    let next = 0;
    const walk = async (): Promise<void> => {
      for (let cell = cells[next++]; cell !== undefined; cell = cells[next++]) {
        const { bearer, route } = cell;
        const status = await statusOf(route, bearer.token);
        const denied = bearer.token === null ? 401 : 403;
        const isAllowed = route.required.length === 0 || bearer.allows(route);
        if (isAllowed ? status === 401 || status === 403 || status >= 500 : status !== denied)
          wrong.push(`${route.method} ${route.url} by ${bearer.name}: ${status}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, walk));
    return wrong;
  }

  it('are declared for every route, and for no other', () => {
    expect(table.filter(({ method, url }) => requiredOf(method, url) === undefined)).toEqual([]);
    const known = new Set(
      table.map(({ method, url }) => `${method} ${url.replace(/^(.*:indexUid\/settings)\/[^/]+$/, '$1/*')}`),
    );
    expect(Object.keys(REQUIRED).filter((name) => !known.has(name))).toEqual([]);
    expect(table.length).toBeGreaterThan(120);
  });

  /** One setting stands for the others in the short form: they are registered by one function. */
  const asked = routes.filter(({ url }) => isLongRun || !/\/settings\/(?!synonyms$)[^/]+$/.test(url));

  it('of keys of one action, for all indexes', async () => {
    const bearers: Bearer[] = [];
    for (const action of ACTION_NAMES)
      bearers.push({ name: action, token: (await newKey([action], ['*'])).key, allows: allowsWith(action, '*') });
    expect(await wrongCells(bearers, asked)).toEqual([]);
  });

  it('of keys of one action, for some indexes', async () => {
    const bearers: Bearer[] = [];
    // a key of the instance's actions is refused when it is made; wildcards hold them, but not here
    const bindable = ACTION_NAMES.filter((name) => !OF_INSTANCE.test(name) && !NOT_RESTRICTED.test(name));
    for (const pattern of isLongRun ? [INDEX, 'shelf*', 'other', 'oth*'] : ['shelf*', 'other'])
      for (const action of bindable)
        bearers.push({
          name: `${action} of ${pattern}`,
          token: (await newKey([action], [pattern])).key,
          allows: allowsWith(action, pattern),
        });
    const notSettled = routes.filter(({ required }) => required.some((action) => NOT_RESTRICTED.test(action)));
    expect(
      await wrongCells(
        bearers,
        asked.filter((route) => !notSettled.includes(route)),
      ),
    ).toEqual([]);
  });

  it('of tokens, expired keys, strangers and nobody', async () => {
    const all = await newKey(['*'], ['*']);
    const search = await newKey(['search'], ['*']);
    const adder = await newKey(['documents.add'], ['*']);
    const expiresMs = Date.now() + 3_600_000;
    const mayExpire = await newKey(['*'], ['*'], new Date(expiresMs).toISOString());
    const isValid: Bearer['allows'] = ({ required }) => required[0] === ANY;
    const SEARCHES: Bearer['allows'] = ({ required }) =>
      required.every((action) => action === 'search' || action === ANY);
    // tokens search and converse, by keys that may
    const BOTH: Bearer['allows'] = ({ required }) =>
      required.every((action) => action === 'search' || action === 'chatCompletions' || action === ANY);
    const elsewhere: Bearer['allows'] = (route) => SEARCHES(route) && !route.url.includes(':indexUid');
    const nothing: Bearer['allows'] = () => false;
    const token = (name: string, text: string, allows = nothing): Bearer => ({ name, token: text, allows });
    const rules = { searchRules: ['*'] };
    const bearers: Bearer[] = [
      token('a token', tenantToken(search, rules), SEARCHES),
      token('a token of the admin key', tenantToken(all, rules), BOTH),
      token('a token for another index', tenantToken(search, { searchRules: { other: null } }), elsewhere),
      token('a token of a key that may not search', tenantToken(adder, rules), isValid),
      token('an expired token', tenantToken(search, { ...rules, exp: Math.floor(Date.now() / 1000) - 5 })),
      token('a token with an audience', tenantToken(search, { ...rules, aud: 'x' })),
      token('a token signed by somebody else', tenantToken({ uid: search.uid, key: all.key }, rules)),
      token('a token signed by the master key', tenantToken({ uid: search.uid, key: MASTER_KEY }, rules)),
      ...['none', 'None', 'constructor', '__proto__', 'toString', 'RS256', 'hs256'].map((alg) =>
        token(`a token by the algorithm ${alg}`, tenantToken(search, rules, { alg })),
      ),
      token('an unsigned token', `${tenantToken(search, rules).split('.').slice(0, 2).join('.')}.`),
      token('a stranger', 'f'.repeat(64)),
      token('a uid for a key', all.uid),
      { name: 'nobody', token: null, allows: nothing },
      token('the master key', MASTER_KEY, () => true),
    ];
    expect(await wrongCells(bearers, asked)).toEqual([]);
    // the server takes the date from the process of the test
    vi.useFakeTimers({ toFake: ['Date'], now: expiresMs + 1 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await wrongCells([token('an expired key', mayExpire.key)], asked)).toEqual([]);
    expect(await wrongCells([token('a token of an expired key', tenantToken(mayExpire, rules))], asked)).toEqual([]);
  });
});
