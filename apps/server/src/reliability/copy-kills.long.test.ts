import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WirePage,
} from '../e2e/server-process.test-support.js';
import { isBuilt, launch } from './launch.test-support.js';
import { isLongRun } from './rounds.test-support.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
async function start(folder: string, faults = ''): Promise<ServerProcess> {
  const server = await startServerProcess(folder, [], { FOSSICK_FAULTS: faults });
  cleanups.push(() => server.kill());
  return server;
}

/** Additions of ten documents each, and what came of them. */
class Additions {
  private next = 0;
  /** Documents of each acknowledged one, by the uid of its task. */
  readonly acknowledged = new Map<number, readonly number[]>();
  /** Documents of those without an answer, which may have been done, and of none that was refused. */
  readonly unanswered = new Set<number>();

  /** Sends one; false when the server is gone or takes no writes any more. */
  async send(server: ServerProcess): Promise<boolean> {
    const ids = Array.from({ length: 10 }, (_, at) => this.next + at);
    this.next += 10;
    const documents = ids.map((id) => ({ id, text: `word${id} ${'filler '.repeat(id % 40)}` }));
    try {
      const { status, body } = await server.call<{ taskUid: number }>('POST', '/indexes/a/documents', documents);
      if (status === 202) this.acknowledged.set(body.taskUid, ids);
      return status === 202;
    } catch {
      for (const id of ids) this.unanswered.add(id);
      return false;
    }
  }
  async sendMany(server: ServerProcess, count: number): Promise<void> {
    for (let sent = 0; sent < count; sent++) if (!(await this.send(server))) return;
  }
}

/** Sends on while something else is asked of the server, until that ends. */
async function sendBeside(additions: Additions, server: ServerProcess, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const watched = work
    .catch(() => undefined)
    .then(() => {
      isOver = true;
    });
  while (!isOver && (await additions.send(server)));
  await watched;
}

/** Whatever was acknowledged is done, once, and takes further writes. */
async function expectAllThere(server: ServerProcess, additions: Additions): Promise<void> {
  const sure = [...additions.acknowledged.values()].flat();
  await server.allTasksDone();
  for (const uid of additions.acknowledged.keys()) {
    const task = await server.call('GET', `/tasks/${uid}`);
    expect(task.body).toMatchObject({ uid, status: 'succeeded', details: { indexedDocuments: 10 } });
  }
  const page = await server.call<WirePage<{ id: number }>>('GET', '/indexes/a/documents?limit=100000&fields=id');
  const found = page.body.results.map(({ id }) => id);
  expect(sure.filter((id) => !found.includes(id))).toEqual([]);
  expect(new Set(found).size).toBe(found.length);
  const known = new Set([...sure, ...additions.unanswered]);
  expect(found.filter((id) => !known.has(id))).toEqual([]);
  for (const id of [sure[0], sure.at(-1)])
    expect((await server.call('POST', '/indexes/a/search', { q: `"word${id}"` })).body).toMatchObject({
      hits: [{ id }],
    });
  const before = additions.acknowledged.size;
  await additions.sendMany(server, 2);
  expect(additions.acknowledged.size).toBe(before + 2);
  const failed = (await server.allTasksDone()).filter(({ status }) => status !== 'succeeded');
  expect(failed).toEqual([]);
}

describe.skipIf(!isBuilt)('a kill around the adoption of', () => {
  test.each(
    isLongRun ? ['copy.made', 'copy.adopted'] : ['copy.adopted'],
  )('a compacted index, at %s, loses nothing and leaves no copy', async (point) => {
    const folder = newFolder();
    const additions = new Additions();
    const server = await start(folder, `${point}:index=kill`);
    await additions.sendMany(server, 10);
    await server.allTasksDone();
    // the fault may be faster than the answer
    await server.call('POST', '/indexes/a/compact').catch(() => undefined);
    await sendUntilGone(additions, server);
    expect(server.output()).toContain(`fault point ${point}: kill`);
    // dies once more of the same task
    const second = await launch(folder, [], { env: { FOSSICK_FAULTS: `${point}:index=kill` } });
    cleanups.push(() => void second.child.kill('SIGKILL'));
    expect((await second.ended).stderr).toContain(`fault point ${point}: kill`);
    const again = await start(folder);
    await expectAllThere(again, additions);
    await again.stop();
    expect(readdirSync(join(folder, 'indexes'))).toHaveLength(1);
    await expectAllThere(await start(folder), additions);
  }, 120_000);

  test.each(
    isLongRun ? ['copy.made', 'copy.named'] : ['copy.named'],
  )('a compacted queue, at %s, loses no task', async (point) => {
    const folder = newFolder();
    const additions = new Additions();
    const server = await start(folder, `${point}:queue=kill`);
    await server.call('PATCH', '/experimental-features', { taskQueueCompactionRoute: true });
    await additions.sendMany(server, 10);
    await sendBeside(additions, server, server.call('POST', '/tasks/compact'));
    await server.kill();
    expect(server.output()).toContain(`fault point ${point}: kill`);
    const again = await start(folder);
    await expectAllThere(again, additions);
    expectNoCopies(folder);
    await again.stop();
    await expectAllThere(await start(folder), additions);
  }, 120_000);

  test.each(
    isLongRun ? ['renamed', 'copy.adopted'] : ['renamed'],
  )('a compacted queue, at each step of a start up to %s, loses no task', async (last) => {
    const folder = newFolder();
    const additions = new Additions();
    const server = await start(folder);
    await server.call('PATCH', '/experimental-features', { taskQueueCompactionRoute: true });
    await additions.sendMany(server, 10);
    await sendBeside(additions, server, server.call('POST', '/tasks/compact'));
    await server.kill();
    for (const point of ['copy.adopting', 'copy.adopting', 'rename', last]) {
      expect(existsSync(join(folder, 'tasks.compacted'))).toBe(true);
      const { child, ended } = await launch(folder, [], { env: { FOSSICK_FAULTS: `${point}=kill` } });
      cleanups.push(() => void child.kill('SIGKILL'));
      expect((await ended).stderr).toContain(`fault point ${point}: kill`);
    }
    const again = await start(folder);
    await expectAllThere(again, additions);
    expectNoCopies(folder);
  }, 120_000);
});

/** The fault strikes while additions come in, or while the server does what waits. */
async function sendUntilGone(additions: Additions, server: ServerProcess): Promise<void> {
  while (await additions.send(server));
  await server.kill();
}

function expectNoCopies(folder: string): void {
  expect(readdirSync(folder).filter((name) => name.startsWith('tasks.'))).toEqual([]);
}
