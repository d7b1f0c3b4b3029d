import { createHmac } from 'node:crypto';
import {
  allowsIndex,
  callerHeaders,
  hiddenIndexes,
  type IndexScope,
  OPEN_ACCESS,
  scopeFilter,
  scopeOfTask,
  storedScope,
  WHOLE_SCOPE,
  withinCaller,
} from '@fossick/instance/access';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

const EVERYTHING_FILTERABLE = [
  { attributePatterns: ['*'], features: { facetSearch: true, filter: { equality: true, comparison: true } } },
];

const MASTER_KEY = 'a-master-key-of-both-instances';
const OPTIONS = ['--experimental-allowed-ip-networks', '127.0.0.0/8', '--master-key', MASTER_KEY];
const MASTER = { authorization: `Bearer ${MASTER_KEY}` };
/** An index that an extension guards. */
const LEDGER = '_fossick_ledger';
const CANARY = 'nobody-may-see-this';

function received(scope: IndexScope, own: IndexScope = WHOLE_SCOPE): IndexScope {
  const access = { scope: own } as Parameters<typeof withinCaller>[0];
  return withinCaller(access, callerHeaders(scope)).scope;
}

const PATTERNS: IndexScope = { patterns: ['mine', '_foss*'], rules: null };
const RULES: IndexScope = { patterns: null, rules: new Map([['*', null]]) };
const NEARLY: IndexScope = { ...WHOLE_SCOPE, hides: [LEDGER] };
/** Scopes, what they hide besides what they have no pattern for, and whether they are everything. */
const SCOPES: readonly [IndexScope, readonly string[] | null][] = [
  [WHOLE_SCOPE, []],
  [NEARLY, [LEDGER]],
  [{ ...WHOLE_SCOPE, hides: [] }, []],
  [{ ...WHOLE_SCOPE, within: WHOLE_SCOPE }, []],
  [{ ...WHOLE_SCOPE, within: NEARLY }, [LEDGER]],
  [{ ...NEARLY, within: WHOLE_SCOPE }, [LEDGER]],
  [{ ...NEARLY, within: NEARLY }, [LEDGER]],
  [{ ...NEARLY, within: { ...WHOLE_SCOPE, hides: ['_fossick_orders'] } }, [LEDGER, '_fossick_orders']],
  [{ ...NEARLY, within: PATTERNS }, null],
  [{ ...WHOLE_SCOPE, within: { ...WHOLE_SCOPE, within: NEARLY } }, [LEDGER]],
  [PATTERNS, null],
  [{ ...PATTERNS, hides: [LEDGER] }, null],
  [RULES, null],
  [{ ...RULES, hides: [LEDGER], within: WHOLE_SCOPE }, null],
];

test.each(SCOPES)('what %j hides, hides at the other instance and in a task as well', (scope, hidden) => {
  expect(hiddenIndexes(scope)).toEqual(hidden);
  const isSeen = allowsIndex(scope, LEDGER);
  if (hidden !== null) expect(isSeen).toBe(hidden.length === 0);
  expect(Object.keys(callerHeaders(scope)).length === 0).toBe(hidden?.length === 0);
  const access = withinCaller(OPEN_ACCESS, callerHeaders(scope));
  expect(access.allowsIndex(LEDGER)).toBe(isSeen);
  expect(allowsIndex(access.scope, LEDGER)).toBe(isSeen);
  expect(allowsIndex(scopeOfTask(storedScope(scope)), LEDGER)).toBe(isSeen);
  expect([access.allowsIndex('mine'), access.allowsIndex('other')]).toEqual([true, allowsIndex(scope, 'other')]);
});

