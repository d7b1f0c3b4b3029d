/** Deaths within merges: of pieces of one, of the thread that makes one, of what one leaves, small and large, among writes and when nothing is written. */

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { afterEach, describe, expect, it } from 'vitest';
import { BIN_FILE } from '../e2e/server-command.test-support.js';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WirePage,
  type WireTask,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { Random } from './random-writes.test-support.js';
import { rounds } from './rounds.test-support.js';

const seed = TEST_SEED;
/** Where a process dies, and at which visit at most. */
const DEATHS: readonly (readonly [fault: string, visitsMax: number])[] = [
  ['merge.piece=kill', 8],
  ['merge.committed=kill', 8],
  ['merge.left=kill', 3],
  ['merge.death=kill', 25],
  ['merge.death=thread', 25],
];
/** Small segments: with threads for merges and without. */
const MANNERS: readonly (readonly string[])[] = [
  ['--max-indexing-threads', '4', '--max-indexing-memory', '1048576'],
  ['--max-indexing-threads', '1', '--max-indexing-memory', '1048576'],
  [],
];
const LIVES = rounds(5, 60);
const WRITES_A_LIFE = 8;
const IDS = 4_000;
/** Merges go on when nothing is written; so long is waited for one that dies. */
const REST_MS = 1_500;
/** The first life ends at the first piece of a merge, whenever a busy machine comes to it: a test without any death tries nothing. */
const FIRST_REST_MS = 60_000;
/** Merges that an earlier process left begin five seconds after a start; without a change for so long they are over, as a rule. */
const STILL_MS = 8_000;
/** Starts at most until nothing is left to merge: a stop may break off a merge on a busy machine. */
const STARTS_MAX = 10;
/** What merges leave: of up to 1,000 documents three segments, of up to 4,000 three (packages/engine/index/src/merging/merge-policy.ts). */
const SEGMENTS_MAX = 6;

interface Row {
  readonly id: number;
  readonly text: string;
}

let folder = '';
let server: ServerProcess | undefined;
afterEach(async () => {
  await server?.kill();
  removeFolder(folder);
});

/** A write that follows from its number: documents, or the first id of those that are deleted. */
function writeOf(turn: number): { readonly rows: readonly Row[]; readonly deletedFrom: number | null } {
  const random = new Random(seed * 1_000 + turn);
  const from = random.upTo(IDS);
  if (turn % 4 === 3) return { rows: [], deletedFrom: from };
  const count = 100 + random.upTo(700);
  const rows = Array.from({ length: count }, (_, at) => ({
    id: (from + at) % IDS,
    text: `turn${turn} word${at % 97} ${'more '.repeat(at % 13)}`,
  }));
  return { rows, deletedFrom: null };
}
const deletedIds = (from: number): number[] => Array.from({ length: 150 }, (_, at) => (from + at * 3) % IDS);

async function send(turn: number): Promise<number | undefined> {
  const { rows, deletedFrom } = writeOf(turn);
  const path = `/indexes/merged/documents${deletedFrom === null ? '' : '/delete-batch'}?customMetadata=turn${turn}`;
  const answer = await server!
    .call<{ taskUid: number }>('POST', path, deletedFrom === null ? rows : deletedIds(deletedFrom))
    .catch(() => undefined);
  return answer?.body.taskUid;
}

/** What the writes that the log has, in their order, leave. */
async function expected(): Promise<Map<number, Row>> {
  const { results } = (
    await server!.call<WirePage<WireTask & { customMetadata: string }>>('GET', '/tasks?limit=10000&indexUids=merged')
  ).body;
  const held = new Map<number, Row>();
  for (const { status, error, customMetadata } of results.toReversed()) {
    expect([customMetadata, status, error]).toEqual([customMetadata, 'succeeded', null]);
    const { rows, deletedFrom } = writeOf(Number(customMetadata.slice('turn'.length)));
    for (const row of rows) held.set(row.id, row);
    if (deletedFrom !== null) for (const id of deletedIds(deletedFrom)) held.delete(id);
  }
  return held;
}

