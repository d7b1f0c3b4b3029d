import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { rounds } from './rounds.test-support.js';
import { fill, mountSmallDisk } from './small-disk.test-support.js';

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
/** Room that is left, in KiB: for nothing, a lock file, a store, some commits. */
const ROOMS = rounds(0, 1) === 1 ? [0, 4, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128, 160, 192, 256, 512] : [0, 4, 160];

/** Within which a task ends on a full disk, in milliseconds. */
const ENDED_MS = 10_000;

/** A folder on a disk of its own; undefined where mounting is not allowed. */
function smallDisk(): string | undefined {
  const folder = newFolder();
  const unmount = mountSmallDisk(folder);
  if (unmount === undefined) return undefined;
  cleanups.push(unmount);
  return folder;
}
async function start(folder: string): Promise<ServerProcess> {
  const server = await startServerProcess(join(folder, 'data.ms'));
  cleanups.push(() => server.kill());
  return server;
}
describe.skipIf(!existsSync(BUILT_FILE))('a full disk', () => {
  test('fails what needs room, serves everything else, and is over when there is room', async ({ skip }) => {
    const folder = smallDisk();
    if (folder === undefined) return skip('no file system can be mounted here');
    let server = await start(folder);
    await server.call('POST', '/indexes/old/documents', [{ id: 1, title: 'lighthouse' }]);
    await server.allTasksDone();
    const isRefused = ({ status, body }: { status: number; body: unknown }): boolean =>
      status === 422 && (body as { code: string }).code === 'no_space_left_on_device';
    let refusedCount = 0;
    for (const [round, leftKiB] of ROOMS.entries()) {
      fill(folder, leftKiB);
      for (let i = 0; i < 3; i++) {
        const answer = await server.call('POST', '/indexes', { uid: `new${round}x${i}` });
        expect(answer.status === 202 || isRefused(answer), `${leftKiB} KiB: ${JSON.stringify(answer)}`).toBe(true);
        if (answer.status !== 202) refusedCount++;
      }
      const found = await server.call('POST', '/indexes/old/search', { q: 'lighthouse' });
      expect(found, `${leftKiB} KiB`).toMatchObject({ status: 200, body: { hits: [{ id: 1 }] } });
      if (round % 2 === 1) {
        await server.kill();
        rmSync(join(folder, 'filler'));
        fill(folder, Math.max(leftKiB, 64));
        server = await start(folder);
        expect((await server.call('POST', '/indexes/old/search', { q: 'lighthouse' })).status).toBe(200);
      }
      rmSync(join(folder, 'filler'));
      const tasks = await server.allTasksDone();
      const failed = tasks.filter(({ status }) => status !== 'succeeded');
      refusedCount += failed.length;
      expect(
        failed.every(({ error }) => error?.code === 'no_space_left_on_device'),
        JSON.stringify(failed),
      ).toBe(true);
      await server.call('POST', '/indexes/old/documents', [{ id: round + 2, title: 'room again' }]);
      expect((await server.allTasksDone())[0], `${leftKiB} KiB`).toMatchObject({ status: 'succeeded' });
    }
    expect(refusedCount).toBeGreaterThan(0);
  });

  test('fails an addition within seconds, whatever room is left, and does what frees space', async ({ skip }) => {
    const folder = smallDisk();
    if (folder === undefined) return skip('no file system can be mounted here');
    const server = await start(folder);
    const documents = (count: number, from: number): object[] =>
      Array.from({ length: count }, (_, at) => ({ id: from + at, title: `lighthouse ${(from + at) % 7}` }));
    for (const uid of ['old', 'older']) await server.call('POST', `/indexes/${uid}/documents`, documents(10, 0));
    await server.allTasksDone();
    let failed = 0;
    for (const [round, leftKiB] of [0, 8, 16, 24, 28, 32, 36, 40, 44, 48, 56, 64, 96, 160].entries()) {
      fill(folder, leftKiB);
      for (const count of [1, 50]) {
        const startMs = performance.now();
        const sent = await server.call('POST', '/indexes/old/documents', documents(count, 100 + round * 100));
        await server.allTasksDone();
        expect(performance.now() - startMs, `${leftKiB} KiB`).toBeLessThan(ENDED_MS);
        if (sent.status !== 202) failed++;
      }
      const [last] = await server.allTasksDone();
      if (last!.status === 'failed') failed++;
      rmSync(join(folder, 'filler'));
      await server.call('POST', '/indexes/old/documents', documents(1, 90));
      expect((await server.allTasksDone())[0], `${leftKiB} KiB`).toMatchObject({ status: 'succeeded' });
    }
    expect(failed).toBeGreaterThan(0);
    fill(folder, 32);
    await server.call('POST', '/indexes/old/documents', documents(1, 91));
    await server.allTasksDone();
    expect((await server.call('DELETE', '/indexes/older')).status).toBe(202);
    expect((await server.allTasksDone())[0]).toMatchObject({ type: 'indexDeletion', status: 'succeeded' });
  });
});
