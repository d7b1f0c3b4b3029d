import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { complaints, contentsOf, isBuilt, type Launched, launch } from './launch.test-support.js';
import { rounds } from './rounds.test-support.js';

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
  const server = await startServerProcess(folder);
  cleanups.push(() => server.kill());
  return server;
}
async function tryToStart(folder: string, port?: number): Promise<Launched> {
  const launched = await launch(folder, [], port === undefined ? {} : { port });
  cleanups.push(() => {
    launched.child.kill('SIGKILL');
  });
  return launched;
}
async function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Sends the first half of an addition of two documents; `finish` sends the rest and answers the status. */
function beginUpload(server: ServerProcess, halfLines: number): { finish(): Promise<number> } {
  const headers = { 'content-type': 'application/x-ndjson' };
  const upload = request(`${server.url}/indexes/a/documents`, { method: 'POST', headers });
  const status = new Promise<number>((resolve, reject) => {
    upload.once('error', reject);
    upload.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode!));
    });
  });
  const lines = (from: number): string =>
    Array.from({ length: halfLines }, (_, at) => `{"id":${from + at},"text":"${'x'.repeat(1_000)}"}\n`).join('');
  upload.write(lines(0));
  return {
    finish() {
      upload.end(lines(halfLines));
      return status;
    },
  };
}

describe.skipIf(!isBuilt)('a second server', () => {
  test('on the same folder is refused with a line, and the first loses nothing of what it is receiving', async () => {
    const folder = newFolder();
    const server = await start(folder);
    const upload = beginUpload(server, 1_000);
    await expect.poll(() => contentsOf(join(folder, 'update_files')).length, { timeout: 120_000 }).toBe(1);
    const { code, stderr } = await (await tryToStart(folder)).ended;
    expect(code).toBe(1);
    expect(complaints(stderr)).toEqual([expect.stringContaining(`in use by another server (process ${server.pid})`)]);
    expect(await upload.finish()).toBe(202);
    expect((await server.allTasksDone())[0]).toMatchObject({
      status: 'succeeded',
      details: { receivedDocuments: 2_000, indexedDocuments: 2_000 },
    });
  });

  test('on a taken port says what to do, and touches neither an old folder nor a new one', async () => {
    const [old, fresh] = [newFolder(), join(newFolder(), 'fresh.ms')];
    const made = await start(old);
    await made.call('POST', '/indexes/a/documents', [{ id: 1 }]);
    await made.allTasksDone();
    await made.stop();
    const without = (files: readonly string[]): string[] => files.filter((file) => !file.startsWith('LOCK '));
    const [before, lock] = [without(contentsOf(old)), readFileSync(join(old, 'LOCK'), 'utf8')];
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
    });
    cleanups.push(() => void other.close());
    for (const folder of [old, fresh]) {
      const { code, stderr } = await (await tryToStart(folder, port)).ended;
      expect(code).toBe(1);
      expect(complaints(stderr)).toEqual([expect.stringContaining(`127.0.0.1:${port}`)]);
      expect(complaints(stderr)[0]).toContain('--http-addr');
    }
    expect(without(contentsOf(old))).toEqual(before);
    // written again as it was
    expect(readFileSync(join(old, 'LOCK'), 'utf8')).toBe(lock);
    expect(existsSync(fresh)).toBe(false);
  });

  test('takes over at once when the first was killed', async () => {
    const folder = newFolder();
    for (let round = 0; round < rounds(1, 30); round++) {
      const server = await start(folder);
      await server.call('POST', '/indexes', { uid: `i${round}` });
      await server.kill();
    }
    const tasks = await (await start(folder)).allTasksDone();
    expect(tasks.map(({ status }) => status)).toEqual(Array.from({ length: rounds(1, 30) }, () => 'succeeded'));
  });

  test('that starts at the same instant: one of them runs', async () => {
    const folder = newFolder();
    for (let round = 0; round < rounds(1, 20); round++) {
      const all = await Promise.all(Array.from({ length: 4 }, () => tryToStart(folder)));
      const ends: (number | null)[] = [];
      for (const { ended } of all) void ended.then(({ code }) => ends.push(code));
      await expect.poll(() => ends.length, { timeout: 120_000 }).toBe(3);
      expect(ends).toEqual([1, 1, 1]);
      const running = all.filter(({ child }) => child.exitCode === null);
      expect(running).toHaveLength(1);
      while (!(await isHealthy(running[0]!.url))) await pause(20);
      running[0]!.child.kill('SIGKILL');
      await running[0]!.ended;
    }
  });
});
