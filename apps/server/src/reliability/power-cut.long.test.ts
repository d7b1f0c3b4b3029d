/**
 * The power is cut while clients write: of names that were not flushed nothing is left. Everything that was answered
 * with 202 or reported as succeeded is there when the server starts on what is left.
 */

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { afterEach, describe, expect, it } from 'vitest';
import { copyFolders, HAS_COPIES } from '../e2e/dumping-server.test-support.js';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WireTask,
} from '../e2e/server-process.test-support.js';
import { canFail } from './disk-shim.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { DiskWithoutPower } from './power-cut.test-support.js';
import { Random } from './random-writes.test-support.js';
import { chosenRounds } from './rounds.test-support.js';

const seed = TEST_SEED;
const ROUNDS = chosenRounds(4, 60);
const CLIENTS = 6;
const [LIFE_MS_MIN, LIFE_MS_MAX] = [300, 3_000];
const MASTER_KEY = 'a-master-key-of-some-length';
const AUTH = { authorization: `Bearer ${MASTER_KEY}` };
/** Longer than the buffer of a payload file, which is written in several pieces then. */
const LONG_TEXT = 'word '.repeat(80_000);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** What the server answered before the power was cut. */
interface Acknowledged {
  /** Ids of documents by the task that adds them. */
  readonly documents: Map<number, { readonly index: string; readonly ids: readonly number[] }>;
  readonly keys: Set<string>;
  readonly tasks: Set<number>;
}

async function writeUntilItDies(server: ServerProcess, random: Random, acknowledged: Acknowledged): Promise<void> {
  const writer = async (client: number): Promise<void> => {
    for (let turn = 0; ; turn++) {
      const index = `index-${client}-${random.upTo(4)}`;
      const ids = Array.from({ length: 1 + random.upTo(3) }, (_, at) => (turn * CLIENTS + client) * 10 + at);
      const text = random.upTo(6) === 0 ? LONG_TEXT : 'word';
      const kind = random.upTo(20);
      if (kind < 2) {
        const key = { actions: ['search'], indexes: ['*'], expiresAt: null };
        const { status, body } = await server.call<{ uid: string }>('POST', '/keys', key, AUTH);
        if (status === 201) acknowledged.keys.add(body.uid);
      } else if (kind === 2) {
        const { status, body } = await server.call<{ taskUid: number }>(
          'POST',
          HAS_COPIES ? '/snapshots' : '/tasks/cancel?uids=0',
          undefined,
          AUTH,
        );
        if (status === 202) acknowledged.tasks.add(body.taskUid);
      } else {
        const rows = ids.map((id) => ({ id, text }));
        const path = `/indexes/${index}/documents`;
        const { status, body } = await server.call<{ taskUid: number }>('POST', path, rows, AUTH);
        expect(status).toBe(202);
        acknowledged.documents.set(body.taskUid, { index, ids });
        acknowledged.tasks.add(body.taskUid);
      }
    }
  };
  const untilTheEnd = (error: unknown): void => {
    // what fetch throws for a connection that ended
    if (!(error instanceof TypeError)) throw error;
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => writer(client).catch(untilTheEnd)));
}

async function expectAll(server: ServerProcess, { documents, keys, tasks }: Acknowledged): Promise<void> {
  const done = new Map<number, WireTask>((await server.allTasksDone()).map((task) => [task.uid, task]));
  for (const uid of tasks) expect([uid, done.get(uid)?.status]).toEqual([uid, 'succeeded']);
  const shown = new Map<string, Set<number>>();
  for (const { index, ids } of documents.values()) {
    if (!shown.has(index)) {
      const path = `/indexes/${index}/documents?limit=100000&fields=id`;
      const { body } = await server.call<{ results: { id: number }[] }>('GET', path, undefined, AUTH);
      shown.set(index, new Set(body.results.map(({ id }) => id)));
    }
    for (const id of ids) expect([index, id, shown.get(index)!.has(id)]).toEqual([index, id, true]);
  }
  for (const uid of keys)
    expect([uid, (await server.call('GET', `/keys/${uid}`, undefined, AUTH)).status]).toEqual([uid, 200]);
}

describe.skipIf(!canFail || !isBuilt)(`a power cut, seed ${seed}`, () => {
  it.each(
    Array.from({ length: ROUNDS }, (_, round) => round),
  )('takes nothing that was answered, round %i', async (round) => {
    const random = new Random(seed + round);
    const workFolder = newDatabaseFolder();
    cleanups.push(() => removeFolder(workFolder));
    const below = join(workFolder, 'disk');
    mkdirSync(below);
    const disk = new DiskWithoutPower(workFolder, below);
    const options = (folder: string): string[] => [
      ...['--master-key', MASTER_KEY],
      ...copyFolders(join(folder, 'copies')),
    ];
    const server = await startServerProcess(join(below, 'parent', 'data'), options(below), disk.env);
    cleanups.push(() => server.kill());
    const acknowledged: Acknowledged = { documents: new Map(), keys: new Set(), tasks: new Set() };
    const writes = writeUntilItDies(server, random, acknowledged);
    await pause(LIFE_MS_MIN + random.upTo(LIFE_MS_MAX - LIFE_MS_MIN));
    const { results } = (
      await server.call<{ results: WireTask[] }>('GET', '/tasks?statuses=succeeded', undefined, AUTH)
    ).body;
    await server.kill();
    await writes;

    const left = join(workFolder, 'left');
    const lost = disk.restore(left);
    const data = join(left, 'parent', 'data');
    expect([existsSync(data), lost]).toEqual([true, lost]);
    if (results.some(({ type }) => type === 'snapshotCreation'))
      expect(existsSync(join(left, 'copies', 'snapshots', 'data.snapshot'))).toBe(true);
    const restarted = await startServerProcess(data, options(left));
    cleanups.push(() => restarted.kill());
    await expectAll(restarted, acknowledged);
    const { documents, keys, tasks } = acknowledged;
    console.log(
      `seed ${seed}, round ${round}: ${tasks.size} tasks, ${documents.size} payloads, ${keys.size} keys, ` +
        `${lost.length} names lost`,
    );
  }, 120_000);
});