async function expectWhole(): Promise<void> {
  await server!.allTasksDone();
  const held = await expected();
  const page = (await server!.call<WirePage<Row>>('GET', '/indexes/merged/documents?limit=100000')).body;
  const byId = (a: Row, b: Row): number => a.id - b.id;
  expect([...page.results].sort(byId)).toEqual([...held.values()].sort(byId));
  for (const word of ['word5', 'word96', 'more']) {
    const found = await server!.call<{ totalHits: number }>('POST', '/indexes/merged/search', {
      q: `"${word}"`,
      hitsPerPage: 1,
    });
    const count = [...held.values()].filter(({ text }) => text.split(' ').includes(word)).length;
    expect([word, found.body.totalHits]).toEqual([word, Math.min(count, 1_000)]);
  }
}

/** Whether nothing is left to merge; only while no server runs. */
async function isAtRest(): Promise<boolean> {
  const writer = openEngineWriter({ rootFolder: join(folder, 'data'), maxSearchBytes: 4 << 20 });
  try {
    return [...writer.mergesDue()].every((uid) => uid === null);
  } finally {
    await writer.close();
  }
}

/** Waits until the number of segments no longer changes, and stops the server. */
async function stopWhenStill(): Promise<void> {
  let [count, sinceMs] = [await segmentCount(), Date.now()];
  for (; Date.now() - sinceMs < STILL_MS; await pause(200)) {
    const now = await segmentCount();
    if (now !== count) [count, sinceMs] = [now, Date.now()];
  }
  expect(await server!.stop()).toBe(0);
}

async function segmentCount(): Promise<number> {
  const reader = openEngineReader({ rootFolder: join(folder, 'data'), maxSearchBytes: 4 << 20 });
  try {
    return reader.withView('merged', ({ segments }) => segments.length);
  } finally {
    await reader.close();
  }
}

describe.skipIf(!isBuilt)(`a server that dies within merges, seed ${seed}`, () => {
  it(`has lost nothing ${LIVES} times, and makes few segments of all in the end`, async () => {
    folder = newDatabaseFolder();
    const random = new Random(seed);
    const struck = new Map<string, number>();
    const acknowledged: number[] = [];
    let turn = 0;
    for (let life = 0; life < LIVES; life += 1) {
      const [fault, visitsMax] = DEATHS[life % DEATHS.length]!;
      const faults = `${fault}@${life === 0 ? 1 : 1 + random.upTo(visitsMax)}`;
      const manner = random.of(MANNERS);
      try {
        server = await startServerProcess(join(folder, 'data'), manner, { FOSSICK_FAULTS: faults });
        for (let write = 0; write < WRITES_A_LIFE; write += 1) {
          const uid = await send(turn++);
          if (uid === undefined) break;
          acknowledged.push(uid);
          // not one batch of them all; the first life needs segments enough for a merge
          if (random.next() < 0.6 || life === 0) await server.allTasksDone();
        }
        for (const endMs = Date.now() + (life === 0 ? FIRST_REST_MS : REST_MS); Date.now() < endMs; await pause(50))
          await server.call('GET', '/health');
      } catch {
        // it is dead
      }
      if (server?.output().includes('fault point')) struck.set(fault, (struck.get(fault) ?? 0) + 1);
      await server?.kill();
      server = await startServerProcess(join(folder, 'data'), manner);
      await expectWhole();
      const { results } = (await server.call<WirePage<WireTask>>('GET', '/tasks?limit=10000')).body;
      const uids = new Set(results.map(({ uid }) => uid));
      expect(acknowledged.filter((uid) => !uids.has(uid))).toEqual([]);
      await server.kill();
    }
    console.log(`seed ${seed}: ${turn} writes, struck: ${JSON.stringify(Object.fromEntries(struck))}`);
    expect(struck.size).toBeGreaterThan(0);
    server = await startServerProcess(join(folder, 'data'));
    await send(turn);
    await expectWhole();
    await stopWhenStill();
    for (let starts = 1; starts < STARTS_MAX && !(await isAtRest()); starts += 1) {
      server = await startServerProcess(join(folder, 'data'));
      await stopWhenStill();
    }
    expect(await isAtRest()).toBe(true);
    expect(await segmentCount()).toBeLessThanOrEqual(SEGMENTS_MAX);
    expect(readdirSync(join(folder, 'data', 'indexes'))).toHaveLength(1);
    const { stdout } = spawnSync(process.execPath, [BIN_FILE, 'check', '--db-path', join(folder, 'data')], {
      encoding: 'utf8',
    });
    expect(stdout.trim().split('\n').at(-1)).toBe('no problems');
  }, 1_200_000);
});
