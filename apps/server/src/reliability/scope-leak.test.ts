import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { rounds } from './rounds.test-support.js';

const MASTER_KEY = 'a master key for leaks of scope';
const ADMIN = { authorization: `Bearer ${MASTER_KEY}` };
/** Occurs in every text of a document that the bearer may not see, and as a number in every number. */
const CANARY = 'zyxcanary';
const HIDDEN_NUMBER = 4_815_162_342;
const BASE64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Documents of three indexes: even ones belong to tenant 2. Keys lead from `mine` to all of them. */
function documentsOf(index: 'mine' | 'secret' | 'shared'): object[] {
  return Array.from({ length: 24 }, (_, i) => {
    const isHidden = index === 'secret' || i % 2 === 0;
    return {
      id: `${index}-${i}`,
      tenant: isHidden ? 2 : 1,
      name: isHidden ? `${CANARY} story number ${i}` : `bright story number ${i}`,
      tags: isHidden ? [CANARY, `${CANARY}${i}`] : ['bright', `bright${i}`],
      price: isHidden ? HIDDEN_NUMBER + i : i,
      ...(index === 'secret' ? { [`${CANARY}field`]: i } : {}),
      ...(index === 'mine'
        ? {
            friend: `secret-${i}`,
            peer: [`shared-${i}`, `shared-${(i + 1) % 24}`],
            twin: { of: `mine-${(i + 1) % 24}` },
          }
        : {}),
      _vectors: { given: isHidden ? [HIDDEN_NUMBER, i] : [i + 1, 3] },
    };
  });
}
const SETTINGS = {
  filterableAttributes: ['tenant', 'name', 'tags', 'price', 'id', 'friend', 'peer', 'twin.of'],
  sortableAttributes: ['name', 'price', 'tenant'],
  embedders: { given: { source: 'userProvided', dimensions: 2 } },
};

const CONDITIONS = [
  `price >= ${HIDDEN_NUMBER}`,
  'price > 100',
  'tenant = 2',
  'tenant = 1',
  'tenant EXISTS',
  'name STARTS WITH zyx',
  'NOT price < 50',
];
const condition = fc.constantFrom(...CONDITIONS);
const foreign = fc
  .tuple(fc.constantFrom('friend', 'peer', '"twin.of"'), condition)
  .map(([field, inner]) => `_foreign(${field}, ${inner})`);
