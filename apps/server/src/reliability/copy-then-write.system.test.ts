import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { HAS_COPIES } from '../e2e/dumping-server.test-support.js';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { chosenRounds, rounds } from './rounds.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const ENABLED = { taskQueueCompactionRoute: true };
const DOCUMENT_COUNT = rounds(1_600, 4_000);
const DELETED_COUNT = rounds(200, 500);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
async function start(folder: string, options: readonly string[] = []): Promise<ServerProcess> {
  const server = await startServerProcess(folder, options);
  cleanups.push(() => server.kill());
  return server;
}
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}

/** Writes, deletes, and tells what the index must hold then. */
async function writeAndDelete(server: ServerProcess, generation: number): Promise<number> {
  const documents = Array.from({ length: DOCUMENT_COUNT }, (_, id) => ({
    id,
    text: `word${id} generation${generation} ${'filler '.repeat((id + generation) % 40)}`,
  }));
  const deleted = Array.from({ length: DELETED_COUNT }, (_, at) => String((at * 7 + generation) % DOCUMENT_COUNT));
  await server.call('POST', '/indexes/a/documents', documents);
  await server.call('POST', '/indexes/a/documents/delete-batch', deleted);
  return DOCUMENT_COUNT - new Set(deleted).size;
}

async function expectWhole(server: ServerProcess, generation: number, documentCount: number): Promise<void> {
  const stats = await server.call('GET', '/indexes/a/stats');
  expect(stats, `generation ${generation}`).toMatchObject({ status: 200, body: { numberOfDocuments: documentCount } });
  const found = await server.call('POST', '/indexes/a/search', { q: `generation${generation}`, limit: 1 });
  expect(found.body, `generation ${generation}`).toMatchObject({ estimatedTotalHits: Math.min(documentCount, 1_000) });
}

async function expectNoFailure(server: ServerProcess, generation: number): Promise<void> {
  const failed = (await server.allTasksDone()).filter(({ status }) => status !== 'succeeded');
  expect(failed, `generation ${generation}`).toEqual([]);
}

/** Tells how far a chain came, for runs that are ended before it is whole. */
function tellGeneration(generation: number, startedAt: number): void {
  if (generation % 10 === 0)
    console.log(`${generation} generations after ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

describe.skipIf(!existsSync(BUILT_FILE))('copies of stores', () => {
  test('an index that is compacted, written to and compacted again stays whole', async () => {
    const folder = newFolder();
    let server = await start(folder);
    const startedAt = Date.now();
    const generations = chosenRounds(3, 50);
    for (let generation = 1; generation <= generations; generation++) {
      const documentCount = await writeAndDelete(server, generation);
      // a compaction goes before tasks that wait
      await expectNoFailure(server, generation);
      await server.call('POST', '/indexes/a/compact');
      await expectNoFailure(server, generation);
      await expectWhole(server, generation, documentCount);
      tellGeneration(generation, startedAt);
      if (generation % 3 !== 2) continue;
      await server.stop();
      server = await start(folder);
      await expectWhole(server, generation, documentCount);
    }
  });

  test('the task queue is compacted at every generation and loses no task', async () => {
    const folder = newFolder();
    const startedAt = Date.now();
    const generations = chosenRounds(2, 50);
    for (let generation = 1; generation <= generations; generation++) {
      const server = await start(folder);
      await server.call('PATCH', '/experimental-features', ENABLED);
      for (let i = 0; i < 100; i++) await server.call('DELETE', '/indexes/none/documents');
      await server.allTasksDone();
      if (generation > 1)
        await server.call('DELETE', `/tasks?uids=${Array.from({ length: 50 }, (_, i) => (generation - 2) * 101 + i)}`);
      else await server.call('DELETE', '/tasks?uids=999999');
      const tasks = await server.allTasksDone();
      expect(tasks[0], `generation ${generation}`).toMatchObject({ status: 'succeeded', uid: generation * 101 - 1 });
      expect(await server.call('POST', '/tasks/compact'), `generation ${generation}`).toMatchObject({
        status: 200,
        body: { status: 'succeeded' },
      });
      const total = generation * 101 - (generation - 1) * 50;
      expect(await server.call('GET', '/tasks?limit=1')).toMatchObject({ status: 200, body: { total } });
      await server.stop();
      tellGeneration(generation, startedAt);
    }
    const server = await start(folder);
    const page = await server.call<{ total: number }>('GET', '/tasks?limit=1');
    expect(page.body.total).toBe(generations * 101 - (generations - 1) * 50);
  });

  test.runIf(HAS_COPIES)('a snapshot of a restored snapshot of a restored snapshot takes writes', async () => {
    const startedAt = Date.now();
    const generations = chosenRounds(2, 50);
    let snapshot: string | undefined;
    for (let generation = 1; generation <= generations; generation++) {
      const folder = newFolder();
      const snapshots = ['--snapshot-dir', join(folder, 'snapshots')];
      const restored = snapshot === undefined ? [] : ['--import-snapshot', snapshot];
      const server = await start(join(folder, 'data.ms'), [...snapshots, ...restored]);
      const documentCount = await writeAndDelete(server, generation);
      await expectNoFailure(server, generation);
      await expectWhole(server, generation, documentCount);
      await server.call('POST', '/snapshots');
      await expectNoFailure(server, generation);
      await server.stop();
      snapshot = join(folder, 'snapshots', 'data.ms.snapshot');
      tellGeneration(generation, startedAt);
    }
  });
});
