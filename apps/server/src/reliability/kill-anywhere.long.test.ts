import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { openEngineReader } from '@fossick/index';
import { openLmdbStore } from '@fossick/storage';
import { openTaskLog, type Task } from '@fossick/tasks';
import { afterEach, describe, expect, it } from 'vitest';
import { copyFolders } from '../e2e/dumping-server.test-support.js';
import { freePort, newDatabaseFolder, pause, removeFolder } from '../e2e/server-process.test-support.js';
import { heldIndexes, IndexModel } from './index-model.test-support.js';
import { isBuilt, type Launched, launch } from './launch.test-support.js';
import { addition, creation, edition, Random, randomWrite, STEADY, type Write } from './random-writes.test-support.js';
import { rounds } from './rounds.test-support.js';

/** Where deaths are asked for, each at some visit up to the number. */
const FAULTS: readonly (readonly [fault: string, visitsMax: number])[] = [
  ['store.commit=kill', 40],
  ['store.committed=kill', 40],
  ['payload.flush=kill', 8],
  ['rename=kill', 3],
  ['renamed=kill', 3],
  ['writer.death=kill', 6],
  ['writer.death=thread', 6],
  ['searcher.death=kill', 4],
  ['searcher.death=thread', 4],
];
const OPTIONS = [
  ...['--experimental-allowed-ip-networks', '127.0.0.0/8'],
  // searches of every index run in threads of their own
  ...['--search-threads', '1', '--search-threads-from', '0'],
];
/** Writes of a round at most. */
const WRITES = 24;
/** A server is killed up to this many milliseconds after a write; one with a fault switched on gets this many to come by it. */
const [MOMENT_MS, FAULT_MS] = [250, 1_500];
const READY_MS = 60_000;
/** A queue in which nothing ends for this long is stuck: a busy machine may need longer for all of it. */
const SILENCE_MS = 90_000;
const ROUNDS = Number(process.env['FOSSICK_TEST_ROUNDS'] ?? rounds(2, 150));

const seed = TEST_SEED;
let folder = '';
let running: Launched | undefined;

afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  removeFolder(folder);
});

/** What was asked for, by the uid that was answered; and the one request whose answer did not come. */
interface Sent {
  readonly acknowledged: ReadonlyMap<number, Write>;
  readonly pending: Write | undefined;
}

async function start(faults = ''): Promise<Launched> {
  const copies = copyFolders(folder);
  running = await launch(join(folder, 'data'), [...copies, ...OPTIONS], { env: { FOSSICK_FAULTS: faults } });
  return running;
}
const isGone = ({ child }: Launched): boolean => child.exitCode !== null || child.signalCode !== null;
async function kill(server: Launched): Promise<void> {
  server.child.kill('SIGKILL');
  await server.ended;
}

/** The parsed answer; undefined when the server died of it or before it. */
async function call(server: Launched, method: string, path: string, body?: unknown): Promise<unknown> {
  try {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body), headers: JSON_HEADERS };
    const answer = await fetch(`${server.url}${path}`, init);
    return await answer.json();
  } catch (error) {
    if (isGone(server)) return undefined;
    await Promise.race([server.ended, pause(5_000)]);
    if (isGone(server)) return undefined;
    throw error;
  }
}
const JSON_HEADERS = { 'content-type': 'application/json' };

/** Waits until the server answers; false when it died on the way. */
async function isReady(server: Launched): Promise<boolean> {
  for (const endMs = Date.now() + READY_MS; Date.now() < endMs; await pause(10)) {
    if (isGone(server)) return false;
    const health = await fetch(`${server.url}/health`).catch(() => undefined);
    if (health?.ok === true) return true;
  }
  throw new Error('the server does not get ready');
}

/**
 * Sends writes, and searches in between, until the server dies: of a fault that was switched on, or else by a kill a moment after one of
 * the writes, or after the last.
 */
async function writeUntilDeath(
  server: Launched,
  random: Random,
  hasFault: boolean,
  nextWrite: () => Write,
): Promise<Sent> {
  const acknowledged = new Map<number, Write>();
  const killedAt = hasFault ? WRITES - 1 : random.upTo(WRITES);
  const afterMs = hasFault ? FAULT_MS : random.upTo(MOMENT_MS);
  let timer: NodeJS.Timeout | undefined;
  try {
    for (let count = 0; count < WRITES; count += 1) {
      const write = nextWrite();
      if (count === killedAt) timer = setTimeout(() => server.child.kill('SIGKILL'), afterMs);
      const answer = (await call(server, write.method, write.path, write.body)) as { taskUid?: number } | undefined;
      if (answer === undefined) return { acknowledged, pending: write };
      if (answer.taskUid === undefined) throw new Error(`${write.method} ${write.path}: ${JSON.stringify(answer)}`);
      acknowledged.set(answer.taskUid, write);
      if (count % 3 === 0) await call(server, 'POST', `/indexes/${STEADY}/search`, { q: '' });
    }
    await server.ended;
    return { acknowledged, pending: undefined };
  } finally {
    clearTimeout(timer);
    await kill(server);
  }
}