const filter = fc.oneof(
  fc.constant(null),
  condition,
  foreign,
  foreign.map((one) => `NOT ${one}`),
  fc.tuple(foreign, condition).map(([a, b]) => `${a} OR ${b}`),
  fc.tuple(foreign, condition).map(([a, b]) => [[a, b]]),
);
const names = fc.constantFrom(['*'], ['name'], ['tags', 'price'], ['friend', 'peer', 'twin'], ['id']);
const query = fc.record(
  {
    q: fc.constantFrom('', 'story', 'zyx', 'z', 'bright', 'number 1', '"story number"', '-bright', 'zyxcanar storu'),
    filter,
    facets: fc.constantFrom(['*'], ['name', 'price'], ['tags', 'tenant', 'friend']),
    sort: fc.constantFrom(['price:desc'], ['name:asc'], ['tenant:desc', 'price:asc']),
    distinct: fc.constantFrom('tenant', 'tags', 'friend'),
    attributesToRetrieve: names,
    attributesToHighlight: names,
    attributesToCrop: names,
    attributesToSearchOn: fc.constantFrom(['name'], ['tags']),
    showMatchesPosition: fc.boolean(),
    showRankingScore: fc.boolean(),
    showRankingScoreDetails: fc.boolean(),
    showPerformanceDetails: fc.boolean(),
    explain: fc.boolean(),
    retrieveVectors: fc.boolean(),
    hybrid: fc.constantFrom({ embedder: 'given', semanticRatio: 0.5 }, { embedder: 'given', semanticRatio: 1 }),
    vector: fc.constantFrom([1, 2], [HIDDEN_NUMBER % 7, 1]),
    limit: fc.constantFrom(0, 1, 20, 1000),
    offset: fc.constantFrom(0, 1, 30),
    matchingStrategy: fc.constantFrom('last', 'all', 'frequency'),
    rankingScoreThreshold: fc.constantFrom(0, 0.5),
  },
  { requiredKeys: [] },
);
const index = fc.constantFrom('mine', 'mine', 'shared', 'secret');
const id = fc.tuple(index, fc.nat(23)).map(([uid, i]) => `${uid}-${i}`);

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}
const post = (path: string, body: unknown): Request => ({ method: 'POST', path, body });
const get = (path: string): Request => ({ method: 'GET', path });
const text = (value: unknown): string =>
  encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const searching = fc.oneof(
  fc.tuple(index, query).map(([uid, body]) => post(`/indexes/${uid}/search`, body)),
  fc.tuple(index, filter).map(([uid, one]) => get(`/indexes/${uid}/search?q=story&filter=${text(one)}&facets=*`)),
  fc
    .array(fc.tuple(index, query), { minLength: 1, maxLength: 3 })
    .map((all) => post('/multi-search', { queries: all.map(([indexUid, body]) => ({ indexUid, ...body })) })),
  fc
    .tuple(
      fc.array(fc.tuple(index, filter), { minLength: 1, maxLength: 3 }),
      fc.constantFrom({}, { mine: ['*'] }, { mine: ['name'], shared: ['*'] }, { secret: ['name'] }),
      fc.constantFrom(undefined, {}, { maxValuesPerFacet: 5 }),
    )
    .map(([all, facetsByIndex, mergeFacets]) =>
      post('/multi-search', {
        federation: { facetsByIndex, mergeFacets, limit: 50 },
        queries: all.map(([indexUid, one]) => ({ indexUid, filter: one, q: 'story', showRankingScoreDetails: true })),
      }),
    ),
  fc
    .tuple(index, fc.constantFrom('name', 'tags', 'friend', 'peer'), fc.constantFrom('', 'z', 'b', 's'), filter)
    .map(([uid, facetName, facetQuery, one]) =>
      post(`/indexes/${uid}/facet-search`, { facetName, facetQuery, filter: one, exhaustiveFacetCount: true }),
    ),
  fc
    .tuple(index, id, filter, fc.boolean())
    .map(([uid, of, one, retrieveVectors]) =>
      post(`/indexes/${uid}/similar`, { id: of, embedder: 'given', filter: one, retrieveVectors, limit: 50 }),
    ),
);
const INDEX_OF_NO_KEY = fc.constantFrom('mine', 'shared', 'secret');
const reading = fc.oneof(
  fc.tuple(index, filter).map(([uid, one]) => post(`/indexes/${uid}/documents/fetch`, { filter: one, limit: 100 })),
  fc.tuple(index, filter).map(([uid, one]) => get(`/indexes/${uid}/documents?limit=100&filter=${text(one)}`)),
  fc.tuple(INDEX_OF_NO_KEY, id).map(([uid, of]) => get(`/indexes/${uid}/documents/${of}?retrieveVectors=true`)),
  fc
    .tuple(INDEX_OF_NO_KEY, fc.constantFrom('', '/stats', '/settings', '/settings/embedders'))
    .map(([uid, part]) => get(`/indexes/${uid}${part}`)),
  INDEX_OF_NO_KEY.map((uid) => post(`/indexes/${uid}/fields`, {})),
  fc
    .constantFrom('/tasks', '/batches', '/stats', '/indexes', '/tasks?indexUids=secret', '/batches?indexUids=secret')
    .map(get),
  fc.tuple(fc.constantFrom('tasks', 'batches'), fc.nat(12)).map(([kind, uid]) => get(`/${kind}/${uid}`)),
  fc.nat(12).map((uid) => get(`/tasks/${uid}/documents`)),
  fc.tuple(fc.constantFrom('mine', 'shared', 'secret'), id).map(([indexUid, of]) =>
    post('/render-template', {
      template: { kind: 'inlineDocumentTemplate', inline: '{{ doc | json }}', documentTemplateMaxBytes: 10_000 },
      input: { kind: 'indexDocument', indexUid, id: of },
    }),
  ),
);