describe('what a caller may touch', () => {
  test('goes along where it is less than everything, and only ever closes', () => {
    expect(callerHeaders(WHOLE_SCOPE)).toEqual({});
    expect(received(WHOLE_SCOPE)).toEqual(WHOLE_SCOPE);
    const rules = new Map<string, unknown>([
      ['mine', null],
      ['shared', 'tenant = "é"'],
    ]);
    const scope = received({ patterns: ['m*', 'shared'], rules }, { patterns: ['mine', 'secret'], rules: null });
    expect(['mine', 'shared', 'secret', 'more'].map((uid) => allowsIndex(scope, uid))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const wide = received({ patterns: null, rules }, { patterns: null, rules: new Map([['*', 'owner = 1']]) });
    expect([scopeFilter(wide, 'mine'), scopeFilter(wide, 'shared')]).toEqual([
      'owner = 1',
      ['tenant = "é"', 'owner = 1'],
    ]);
    expect(allowsIndex(received(scope, WHOLE_SCOPE), 'shared')).toBe(false);
  });

  test('is sent by the names that instances of any version know', () => {
    const header = callerHeaders({ ...WHOLE_SCOPE, hides: [LEDGER] })['fossick-caller-scope']!;
    expect(Buffer.from(header, 'base64url').toString()).toBe('{"patterns":null,"rules":null,"hidesLedger":true}');
  });

  test.each([
    '',
    'x',
    Buffer.from('[]').toString('base64url'),
    Buffer.from('{"patterns":[1],"rules":null}').toString('base64url'),
    Buffer.from('{"patterns":null,"rules":[["a"]]}').toString('base64url'),
    Buffer.from('{"patterns":null,"rules":null,"hidesLedger":"no"}').toString('base64url'),
  ])('is refused where it cannot be read: %s', (header) => {
    const access = { scope: WHOLE_SCOPE } as Parameters<typeof withinCaller>[0];
    expect(() => withinCaller(access, { 'fossick-caller-scope': header })).toThrow(
      expect.objectContaining({ code: 'bad_request' }),
    );
  });
});

describe('documents of other indexes in hits of a remote', () => {
  const folders: string[] = [];
  let [near, far]: TestServer[] = [];
  let token = '';

  async function start(): Promise<TestServer> {
    const folder = newDatabaseFolder();
    folders.push(folder);
    const server = await startTestServer(folder, OPTIONS);
    await server.call('PATCH', '/experimental-features', { network: true, foreignKeys: true }, MASTER);
    const foreignKeys = [
      { foreignIndexUid: 'secret', fieldName: 'friend' },
      { foreignIndexUid: 'shared', fieldName: 'peer' },
    ];
    for (const uid of ['mine', 'secret', 'shared']) {
      await server.call(
        'PATCH',
        `/indexes/${uid}/settings`,
        { filterableAttributes: EVERYTHING_FILTERABLE, ...(uid === 'mine' ? { foreignKeys } : {}) },
        MASTER,
      );
      const documents =
        uid === 'mine'
          ? [
              { id: 'm1', friend: 's1', peer: 'p1', kind: 'a' },
              { id: 'm2', peer: 'p2', kind: 'b' },
            ]
          : ['1', '2'].map((n) => ({
              id: `${uid === 'secret' ? 's' : 'p'}${n}`,
              tenant: Number(n),
              text: `${CANARY}-${uid}-${n}`,
            }));
      await server.call('POST', `/indexes/${uid}/documents`, documents, MASTER);
    }
    await server.allTasksDone();
    return server;
  }

  beforeAll(async () => {
    [near, far] = await Promise.all([start(), start()]);
    const { body } = await far.call<{ results: { key: string; uid: string; actions: string[] }[] }>(
      'GET',
      '/keys',
      undefined,
      MASTER,
    );
    const keyOf = (results: typeof body.results) =>
      results.find(({ actions }) => actions.length === 1 && actions[0] === 'search')!;
    await near.call(
      'PATCH',
      '/network',
      {
        self: 'near',
        remotes: { near: { url: near.url }, far: { url: far.url, searchApiKey: keyOf(body.results).key } },
      },
      MASTER,
    );
    const own = keyOf((await near.call<typeof body>('GET', '/keys', undefined, MASTER)).body.results);
    const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
    const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ apiKeyUid: own.uid, searchRules: { mine: {}, shared: { filter: 'tenant = 1' } } })}`;
    token = `${signed}.${createHmac('sha256', own.key).update(signed).digest('base64url')}`;
  });
  afterAll(async () => {
    await Promise.all([near?.stop(), far?.stop()]);
    for (const folder of folders) removeFolder(folder);
  });

  const farHits = async (authorization: string): Promise<string> => {
    const queries = [{ indexUid: 'mine', q: '', federationOptions: { remote: 'far' } }];
    const answer = await near!.call<{ hits: object[]; remoteErrors: object }>(
      'POST',
      '/multi-search',
      { federation: {}, queries },
      { authorization },
    );
    expect(answer).toMatchObject({ status: 200, body: { hits: [{}, {}], remoteErrors: {} } });
    return JSON.stringify(answer.body.hits);
  };

  test('are shown to the master key', async () => {
    const shown = await farHits(`Bearer ${MASTER_KEY}`);
    for (const one of ['secret-1', 'shared-1', 'shared-2']) expect(shown).toContain(`${CANARY}-${one}`);
  });

  test('follow the token of who asks, not the key of the network', async () => {
    const shown = await farHits(`Bearer ${token}`);
    expect(shown).toContain(`${CANARY}-shared-1`);
    expect(shown).toContain('"friend":"s1"');
    expect(shown).not.toContain(`${CANARY}-secret`);
    expect(shown).not.toContain(`${CANARY}-shared-2`);
    const single = await near!.call(
      'POST',
      '/indexes/mine/search',
      { useNetwork: true },
      { authorization: `Bearer ${token}` },
    );
    expect(single).toMatchObject({ status: 200, body: { estimatedTotalHits: 4, remoteErrors: {} } });
    expect(JSON.stringify(single.body)).not.toContain(`${CANARY}-secret`);
  });

  test('are no oracle in conditions either', async () => {
    const filter = `_foreign(peer, text = "${CANARY}-shared-2")`;
    const queries = [{ indexUid: 'mine', filter, federationOptions: { remote: 'far' } }];
    const ask = (authorization: string) =>
      near!.call<{ hits: object[] }>('POST', '/multi-search', { federation: {}, queries }, { authorization });
    expect((await ask(`Bearer ${MASTER_KEY}`)).body.hits).toHaveLength(1);
    expect((await ask(`Bearer ${token}`)).body.hits).toHaveLength(0);
    const facets = { facetName: 'kind', filter, useNetwork: true };
    const values = (authorization: string) =>
      near!.call('POST', '/indexes/mine/facet-search', facets, { authorization });
    expect((await values(`Bearer ${MASTER_KEY}`)).body).toMatchObject({ facetHits: [{ value: 'b', count: 2 }] });
    expect((await values(`Bearer ${token}`)).body).toMatchObject({ facetHits: [] });
  });

  test('are no oracle in lists of documents of the network', async () => {
    await near!.call('PATCH', '/network', { remotes: { far: { searchApiKey: MASTER_KEY } } }, MASTER);
    const { body } = await near!.call<{ key: string }>(
      'POST',
      '/keys',
      { actions: ['documents.get'], indexes: ['mine', 'shared'], expiresAt: null },
      MASTER,
    );
    const ask = (filter: string, authorization: string) =>
      near!.call<{ total: number; remoteErrors: object }>(
        'POST',
        '/indexes/mine/documents/fetch',
        { filter, useNetwork: true },
        { authorization },
      );
    const hidden = `_foreign(friend, text = "${CANARY}-secret-1")`;
    expect((await ask(hidden, `Bearer ${MASTER_KEY}`)).body).toMatchObject({ total: 2, remoteErrors: {} });
    expect((await ask(hidden, `Bearer ${body.key}`)).status).toBe(403);
    const shown = `_foreign(peer, text = "${CANARY}-shared-2")`;
    expect((await ask(shown, `Bearer ${body.key}`)).body).toMatchObject({ total: 2, remoteErrors: {} });
    // what the far instance is asked with the key of the network and the scope of the caller
    const scope = callerHeaders({ patterns: ['mine', 'shared'], rules: null });
    const sent = (filter: string, headers: object) =>
      far!.call('POST', '/indexes/mine/documents/fetch', { filter }, { ...MASTER, ...headers });
    expect([(await sent(hidden, {})).status, (await sent(hidden, scope)).status]).toEqual([200, 403]);
    expect((await sent('kind = a', callerHeaders({ patterns: ['shared'], rules: null }))).status).toBe(403);
  });
});