/** The fault that a server said it was struck by, and `none` where it went on to the end and was killed. */
async function struckBy({ ended }: Launched): Promise<string> {
  const [, point, action] = /fault point ([a-z.]+): (kill|thread)/.exec((await ended).stderr) ?? [];
  return point === undefined ? 'none' : `${point}=${action}`;
}

/** Lets the server do what waits, and checks that a search finds what is there; exports, which find nobody, are canceled. */
async function settle(server: Launched): Promise<void> {
  expect(await isReady(server)).toBe(true);
  await call(server, 'POST', '/tasks/cancel?types=export&statuses=enqueued,processing');
  const open = '/tasks?statuses=enqueued,processing&limit=1';
  let [left, sinceMs] = [Number.POSITIVE_INFINITY, Date.now()];
  for (;;) {
    const { total } = (await call(server, 'GET', open)) as { total: number };
    if (total === 0) break;
    if (total < left) sinceMs = Date.now();
    left = total;
    if (Date.now() - sinceMs > SILENCE_MS) throw new Error(`${left} tasks do not come to an end`);
    await pause(15);
  }
  const { results } = (await call(server, 'GET', '/indexes')) as { results: { uid: string }[] };
  for (const { uid } of results) {
    const page = (await call(server, 'GET', `/indexes/${uid}/documents?limit=1000&fields=id`)) as {
      results: { id: number }[];
    };
    const found = (await call(server, 'POST', `/indexes/${uid}/search`, { limit: 1_000 })) as {
      hits: { id: number }[];
    };
    const idsOf = (list: readonly { id: number }[]): number[] => list.map(({ id }) => id).sort((a, b) => a - b);
    expect([uid, idsOf(found.hits)]).toEqual([uid, idsOf(page.results)]);
  }
  server.child.kill('SIGTERM');
  await server.ended;
}

/** Tasks of the log by uid, and what the indexes hold. */
async function readFolder(): Promise<{ tasks: ReadonlyMap<number, Task>; indexes: ReturnType<typeof heldIndexes> }> {
  const store = openLmdbStore({ folder: join(folder, 'data', 'tasks') });
  const reader = openEngineReader({ rootFolder: join(folder, 'data'), maxSearchBytes: 4 << 20 });
  try {
    const { results } = openTaskLog(store).list({}, { limit: 1_000_000 });
    return { tasks: new Map(results.map((task) => [task.uid, task])), indexes: heldIndexes(reader) };
  } finally {
    await reader.close();
    await store.close();
  }
}

/** Every acknowledged task is in the log once and has ended; besides those there is at most the one that was not answered. */
function tasksOf(sent: Sent, log: ReadonlyMap<number, Task>, firstUid: number): readonly (readonly [Task, Write])[] {
  const exportCancelations = (task: Task): boolean =>
    task.content.type === 'taskCancelation' && task.content.originalFilter.startsWith('?types=export');
  const found = [...log.values()].filter(({ uid }) => uid >= firstUid).sort((a, b) => a.uid - b.uid);
  const pairs: (readonly [Task, Write])[] = [];
  let { pending } = sent;
  for (const task of found) {
    expect([task.uid, ['succeeded', 'failed', 'canceled'].includes(task.status)]).toEqual([task.uid, true]);
    if (exportCancelations(task)) continue;
    const acknowledged = sent.acknowledged.get(task.uid);
    const write = acknowledged ?? pending;
    if (acknowledged === undefined) pending = undefined;
    expect([task.uid, task.content.type]).toEqual([task.uid, write?.content.type]);
    pairs.push([{ ...task, content: write!.content }, write!]);
  }
  const uids = new Set(found.map(({ uid }) => uid));
  expect([...sent.acknowledged.keys()].filter((uid) => !uids.has(uid))).toEqual([]);
  return pairs;
}

/** Does the tasks of a round on the model, and compares how each ended. */
function applyAll(model: IndexModel, pairs: readonly (readonly [Task, Write])[]): void {
  const batchOf = ({ batchUid }: Task): readonly Task[] =>
    pairs.map(([task]) => task).filter((task) => task.batchUid === batchUid);
  for (const [task, write] of pairs) {
    const { type } = task.content;
    if (type === 'export' || type === 'taskCancelation' || type === 'taskDeletion') continue;
    if (task.status === 'canceled') continue;
    const expected = model.apply(task, batchOf(task), write.documents ?? []);
    const ended = task.error?.code ?? 'succeeded';
    if (expected !== undefined)
      expect([task.uid, type, ended, task.error?.message]).toEqual([task.uid, type, expected, task.error?.message]);
    const copy = type === 'dumpCreation' ? `dumps/${task.resultDetails?.['dumpUid']}.dump` : undefined;
    if (copy !== undefined) expect([copy, existsSync(join(folder, copy))]).toEqual([copy, true]);
  }
}

