import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  withDescriptors,
} from '../e2e/server-process.test-support.js';
import { isLongRun, rounds } from './rounds.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
/** So few that every thread has ten stores open at most. */
const DESCRIPTOR_COUNT = 512;
const INDEX_COUNT = Number(process.env['FOSSICK_TEST_ROUNDS'] ?? rounds(100, 10_000));
/** Queries of one federated search, one index each: more views at once than stores may be open. */
const FEDERATED_COUNT = Math.min(60, INDEX_COUNT);
const AT_ONCE = 20;

async function start(folder: string): Promise<ServerProcess> {
  const server = await startServerProcess(folder, [], {}, withDescriptors(DESCRIPTOR_COUNT));
  cleanups.push(() => server.kill());
  return server;
}
const uids = Array.from({ length: INDEX_COUNT }, (_, at) => `index${String(at).padStart(5, '0')}`);

/** Some at a time. */
async function forAll(work: (uid: string, at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < uids.length; at = next++) await work(uids[at]!, at);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
async function drained(server: ServerProcess): Promise<void> {
  for (;;) {
    const { body } = await server.call<{ total: number }>('GET', '/tasks?statuses=enqueued,processing&limit=1');
    if (body.total === 0) break;
    await pause(100);
  }
  expect((await server.call('GET', '/tasks?statuses=failed&limit=3')).body).toMatchObject({ results: [] });
}
async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startMs = performance.now();
  await work();
  if (isLongRun || INDEX_COUNT > 100)
    console.log(`${INDEX_COUNT} indexes: ${what} ${Math.round(performance.now() - startMs)} ms`);
}
async function expectServed(server: ServerProcess): Promise<void> {
  await timed('searched', () =>
    forAll(async (uid, at) => {
      const { status, body } = await server.call('POST', `/indexes/${uid}/search`, { q: `word${at}` });
      expect({ status, body }).toMatchObject({ status: 200, body: { hits: [{ id: at }] } });
    }),
  );
  await timed('listed', async () => {
    const page = await server.call('GET', `/indexes?limit=${INDEX_COUNT}`);
    expect(page.body).toMatchObject({ total: INDEX_COUNT });
  });
  await timed('counted', async () => {
    const { body } = await server.call<{ indexes: Record<string, object> }>('GET', '/stats');
    expect(Object.keys(body.indexes)).toHaveLength(INDEX_COUNT);
    expect(body.indexes[uids.at(-1)!]).toMatchObject({ numberOfDocuments: 1 });
  });
  expect(readdirSync(`/proc/${server.pid}/fd`).length).toBeLessThan(DESCRIPTOR_COUNT);
}

describe.skipIf(!existsSync(BUILT_FILE) || !existsSync('/proc/self/fd'))('many indexes', () => {
  test('are created, searched, listed and found again with few descriptors', async () => {
    const folder = newFolder();
    const server = await start(folder);
    await timed('created', async () => {
      await forAll((uid, at) => server.call('POST', `/indexes/${uid}/documents`, [{ id: at, text: `word${at}` }]));
      await drained(server);
    });
    await expectServed(server);
    const queries = uids.slice(0, FEDERATED_COUNT).map((indexUid, at) => ({ indexUid, q: `word${at}` }));
    const federated = await server.call<{ hits: object[] }>('POST', '/multi-search', {
      federation: { limit: 100 },
      queries,
    });
    expect(federated.body.hits).toHaveLength(FEDERATED_COUNT);
    expect((await server.call('POST', '/multi-search', { queries: queries.slice(0, 50) })).status).toBe(200);
    await server.stop();
    let again: ServerProcess;
    await timed('started again', async () => {
      again = await start(folder);
    });
    await expectServed(again!);
    await forAll((uid, at) => (at % 10 === 0 ? again.call('DELETE', `/indexes/${uid}`) : Promise.resolve()));
    await drained(again!);
    expect((await again!.call('GET', '/indexes?limit=1')).body).toMatchObject({
      total: INDEX_COUNT - Math.ceil(INDEX_COUNT / 10),
    });
  }, 3_600_000);
});
