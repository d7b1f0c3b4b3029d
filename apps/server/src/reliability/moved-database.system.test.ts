import { cpSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdbStore } from '@fossick/storage';
import { openTaskLog } from '@fossick/tasks';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { holdUpQueue } from './held-queue.test-support.js';
import { contentsOf, isBuilt } from './launch.test-support.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
async function start(folder: string): Promise<ServerProcess> {
  const server = await startServerProcess(folder, ['--experimental-allowed-ip-networks', '127.0.0.0/8']);
  cleanups.push(() => server.kill());
  return server;
}

const TASKS = 12;
/** A database whose process was killed with additions of one document each in its queue, none of them run. */
async function killedWithQueue(folder: string): Promise<void> {
  const server = await start(folder);
  const holdsUp = await holdUpQueue(server);
  for (let id = 0; id < TASKS; id++)
    expect((await server.call('POST', `/indexes/i${id % 3}/documents`, [{ id, text: `text ${id}` }])).status).toBe(202);
  await server.kill();
  holdsUp.release();
}
async function expectAllThere(server: ServerProcess): Promise<void> {
  const tasks = await server.allTasksDone();
  const additions = tasks.filter(({ type }) => type === 'documentAdditionOrUpdate');
  expect(additions.map(({ status }) => status)).toEqual(Array.from({ length: TASKS }, () => 'succeeded'));
  let total = 0;
  for (const uid of ['i0', 'i1', 'i2'])
    total += (await server.call<{ total: number }>('GET', `/indexes/${uid}/documents`)).body.total;
  expect(total).toBe(TASKS);
}

describe.skipIf(!isBuilt)('a database folder with a queue', () => {
  test('that is moved loses no acknowledged payload', async () => {
    const folder = newFolder();
    const [before, after] = [join(folder, 'before.ms'), join(folder, 'elsewhere', 'after.ms')];
    await killedWithQueue(before);
    expect(readdirSync(join(before, 'update_files')).length).toBeGreaterThan(0);
    cpSync(before, after, { recursive: true });
    rmSync(before, { recursive: true });
    await expectAllThere(await start(after));
    expect(existsSync(before)).toBe(false);
  });

  test('that is copied leaves the original as it was, and both come to the same end', async () => {
    const folder = newFolder();
    const [original, copy] = [join(folder, 'original.ms'), join(folder, 'copy.ms')];
    await killedWithQueue(original);
    cpSync(original, copy, { recursive: true });
    const untouched = contentsOf(original);
    await expectAllThere(await start(copy));
    expect(contentsOf(original)).toEqual(untouched);
    await expectAllThere(await start(original));
  });

  test('whose log has full paths, as older versions wrote them, runs where it is now', async () => {
    const folder = newFolder();
    const [before, after] = [join(folder, 'before.ms'), join(folder, 'after.ms')];
    await killedWithQueue(before);
    const store = openLmdbStore({ folder: join(before, 'tasks') });
    const log = openTaskLog(store);
    const tasks = [...log.tasks({})];
    // a log without a folder of payloads writes what it is given
    for (const task of tasks) {
      const { content } = task;
      if (content.type !== 'documentAdditionOrUpdate') continue;
      expect(content.payloadFile).not.toContain('/');
      const payloadFile = join(before, 'update_files', content.payloadFile);
      log.change([{ kind: 'putTask', task: { ...task, content: { ...content, payloadFile } } }]);
    }
    await store.close();
    renameSync(before, after);
    await expectAllThere(await start(after));
    await expect.poll(() => readdirSync(join(after, 'update_files')), { timeout: 120_000 }).toEqual([]);
  });
});