describe.skipIf(!isBuilt)(`a server that is killed, seed ${seed}`, () => {
  it(`has lost nothing and done nothing twice, ${ROUNDS} times`, async () => {
    folder = newDatabaseFolder();
    const model = new IndexModel();
    const first = await start();
    expect(await isReady(first)).toBe(true);
    await call(first, 'PATCH', '/experimental-features', { editDocumentsByFunction: true });
    const made = creation(STEADY);
    await call(first, made.method, made.path, made.body);
    await settle(first);
    let { tasks } = await readFolder();
    model.apply(tasks.get(0)!, [], []);
    let [acknowledgedCount, deathsAtStart, deathsAtRequest] = [0, 0, 0];
    const strikes = new Map<string, number>();
    const deadUrl = `http://127.0.0.1:${await freePort()}`;
    for (let round = 0; round < ROUNDS; round += 1) {
      const firstUid = Math.max(...tasks.keys()) + 1;
      const random = new Random(seed * 1_000 + round);
      const [fault, visitsMax] = random.of(FAULTS);
      const faults = random.next() < 0.6 ? `${fault}@${1 + random.upTo(visitsMax)}` : '';
      console.log(`seed ${seed}, round ${round}: ${faults === '' ? 'killed from outside' : faults}`);
      const server = await start(faults);
      const none: Sent = { acknowledged: new Map(), pending: undefined };
      const nextWrite = (): Write => randomWrite(random, { endedBelow: firstUid, deadUrl });
      const sent = (await isReady(server)) ? await writeUntilDeath(server, random, faults !== '', nextWrite) : none;
      acknowledgedCount += sent.acknowledged.size;
      if (sent.pending !== undefined) deathsAtRequest += 1;
      const struck = faults === '' ? 'from outside' : await struckBy(server);
      strikes.set(struck, (strikes.get(struck) ?? 0) + 1);
      if (random.next() < 0.4) {
        const starting = await start();
        await Promise.race([starting.ended, pause(random.upTo(1_200))]);
        await kill(starting);
        deathsAtStart += 1;
      }
      await settle(await start());
      const read = await readFolder();
      applyAll(model, tasksOf(sent, read.tasks, firstUid));
      expect(read.indexes).toEqual(model.indexes);
      tasks = read.tasks;
    }
    console.log(
      `seed ${seed}: ${ROUNDS} rounds, ${acknowledgedCount} acknowledged tasks, ` +
        `${deathsAtRequest} deaths at a request, ${deathsAtStart} at start-up; struck: ${JSON.stringify(Object.fromEntries(strikes))}`,
    );
    // faults that never strike try nothing
    if (ROUNDS >= 100) for (const [fault] of FAULTS) expect(strikes.get(fault), fault).toBeGreaterThan(0);
  }, 7_200_000);

  it('is found out when work is done twice: with the receipts of work unread, the same check fails', async () => {
    folder = newDatabaseFolder();
    const model = new IndexModel();
    const first = await start();
    await isReady(first);
    await call(first, 'PATCH', '/experimental-features', { editDocumentsByFunction: true });
    const random = new Random(seed);
    const writes = [creation(STEADY), addition(random, STEADY)];
    for (const write of writes) await call(first, write.method, write.path, write.body);
    await settle(first);
    let { tasks } = await readFolder();
    for (const [uid, write] of writes.entries())
      model.apply({ ...tasks.get(uid)!, content: write.content }, [tasks.get(uid)!], write.documents ?? []);
    let found: unknown;
    // one of the first commits of a server is that of the work of its first task: each is tried, and tried again
    for (let round = 0; round < 45 && found === undefined; round += 1) {
      const firstUid = Math.max(...tasks.keys()) + 1;
      // after the commit of the work, before that of its task
      const server = await start(`store.committed=kill@${1 + (round % 6)}`);
      const sent = (await isReady(server))
        ? await writeUntilDeath(server, random, true, () => edition(STEADY))
        : { acknowledged: new Map<number, Write>(), pending: undefined };
      await settle(await start('receipts.read=bug'));
      const read = await readFolder();
      applyAll(model, tasksOf(sent, read.tasks, firstUid));
      try {
        expect(read.indexes).toEqual(model.indexes);
      } catch (error) {
        found = error;
      }
      tasks = read.tasks;
    }
    expect(found).toBeDefined();
  }, 600_000);
});
