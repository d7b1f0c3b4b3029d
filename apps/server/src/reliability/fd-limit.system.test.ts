import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { Agent, request } from 'node:http';
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
/** Descriptors that are left: none, those for a lock file only, for half of a store, for some stores. */
const LEFT = rounds(0, 1) === 1 ? Array.from({ length: 40 }, (_, left) => left) : [0, 1, 2, 3, 5, 26];
const COMPACTIONS = rounds(2, 50);
const HAS_LIMITS = existsSync('/proc/self/fd') && spawnSync('prlimit', ['--version']).status === 0;

function descriptorsOf({ pid }: ServerProcess): number[] {
  return readdirSync(`/proc/${pid}/fd`).map(Number);
}
/** Descriptors of files that are deleted. */
function deletedFilesOf({ pid }: ServerProcess): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      const target = readlinkSync(join(`/proc/${pid}/fd`, name));
      return target.endsWith('(deleted)') ? [target] : [];
    } catch {
      // it was closed in between
      return [];
    }
  });
}
/** Leaves a running server this many file descriptors; undefined: as many as it had. */
function leave(server: ServerProcess, left: number | undefined): void {
  let limit = 4_096;
  if (left !== undefined) {
    const used = new Set(descriptorsOf(server));
    limit = 0;
    for (let free = 0; free < left || used.has(limit); limit++) if (!used.has(limit)) free++;
  }
  const { status } = spawnSync('prlimit', ['--pid', String(server.pid), `--nofile=${limit}:`]);
  if (status !== 0) throw new Error('prlimit failed');
}
/** Over a connection that is open already. */
function callOver(agent: Agent, url: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(
      `${url}${path}`,
      { agent, method, headers: { 'content-type': 'application/json' } },
      (answer) => {
        let text = '';
        answer.on('data', (piece) => {
          text += piece;
        });
        answer.on('end', () => resolve({ status: answer.statusCode!, body: JSON.parse(text) }));
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
async function startWithIndexes(uids: readonly string[]): Promise<{ folder: string; server: ServerProcess }> {
  const folder = newFolder();
  const server = await startServerProcess(folder);
  cleanups.push(() => server.kill());
  for (const uid of uids) await server.call('POST', `/indexes/${uid}/documents`, [{ id: 1, title: 'lighthouse' }]);
  await server.allTasksDone();
  return { folder, server };
}

describe.skipIf(!existsSync(BUILT_FILE) || !HAS_LIMITS)('file descriptors', () => {
  test('that are missing fail what opens files, all else is served, and it is over when there are some', async () => {
    const unread = LEFT.map((left) => `unread${left}`);
    const { folder, server } = await startWithIndexes(['old', ...unread]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanups.push(() => agent.destroy());
    const post = (path: string, body: unknown) => callOver(agent, server.url, path, body);
    const search = (uid: string) => post(`/indexes/${uid}/search`, { q: 'lighthouse' });
    const isRefused = ({ status, body }: { status: number; body: unknown }): boolean =>
      status >= 400 && (body as { code: string }).code === 'too_many_open_files';
    expect(await search('old')).toMatchObject({ status: 200 });
    let refusedCount = 0;
    for (const left of LEFT) {
      leave(server, left);
      for (const answer of [
        await post('/indexes', { uid: `new${left}` }),
        await post('/indexes/old/documents', [{ id: left + 2, title: 'added' }]),
        await search(`unread${left}`),
      ]) {
        if (answer.status < 300) continue;
        expect(isRefused(answer), `${left} left: ${JSON.stringify(answer)}`).toBe(true);
        expect(JSON.stringify(answer)).not.toContain(folder);
        refusedCount++;
      }
      expect(await search('old'), `${left} left`).toMatchObject({ status: 200, body: { hits: [{ id: 1 }] } });
      // what was enqueued is done while there are still none
      for (let rest = 1; rest > 0; ) {
        const page = await callOver(agent, server.url, '/tasks?statuses=enqueued,processing&limit=1');
        rest = (page.body as { total: number }).total;
      }
      leave(server, undefined);
      expect((await search(`unread${left}`)).status, `${left} left`).toBe(200);
    }
    const failed = (await server.allTasksDone()).filter(({ status }) => status !== 'succeeded');
    expect(failed.filter(({ error }) => error?.code !== 'too_many_open_files')).toEqual([]);
    expect(refusedCount).toBeGreaterThan(0);
    expect(failed.length).toBeGreaterThan(0);
    expect(JSON.stringify(failed)).not.toContain(folder);
    await server.call('POST', '/indexes', { uid: 'after' });
    expect((await server.allTasksDone())[0]).toMatchObject({ status: 'succeeded', indexUid: 'after' });
  });

  test('are given back by compactions and deletions', async () => {
    const { server } = await startWithIndexes(['old']);
    const counts: number[] = [];
    for (let round = 0; round < COMPACTIONS; round++) {
      await server.call('POST', '/indexes/old/documents', [{ id: round, title: `lighthouse ${round}` }]);
      await server.call('POST', '/indexes/old/compact');
      await server.call('POST', `/indexes/gone${round}/documents`, [{ id: 1, title: 'lighthouse' }]);
      await server.allTasksDone();
      await server.call('POST', '/indexes/old/search', { q: 'lighthouse' });
      await server.call('POST', `/indexes/gone${round}/search`, { q: 'lighthouse' });
      await server.call('DELETE', `/indexes/gone${round}`);
      expect((await server.allTasksDone()).filter(({ status }) => status !== 'succeeded')).toEqual([]);
      // threads that search look for deleted indexes every two seconds
      const leftOpen = async (): Promise<string[]> => {
        await server.call('POST', '/indexes/old/search', { q: 'lighthouse' });
        counts[round] = descriptorsOf(server).length;
        return deletedFilesOf(server);
      };
      await expect.poll(leftOpen, { timeout: 120_000, interval: 100 }).toEqual([]);
    }
    expect(Math.max(...counts), counts.join(' ')).toBeLessThan(counts[0]! + 4);
  });
});
