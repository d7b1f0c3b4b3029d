/** Kills one after another, of the process and of its threads, while the same queue goes on: no acknowledged task fails of them. */

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { openLmdbStore } from '@fossick/storage';
import { openTaskLog, type Task } from '@fossick/tasks';
import { afterEach, describe, expect, it } from 'vitest';
import { newDatabaseFolder, pause, removeFolder } from '../e2e/server-process.test-support.js';
import { type Provider, restEmbedder, startProvider } from '../embedding/provider.test-support.js';
import { isBuilt, type Launched, launch } from './launch.test-support.js';
import { Random } from './random-writes.test-support.js';
import { chosenRounds } from './rounds.test-support.js';

const OPTIONS = [
  ...['--experimental-allowed-ip-networks', '127.0.0.0/8'],
  // searches of every index, extraction and merges run in threads of their own
  ...['--search-threads', '1', '--search-threads-from', '0'],
  ...['--max-indexing-threads', '4', '--max-indexing-memory', '1048576'],
];
/** Each kind of thread: a point of its code, the visit at which it ends at most, and the write that brings it there. */
const THREAD_DEATHS: readonly (readonly [point: string, visitsMax: number, kind: WriteKind])[] = [
  ['writer.death', 3, 'small'],
  ['extraction.start', 1, 'large'],
  ['extraction.death', 4_000, 'large'],
  ['merge.death', 10, 'large'],
  ['searcher.death', 2, 'small'],
  ['embedding.death', 2, 'embedded'],
];
/** A life gets this many milliseconds to come by such an end; it is killed a moment after it. */
const THREAD_MS = 6_000;
const THREAD_SHARE = 0.15;
type WriteKind = 'large' | 'small' | 'embedded' | 'settings' | 'edit';
const [KILL_MS_MIN, KILL_MS_MAX] = [30, 930];
/** The share of kills at a time that counts from the start of the process, not from its first answer. */
const EARLY_SHARE = 0.25;
/** Clients at once, and what each writes in a life at most. */
const [SENDERS, WRITES] = [4, 40];
/** With more waiting tasks than this a life writes nothing, so that the queue does not only grow. */
const BACKLOG_MAX = 400;
const READY_MS = 60_000;
/** A queue in which nothing ends for this long is stuck: the longest wait after a storm is some seconds. */
const SILENCE_MS = 120_000;
const KILLS = chosenRounds(10, 250);
const INDEXES = ['a', 'b'] as const;
const COUNTED = 'counted';
const EMBEDDED = 'embedded';
const JSON_HEADERS = { 'content-type': 'application/json' };

const seed = TEST_SEED;
let folder = '';
let running: Launched | undefined;
let provider: Provider | undefined;

afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  await provider?.close();
  removeFolder(folder);
});

/** A request and what it leaves: documents of an index, or one more in the counted document. */
interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly indexUid: string;
  readonly ids: readonly number[];
  readonly isCounted: boolean;
}

let nextId = 1;
function idsOf(count: number): number[] {
  nextId += count;
  return Array.from({ length: count }, (_, at) => nextId - count + at);
}

function addition(indexUid: string, ids: readonly number[], words: string): Write {
  const body = ids.map((id) => ({ id, title: `title ${id}`, text: words }));
  return { method: 'POST', path: `/indexes/${indexUid}/documents?`, body, indexUid, ids, isCounted: false };
}

function randomKind(random: Random): WriteKind {
  const dice = random.next();
  if (dice < 0.02) return 'large';
  if (dice < 0.5) return 'small';
  if (dice < 0.6) return 'embedded';
  return dice < 0.7 ? 'settings' : 'edit';
}

function randomWrite(random: Random, kind: WriteKind): Write {
  const indexUid = random.of(INDEXES);
  const none = { ids: [], isCounted: false };
  switch (kind) {
    case 'large': // several megabytes: a second thread indexes them
      return addition(indexUid, idsOf(4_000), 'many words '.repeat(50));
    case 'small':
      return addition(indexUid, idsOf(1 + random.upTo(60)), `some words ${random.upTo(50)}`);
    case 'embedded':
      return addition(EMBEDDED, idsOf(1 + random.upTo(10)), 'a few');
    case 'settings': {
      const body = { synonyms: { word: [`other${random.upTo(100)}`] } };
      return { method: 'PATCH', path: `/indexes/${indexUid}/settings`, body, indexUid, ...none };
    }
    case 'edit': {
      const body = { function: 'doc.n = doc.n + 1' };
      const path = `/indexes/${COUNTED}/documents/edit?`;
      return { method: 'POST', path, body, indexUid: COUNTED, ids: [], isCounted: true };
    }
  }
}