describe('nothing outside of its scope shows to', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  let token: string;
  let keyOfMine: string;

  beforeAll(async () => {
    server = await startTestServer(folder, ['--master-key', MASTER_KEY]);
    const asAdmin = (method: string, path: string, body: unknown) => server.call(method, path, body, ADMIN);
    const features = { foreignKeys: true, renderRoute: true, containsFilter: true, getTaskDocumentsRoute: true };
    await asAdmin('PATCH', '/experimental-features', features);
    for (const uid of ['secret', 'shared', 'mine'] as const) {
      const keys = [
        { foreignIndexUid: 'secret', fieldName: 'friend' },
        { foreignIndexUid: 'shared', fieldName: 'peer' },
        { foreignIndexUid: 'mine', fieldName: 'twin.of' },
      ];
      await asAdmin('PATCH', `/indexes/${uid}/settings`, {
        ...SETTINGS,
        ...(uid === 'mine' ? { foreignKeys: keys } : {}),
      });
      const metadata = uid === 'mine' ? '' : `&customMetadata=${CANARY}`;
      await asAdmin('POST', `/indexes/${uid}/documents?primaryKey=id${metadata}`, documentsOf(uid));
    }
    const tasks = await server.allTasksDone();
    expect(tasks.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const newKey = async (actions: string[], indexes: string[]) =>
      (await server.call<{ uid: string; key: string }>('POST', '/keys', { actions, indexes, expiresAt: null }, ADMIN))
        .body;
    const parent = await newKey(['search'], ['*']);
    const own = { filter: 'tenant = 1' };
    const signed = `${BASE64({ alg: 'HS256', typ: 'JWT' })}.${BASE64({
      apiKeyUid: parent.uid,
      searchRules: { mine: own, 'shar*': own },
    })}`;
    token = `${signed}.${createHmac('sha256', parent.key).update(signed).digest('base64url')}`;
    keyOfMine = (await newKey(['*'], ['mine'])).key;
  });
  afterAll(async () => {
    await server.stop();
    removeFolder(folder);
  });

  async function ask({ method, path, body }: Request, bearer: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: (await answer.text()).toLowerCase() };
  }
  const check = (requests: fc.Arbitrary<Request>, bearer: () => string, isLeak: (shown: string) => boolean) =>
    fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { status, text: shown } = await ask(request, bearer());
        // an error may cite the request itself
        const isOfRequest = status >= 400 && JSON.stringify(request).toLowerCase().includes(CANARY);
        expect(status).toBeLessThan(500);
        expect(!isOfRequest && isLeak(shown) ? shown.slice(0, 2_000) : '').toBe('');
      }),
      { numRuns: rounds(400, 6_000), endOnFailure: true },
    );

  it('sees what it is to find, when all is allowed', async () => {
    const { text: shown } = await ask(post('/indexes/mine/search', { q: 'story', limit: 100 }), MASTER_KEY);
    expect(shown).toContain(`"friend":{"id":"secret-3"`);
    expect(shown).toContain(CANARY);
    expect(shown).toContain(String(HIDDEN_NUMBER));
  });

  it('a tenant token, whatever it searches', async () => {
    const isLeak = (shown: string): boolean => {
      // filters and vectors of the request are not shown, but numbers of hidden documents would be
      const numbers = shown.match(/48151623\d\d/g) ?? [];
      return shown.includes(CANARY) || numbers.length > 0;
    };
    await check(searching, () => token, isLeak);
    await check(reading, () => token, isLeak);
  });

  it('a key of one index: no document of another', async () => {
    // `mine` is all its own; `secret` and `shared` are not
    const isLeak = (shown: string): boolean =>
      /"(secret|shared)-\d+","tenant"/.test(shown) ||
      shown.includes(`${CANARY}field`) ||
      shown.includes('custommetadata');
    await check(searching, () => keyOfMine, isLeak);
    await check(reading, () => keyOfMine, isLeak);
  });

  it('a condition on documents that the bearer cannot see', async () => {
    for (const inner of [`price >= ${HIDDEN_NUMBER}`, 'tenant = 2', 'name STARTS WITH zyx']) {
      for (const [field, expected] of [
        ['friend', 403],
        ['peer', 200],
        ['"twin.of"', 200],
      ] as const) {
        const request = post('/indexes/mine/search', { filter: `_foreign(${field}, ${inner})` });
        const { status, text: shown } = await ask(request, token);
        expect([field, status]).toEqual([field, expected]);
        if (status === 200) expect(JSON.parse(shown)).toMatchObject({ hits: [], estimatedtotalhits: 0 });
      }
      for (const field of ['friend', 'peer'])
        expect(
          (await ask(post('/indexes/mine/documents/fetch', { filter: `_foreign(${field}, ${inner})` }), keyOfMine))
            .status,
        ).toBe(403);
    }
  });
});
