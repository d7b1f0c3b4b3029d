import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '@fossick/server/e2e/server-process.test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const isBuilt = existsSync(fileURLToPath(new URL('../../../../apps/server/dist/main.js', import.meta.url)));
const MASTER_KEY = 'a master key for analytics';
const PERIOD_MS = 1_500;
const PATIENT = { timeout: 30_000, interval: 200 };
const INDEX = '_fossick_analytics';

interface Rates {
  readonly searches: number;
  readonly withoutHits: number;
  readonly clicks: number;
  readonly clickedSearches: number;
  readonly conversions: number;
  readonly averageClickPosition: number | null;
}
interface Report {
  readonly enabled: boolean;
  readonly totals: Rates & { readonly requests: number; readonly users: number; readonly unlinkedEvents: number };
  readonly queries: readonly (Rates & { readonly index: string; readonly query: string })[];
  readonly withoutHits: readonly { readonly query: string }[];
  readonly rules: readonly (Rates & { readonly rule: string })[];
  readonly groups: readonly (Rates & { readonly group: string })[];
  readonly indexes: readonly (Rates & { readonly index: string })[];
}

describe.skipIf(!isBuilt)('search analytics', () => {
  const folder = newDatabaseFolder();
  let server: ServerProcess;
  const master = { authorization: `Bearer ${MASTER_KEY}` };
  const call = <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.call<T>(method, path, body, { ...master, ...headers });
  const report = async (query = '', headers: Record<string, string> = master): Promise<Report> =>
    (await server.call<Report>('GET', `/analytics/searches${query}`, undefined, headers)).body;
  const rowOf = async (query: string): Promise<Rates | undefined> =>
    (await report()).queries.find((row) => row.query === query);
  const start = async (): Promise<void> => {
    server = await startServerProcess(folder, ['--master-key', MASTER_KEY, '--search-analytics'], {
      FOSSICK_TEST_ANALYTICS_PERIOD_MS: String(PERIOD_MS),
    });
  };
  let searchKey: { uid: string; key: string };

  beforeAll(async () => {
    await start();
    for (const uid of ['films', 'books'])
      await call('POST', `/indexes/${uid}/documents`, [
        { id: 1, title: 'Star Wars', year: 1977 },
        { id: 2, title: 'Heat', year: 1995 },
      ]);
    await server.allTasksDone();
    searchKey = (
      await call<{ uid: string; key: string }>('POST', '/keys', {
        actions: ['search'],
        indexes: ['*'],
        expiresAt: null,
      })
    ).body;
  }, 60_000);
  afterAll(async () => {
    await server?.kill();
    removeFolder(folder);
  });

  test('a search by POST, by GET, in a multi-search and in a federated search is counted, a facet search is not', async () => {
    await call('POST', '/indexes/films/search', { q: 'Heat' }, { 'x-ms-user-id': 'a' });
    await call('GET', '/indexes/films/search?q=heat', undefined, { 'x-ms-user-id': 'b' });
    await call(
      'POST',
      '/multi-search',
      {
        queries: [
          { indexUid: 'films', q: 'HEAT' },
          { indexUid: 'films', q: 'heat', limit: 0 },
        ],
      },
      { 'x-ms-user-id': 'c' },
    );
    const queries = ['films', 'books'].map((indexUid) => ({ indexUid, q: 'heat' }));
    await call('POST', '/multi-search', { federation: {}, queries }, { 'x-ms-user-id': 'd' });
    await call('POST', '/indexes/films/facet-search', { facetName: 'title' });
    await expect
      .poll(async () => (await report()).queries.map(({ index, query, searches }) => [index, query, searches]), PATIENT)
      .toEqual([
        ['films', 'heat', 4],
        ['books', 'heat', 1],
      ]);
    expect((await report()).totals).toMatchObject({ requests: 5, users: 4 });
  });

  test('what one user types within seconds is one search', async () => {
    for (const q of ['', 's', 'st', 'star', 'star w'])
      await call('POST', '/indexes/films/search', { q }, { 'x-ms-user-id': 'typist' });
    await expect.poll(async () => (await rowOf('star w'))?.searches, PATIENT).toBe(1);
    expect(await rowOf('star')).toBeUndefined();
  });

  test('an event in the body of the reference is linked with its query, in the header or the body its user', async () => {
    const headers = { 'meili-include-metadata': 'true', 'x-ms-user-id': 'clicker', 'fossick-user-group': 'staff' };
    const asked = { q: 'star wars' };
    const { body } = await call<{ metadata: { queryUid: string } }>('POST', '/indexes/films/search', asked, headers);
    const event = {
      eventName: 'Search Result Clicked',
      indexUid: 'films',
      queryUid: body.metadata.queryUid,
      objectId: 1,
      objectName: 'Star Wars',
    };
    const bearer = { authorization: `Bearer ${searchKey.key}` };
    const send = (more: object) => server.call('POST', '/events', { ...event, ...more }, bearer);
    const click = { eventType: 'click', userId: 'clicker', position: 2, aMemberOfLaterVersions: true };
    expect(await send(click)).toEqual({ status: 201, body: undefined });
    expect((await send({ eventType: 'conversion', userId: 'clicker' })).status).toBe(201);
    expect((await send({ eventType: 'click', queryUid: 'nobody knows it' })).status).toBe(201);
    await expect
      .poll(() => rowOf('star wars'), PATIENT)
      .toMatchObject({ searches: 1, clicks: 1, clickedSearches: 1, conversions: 1, averageClickPosition: 2 });
    const { totals, groups } = await report('?index=films');
    expect(totals).toMatchObject({ clicks: 2, conversions: 1, unlinkedEvents: 1 });
    expect(groups).toMatchObject([{ group: 'staff', searches: 1, clicks: 1 }]);
  });

  test('searches without hits, and those that a search rule changed', async () => {
    await call('PATCH', '/experimental-features', { dynamicSearchRules: true });
    await call('PATCH', '/dynamic-search-rules/promo', {
      conditions: { query: { words: 'qqqq' } },
      actions: [{ selector: { indexUid: 'films', id: '2' }, action: { type: 'pin', position: 0 } }],
    });
    await server.allTasksDone();
    await call('POST', '/indexes/films/search', { q: 'qqqq' });
    await call('POST', '/multi-search', { federation: {}, queries: [{ indexUid: 'films', q: 'qqqq' }] });
    await call('POST', '/indexes/films/search', { q: 'zzzz' });
    await expect.poll(async () => (await report()).withoutHits.map(({ query }) => query), PATIENT).toEqual(['zzzz']);
    await expect.poll(async () => (await report()).rules, PATIENT).toMatchObject([{ rule: 'promo' }]);
    expect((await report()).rules[0]!.searches).toBeGreaterThan(0);
  });

  test('the counts are documents of an index that one can search', async () => {
    const found = async () =>
      (await call<{ hits: { query: string; searches: number }[] }>('POST', `/indexes/${INDEX}/search`, { q: 'hae' }))
        .body.hits ?? [];
    await expect
      .poll(async () => {
        const { body } = await call<{ hits?: { query?: string }[] }>('POST', `/indexes/${INDEX}/search`, {
          q: 'heat',
          filter: 'kind = query AND index = films',
        });
        return body.hits?.map(({ query }) => query);
      }, PATIENT)
      .toEqual(['heat']);
    expect(Array.isArray(await found())).toBe(true);
    // searches in it are none of users
    expect((await report()).indexes.map(({ index }) => index)).not.toContain(INDEX);
  });

  test('a key for searching in all indexes reaches neither that index nor reports', async () => {
    const bearer = { authorization: `Bearer ${searchKey.key}` };
    const body = { queries: [{ indexUid: INDEX, q: '' }] };
    expect((await server.call('POST', `/indexes/${INDEX}/search`, { q: '' }, bearer)).status).toBe(403);
    expect((await server.call('POST', '/multi-search', body, bearer)).status).toBe(403);
    expect((await server.call('GET', '/analytics/searches', undefined, bearer)).status).toBe(403);
    const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${base64({ typ: 'JWT', alg: 'HS256' })}.${base64({ apiKeyUid: searchKey.uid, searchRules: ['*'] })}`;
    const token = `${text}.${createHmac('sha256', searchKey.key).update(text).digest('base64url')}`;
    const tenant = { authorization: `Bearer ${token}` };
    expect((await server.call('POST', `/indexes/${INDEX}/search`, { q: '' }, tenant)).status).toBe(403);
    expect((await server.call('POST', '/indexes/films/search', { q: '' }, tenant)).status).toBe(200);
    for (const rights of [
      { actions: ['search', 'stats.get'], indexes: ['*'] },
      { actions: ['search'], indexes: [INDEX] },
    ]) {
      const { key } = (await call<{ key: string }>('POST', '/keys', { ...rights, expiresAt: null })).body;
      const wide = { authorization: `Bearer ${key}` };
      expect((await server.call('POST', `/indexes/${INDEX}/search`, { q: '' }, wide)).status).toBe(200);
    }
  });

  test('a key of some indexes sees only their rows in a report', async () => {
    const given = { actions: ['stats.get'], indexes: ['books'], expiresAt: null };
    const { key } = (await call<{ key: string }>('POST', '/keys', given)).body;
    const { queries, indexes } = await report('', { authorization: `Bearer ${key}` });
    expect([...queries, ...indexes].map(({ index }) => index)).toEqual(['books', 'books']);
  });

  test.each([
    ['no type', { eventName: 'n', indexUid: 'films' }, 'missing_event_type'],
    ['another type', { eventType: 'purchase', eventName: 'n', indexUid: 'films' }, 'invalid_event_type'],
    ['no name', { eventType: 'click', indexUid: 'films' }, 'missing_event_name'],
    ['no index', { eventType: 'click', eventName: 'n' }, 'missing_event_index_uid'],
    ['a long name', { eventType: 'click', eventName: 'n'.repeat(2_000), indexUid: 'films' }, 'invalid_event_name'],
    [
      'a wrong place',
      { eventType: 'click', eventName: 'n', indexUid: 'films', position: -1 },
      'invalid_event_position',
    ],
    [
      'a long body',
      { eventType: 'click', eventName: 'n', indexUid: 'films', x: 'x'.repeat(70_000) },
      'payload_too_large',
    ],
  ])('an event with %s is refused', async (_, body, code) => {
    expect((await call<{ code: string }>('POST', '/events', body)).body.code).toBe(code);
  });

  test.each([
    ['from=never', 'invalid_analytics_from'],
    ['to=2030-02-31', 'invalid_analytics_to'],
    ['from=2030-01-02&to=2030-01-01', 'invalid_analytics_to'],
    ['from=2020-01-01&to=2029-01-01', 'invalid_analytics_to'],
    ['index=no uid', 'invalid_analytics_index'],
    ['limit=x', 'invalid_analytics_limit'],
  ])('a report with %s is refused', async (query, code) => {
    expect((await call<{ code: string }>('GET', `/analytics/searches?${query}`)).body.code).toBe(code);
  });

  test('neither the ids of users nor addresses are in the files', async () => {
    await call('POST', '/indexes/films/search', { q: 'private' }, { 'x-ms-user-id': 'anna@example.com' });
    await expect.poll(() => rowOf('private'), PATIENT).toBeDefined();
    const files = join(folder, 'analytics');
    const text = (): string =>
      readdirSync(files)
        .map((name) => readFileSync(join(files, name), 'latin1'))
        .join('');
    await expect.poll(text, PATIENT).toContain('private');
    expect(text()).not.toMatch(/anna|example\.com|127\.0\.0\.1/);
  });

  test('popular queries with hits become an index of suggestions, without those that are denied', async () => {
    for (const [q, count] of [
      ['heat', 3],
      ['star wars', 3],
      ['zzzz', 4],
      ['heat secret', 3],
    ] as const)
      for (let i = 0; i < count; i++)
        await call('POST', '/indexes/films/search', { q }, { 'x-ms-user-id': `visitor ${q} ${i}` });
    const given = { enabled: true, minSearches: 3, sources: ['films'], denied: ['Secret'] };
    const changed = await call<object>('PATCH', '/analytics/suggestions', given);
    expect(changed.body).toMatchObject({ ...given, indexUid: 'query_suggestions', days: 30 });
    const suggested = async (q: string): Promise<unknown> => {
      const { body } = await server.call<{ hits?: { query: string }[] }>(
        'POST',
        '/indexes/query_suggestions/search',
        { q },
        { authorization: `Bearer ${searchKey.key}` },
      );
      return body.hits?.map(({ query }) => query).sort();
    };
    await expect.poll(() => suggested(''), PATIENT).toEqual(['heat', 'star wars']);
    await expect.poll(() => suggested('st'), PATIENT).toEqual(['star wars']);
    await call('PATCH', '/analytics/suggestions', { denied: ['star'] });
    await expect.poll(() => suggested(''), PATIENT).toEqual(['heat', 'heat secret']);
    // searches for suggestions are none of users
    expect((await report()).indexes.map(({ index }) => index)).not.toContain('query_suggestions');
    const taken = await call<{ code: string }>('PATCH', '/analytics/suggestions', { indexUid: 'films' });
    expect(taken.body.code).toBe('invalid_suggestions_index_uid');
    const reset = await call<{ enabled: boolean }>('DELETE', '/analytics/suggestions');
    expect(reset.body.enabled).toBe(false);
  });

  test('a stopped server continues with its counts', async () => {
    await expect.poll(async () => (await rowOf('private'))?.searches, PATIENT).toBe(1);
    const before = await report();
    expect(await server.stop()).toBe(0);
    await start();
    await expect.poll(async () => (await report()).totals, PATIENT).toEqual(before.totals);
    expect((await report()).queries).toEqual(before.queries);
  });
});

describe.skipIf(!isBuilt)('without the option', () => {
  test('nothing is counted and no index is made: events are refused, a report says that it is off', async () => {
    const folder = newDatabaseFolder();
    const server = await startServerProcess(folder);
    try {
      await server.call('POST', '/indexes/films/documents', [{ id: 1, title: 'Heat' }]);
      await server.allTasksDone();
      await server.call('POST', '/indexes/films/search', { q: 'heat' });
      const event = { eventType: 'click', eventName: 'n', indexUid: 'films' };
      expect((await server.call<{ code: string }>('POST', '/events', event)).body.code).toBe('search_analytics_off');
      const { body } = await server.call<Report>('GET', '/analytics/searches');
      expect([body.enabled, body.totals.requests]).toEqual([false, 0]);
      expect(existsSync(join(folder, 'analytics'))).toBe(false);
    } finally {
      await server.kill();
      removeFolder(folder);
    }
  });

  test('texts of queries are dropped where the operator says so', async () => {
    const folder = newDatabaseFolder();
    const server = await startServerProcess(folder, ['--search-analytics', '--search-analytics-no-queries']);
    try {
      await server.call('POST', '/indexes/films/documents', [{ id: 1, title: 'Heat' }]);
      await server.allTasksDone();
      await server.call('POST', '/indexes/films/search', { q: 'nothing like it' });
      await expect
        .poll(async () => (await server.call<Report>('GET', '/analytics/searches')).body.totals.withoutHits, PATIENT)
        .toBe(1);
      expect((await server.call<Report>('GET', '/analytics/searches')).body.queries).toEqual([]);
      expect(await server.stop()).toBe(0);
      const files = join(folder, 'analytics');
      for (const name of readdirSync(files))
        expect(readFileSync(join(files, name), 'utf8')).not.toContain('nothing like');
    } finally {
      await server.kill();
      removeFolder(folder);
    }
  });
});