/** It is there once a thread was ended. */
const struckFile = (): string => join(folder, 'struck');
/** Resolves when a thread was ended, when the server has ended, or after THREAD_MS. */
async function isStruck(server: Launched): Promise<void> {
  for (const endMs = Date.now() + THREAD_MS; Date.now() < endMs && !isGone(server); await pause(10))
    if (existsSync(struckFile())) return;
}

async function start(faults = ''): Promise<Launched> {
  const once = struckFile();
  rmSync(once, { force: true });
  const env: Record<string, string> = faults === '' ? {} : { FOSSICK_FAULTS: faults, FOSSICK_FAULTS_ONCE: once };
  running = await launch(join(folder, 'data'), OPTIONS, { env });
  return running;
}
const isGone = ({ child }: Launched): boolean => child.exitCode !== null || child.signalCode !== null;

/** The answer; undefined when the server died of it or before it. */
async function call<T>(server: Launched, method: string, path: string, body?: unknown): Promise<T | undefined> {
  try {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body), headers: JSON_HEADERS };
    return (await (await fetch(`${server.url}${path}`, init)).json()) as T;
  } catch (error) {
    if (!isGone(server)) await Promise.race([server.ended, pause(5_000)]);
    if (isGone(server)) return undefined;
    throw error;
  }
}

/** Waits until the server answers; false when it died on the way. */
async function isReady(server: Launched): Promise<boolean> {
  for (const endMs = Date.now() + READY_MS; Date.now() < endMs; await pause(5)) {
    if (isGone(server)) return false;
    const health = await fetch(`${server.url}/health`).catch(() => undefined);
    if (health?.ok === true) return true;
  }
  throw new Error('the server does not get ready');
}

/** Waits until no task is left. */
async function drain(server: Launched): Promise<void> {
  let [left, sinceMs] = [Number.POSITIVE_INFINITY, Date.now()];
  for (;;) {
    const open = await call<{ total: number }>(server, 'GET', '/tasks?statuses=enqueued,processing&limit=1');
    if (open === undefined) throw new Error(`the server has ended: ${(await server.ended).stderr}`);
    if (open.total === 0) return;
    if (open.total < left) sinceMs = Date.now();
    left = open.total;
    if (Date.now() - sinceMs > SILENCE_MS) throw new Error(`${left} tasks do not come to an end`);
    await pause(25);
  }
}

interface Storm {
  /** By name. */
  readonly sent: Map<string, Write>;
  /** Names of tasks, by uid; a change of settings has none. */
  readonly acknowledged: Map<number, string | undefined>;
  /** Ends of threads, by their point of the code. */
  readonly struck: Map<string, number>;
  /** What processes said that ended by something else than the kill. */
  readonly crashes: string[];
}

/** One life of a server: writes and searches until the kill. */
async function live(random: Random, { sent, acknowledged, crashes, struck }: Storm): Promise<void> {
  const [point, visitsMax, kind] = random.of(THREAD_DEATHS);
  const hasFault = random.next() < THREAD_SHARE;
  const server = await start(hasFault ? `${point}=thread@${1 + random.upTo(visitsMax)}` : '');
  const afterMs = KILL_MS_MIN + random.upTo(KILL_MS_MAX - KILL_MS_MIN);
  const kill = (): NodeJS.Timeout => setTimeout(() => server.child.kill('SIGKILL'), afterMs);
  // some count from the start of the process: many of these never answer
  const isEarly = !hasFault && random.next() < EARLY_SHARE;
  let timer = isEarly ? kill() : undefined;
  const send = async (write: Write): Promise<void> => {
    const name = `write${sent.size}`;
    sent.set(name, write);
    // changes of settings take no name
    const path = write.path.replace('?', `?customMetadata=${name}`);
    const answer = await call<{ taskUid?: number }>(server, write.method, path, write.body);
    if (answer?.taskUid !== undefined) acknowledged.set(answer.taskUid, path === write.path ? undefined : name);
    else if (answer !== undefined) throw new Error(`${write.method} ${path}: ${JSON.stringify(answer)}`);
    if (random.next() < 0.2) await call(server, 'POST', `/indexes/${write.indexUid}/search`, { q: 'words' });
  };
  try {
    if (!(await isReady(server))) return;
    const ending = async (): Promise<void> => {
      if (hasFault) await isStruck(server);
      timer ??= kill();
    };
    const ended = ending();
    const open = await call<{ total: number }>(server, 'GET', '/tasks?statuses=enqueued,processing&limit=1');
    const countMax = (open?.total ?? 0) > BACKLOG_MAX ? 0 : WRITES;
    if (hasFault) await send(randomWrite(random, kind));
    const sending = Array.from({ length: SENDERS }, async () => {
      for (let count = 0; count < countMax && !isGone(server); count += 1)
        await send(randomWrite(random, randomKind(random)));
    });
    await Promise.all([ended, ...sending]);
    await server.ended;
    if (hasFault && existsSync(struckFile())) struck.set(point, (struck.get(point) ?? 0) + 1);
  } finally {
    clearTimeout(timer);
    server.child.kill('SIGKILL');
    const { stderr } = await server.ended;
    if (server.child.signalCode !== 'SIGKILL') crashes.push(`${server.child.signalCode}: ${stderr.slice(-2_000)}`);
  }
}

