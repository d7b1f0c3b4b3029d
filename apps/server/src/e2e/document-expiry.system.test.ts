import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WireTask,
} from './server-process.test-support.js';

interface Answer {
  readonly hits: readonly { readonly id: number }[];
  readonly estimatedTotalHits: number;
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}
/** The time that is left to some documents while others are read. */
const LIFE_MS = 1_500;
const FAR_MS = Date.UTC(2999, 0, 1);

let folder: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = newDatabaseFolder();
  // looks are so rare here that documents are hidden before they are deleted
  server = await startServerProcess(folder, [], { FOSSICK_TEST_EXPIRY_LOOK_MS: '600000' });
  await server.call('PATCH', '/indexes/offers/settings', {
    expiryAttribute: 'until',
    filterableAttributes: ['kind'],
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
  });
});
afterAll(async () => {
  await server.kill();
  removeFolder(folder);
});

const ids = ({ hits }: Answer): number[] => hits.map(({ id }) => id).sort();
async function post<T>(path: string, body: object): Promise<T> {
  return (await server.call<T>('POST', path, body)).body;
}

test('no read finds a document from its time on, cached answers included', async () => {
  await post('/indexes/offers/documents', [
    { id: 1, kind: 'a', text: 'offer', until: FAR_MS, _vectors: { e: [1, 0] } },
    { id: 2, kind: 'a', text: 'offer', until: '2999-01-01', _vectors: { e: [1, 1] } },
    { id: 3, kind: 'b', text: 'offer', until: new Date(FAR_MS).toISOString(), _vectors: { e: [0, 1] } },
    { id: 4, kind: 'b', text: 'offer', _vectors: { e: [1, 2] } },
  ]);
  await server.allTasksDone();
  const vector = { vector: [1, 0], hybrid: { embedder: 'e', semanticRatio: 0.5 } };
  const read = async (): Promise<unknown> => {
    const search = await post<Answer>('/indexes/offers/search', { q: 'offer', facets: ['kind'] });
    const several = { queries: [{ indexUid: 'offers', q: 'offer' }] };
    const { results } = await post<{ results: Answer[] }>('/multi-search', several);
    const fetched = await post<{ results: { id: number }[]; total: number }>('/indexes/offers/documents/fetch', {});
    const similar = await post<Answer>('/indexes/offers/similar', { id: 2, embedder: 'e' });
    const one = async (id: number): Promise<number> =>
      (await server.call('GET', `/indexes/offers/documents/${id}`)).status;
    return {
      found: [ids(search), search.estimatedTotalHits, search.facetDistribution?.['kind']],
      hybrid: ids(await post<Answer>('/indexes/offers/search', { q: 'offer', ...vector })),
      multi: ids(results[0]!),
      federated: ids(await post<Answer>('/multi-search', { federation: {}, ...several })),
      listed: [fetched.results.map(({ id }) => id), fetched.total],
      similar: ids(similar),
      facet: (await post<{ facetHits: unknown }>('/indexes/offers/facet-search', { facetName: 'kind' })).facetHits,
      single: await Promise.all([1, 2, 3, 4].map(one)),
    };
  };
  const before = await read();
  expect(before).toMatchObject({ found: [[1, 2, 3, 4], 4, { a: 2, b: 2 }], similar: [1, 3, 4] });
  const untilMs = Date.now() + LIFE_MS;
  await server.call('PUT', '/indexes/offers/documents', [
    { id: 1, until: untilMs },
    { id: 3, until: new Date(untilMs).toISOString() },
  ]);
  await server.allTasksDone();
  // on a fast machine these answers have all four documents, and are cached
  await read();
  await read();
  await pause(Math.max(0, untilMs - Date.now()) + 5);
  expect(await read()).toEqual({
    found: [[2, 4], 2, { a: 1, b: 1 }],
    hybrid: [2, 4],
    multi: [2, 4],
    federated: [2, 4],
    listed: [[2, 4], 2],
    similar: [4],
    facet: [
      { value: 'a', count: 1 },
      { value: 'b', count: 1 },
    ],
    single: [404, 200, 404, 200],
  });
});

test('a task deletes them, also after a restart, and nothing is registered when nothing has expired', async () => {
  expect(
    (await server.call<{ numberOfDocuments: number }>('GET', '/indexes/offers/stats')).body.numberOfDocuments,
  ).toBe(4);
  await server.kill();
  server = await startServerProcess(folder, [], { FOSSICK_TEST_EXPIRY_LOOK_MS: '100' });
  const deletions = async (): Promise<readonly WireTask[]> =>
    (await server.call<{ results: WireTask[] }>('GET', '/tasks?types=documentDeletion&statuses=succeeded')).body
      .results;
  await expect.poll(async () => (await deletions()).length, { timeout: 120_000 }).toBe(1);
  expect((await deletions())[0]!.details).toEqual({
    providedIds: 0,
    deletedDocuments: 2,
    originalFilter: null,
    expiredAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(
    (await server.call<{ numberOfDocuments: number }>('GET', '/indexes/offers/stats')).body.numberOfDocuments,
  ).toBe(2);
  // the deletion in another index, which expires now: a look at all indexes has come after the deletion of the first
  await server.call('PATCH', '/indexes/later/settings', { expiryAttribute: 'until' });
  await server.call('POST', '/indexes/later/documents', [{ id: 1, until: 1 }]);
  await expect.poll(async () => (await deletions()).length, { timeout: 120_000 }).toBe(2);
  expect((await deletions()).map(({ indexUid }) => indexUid)).toEqual(['later', 'offers']);
});

test('the setting has a route, is shown where it is set, and has a code', async () => {
  const path = '/indexes/offers/settings';
  expect((await server.call('GET', `${path}/expiry-attribute`)).body).toBe('until');
  expect((await server.call<object>('GET', path)).body).toMatchObject({ expiryAttribute: 'until' });
  await server.call('POST', '/indexes', { uid: 'plain' });
  await server.allTasksDone();
  expect((await server.call<object>('GET', '/indexes/plain/settings')).body).not.toHaveProperty('expiryAttribute');
  expect((await server.call('GET', '/indexes/plain/settings/expiry-attribute')).body).toBeNull();
  expect(await server.call('PATCH', path, { expiryAttribute: 5 })).toMatchObject({
    status: 400,
    body: { code: 'invalid_settings_expiry_attribute' },
  });
});