/** Every task of the log, oldest first. */
async function readTasks(): Promise<readonly Task[]> {
  const store = openLmdbStore({ folder: join(folder, 'data', 'tasks') });
  try {
    return openTaskLog(store).list({}, { limit: 1_000_000, reverse: true }).results;
  } finally {
    await store.close();
  }
}

/** Numbers of the tasks that failed, are missing, or were done twice; of documents too. */
async function faultsOf(server: Launched, tasks: readonly Task[], sent: ReadonlyMap<string, Write>) {
  const done = tasks.filter(({ status }) => status === 'succeeded');
  const writes = done.flatMap(({ customMetadata }) => sent.get(customMetadata ?? '') ?? []);
  const counted = await call<{ n: number }>(server, 'GET', `/indexes/${COUNTED}/documents/0`);
  const editCount = writes.filter(({ isCounted }) => isCounted).length;
  let [lostDocuments, extraDocuments] = [0, 0];
  for (const uid of [...INDEXES, EMBEDDED]) {
    const expected = new Set(writes.flatMap(({ indexUid, ids }) => (indexUid === uid ? ids : [])));
    const path = `/indexes/${uid}/documents?fields=id&limit=10000000`;
    const { results } = (await call<{ results: { id: number }[] }>(server, 'GET', path))!;
    const held = new Set(results.map(({ id }) => id));
    lostDocuments += [...expected].filter((id) => !held.has(id)).length;
    extraDocuments += results.length - [...expected].filter((id) => held.has(id)).length;
  }
  return { editsMissing: editCount - counted!.n, lostDocuments, extraDocuments };
}

describe.skipIf(!isBuilt)(`a queue whose server is killed again and again, seed ${seed}`, () => {
  it(`has failed, lost and doubled none of its tasks after ${KILLS} kills`, async () => {
    folder = newDatabaseFolder();
    provider = await startProvider(5);
    const first = await start();
    expect(await isReady(first)).toBe(true);
    await call(first, 'PATCH', '/experimental-features', { editDocumentsByFunction: true });
    await call(first, 'POST', `/indexes/${COUNTED}/documents`, [{ id: 0, n: 0 }]);
    await call(first, 'PATCH', `/indexes/${EMBEDDED}/settings`, { embedders: { default: restEmbedder(provider) } });
    for (const uid of INDEXES) await call(first, 'POST', '/indexes', { uid, primaryKey: 'id' });
    await drain(first);
    first.child.kill('SIGKILL');
    await first.ended;

    const random = new Random(seed);
    const storm: Storm = { sent: new Map(), acknowledged: new Map(), struck: new Map(), crashes: [] };
    const { sent, acknowledged, crashes } = storm;
    for (let kills = 0; kills < KILLS; kills += 1) await live(random, storm);

    const server = await start();
    expect(await isReady(server)).toBe(true);
    await drain(server);
    const tasks = await readTasks();
    const names = tasks.flatMap(({ customMetadata }) => customMetadata ?? []);
    const failed = tasks.filter(({ status }) => status !== 'succeeded');
    const byUid = new Map(tasks.map((task) => [task.uid, task]));
    const lost = [...acknowledged].filter(([uid, name]) => !byUid.has(uid) || byUid.get(uid)!.customMetadata !== name);
    const result = {
      failed: failed.length,
      lost: lost.length,
      doubled: names.length - new Set(names).size,
      crashes,
      ...(await faultsOf(server, tasks, sent)),
    };
    const diedCount = tasks.filter(({ deaths }) => deaths !== undefined).length;
    const tried = Math.max(...tasks.map(({ deaths }) => deaths?.total ?? 0));
    console.log(
      `seed ${seed}: ${KILLS} kills, ends of threads ${JSON.stringify(Object.fromEntries(storm.struck))}, ${acknowledged.size} acknowledged tasks; ${diedCount} ` +
        `tasks were running at a kill, one of them ${tried} times; ${JSON.stringify(result)}`,
    );
    for (const { uid, status, error } of failed.slice(0, 5)) console.log(uid, status, error?.message);
    expect(result).toEqual({
      failed: 0,
      lost: 0,
      doubled: 0,
      crashes: [],
      editsMissing: 0,
      lostDocuments: 0,
      extraDocuments: 0,
    });
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  }, 3_600_000);
});
