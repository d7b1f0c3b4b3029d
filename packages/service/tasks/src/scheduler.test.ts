import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiError, BatchCanceled } from '@fossick/base';
import { openLmdbStore, openMemoryStore, type Store, type Table } from '@fossick/storage';
import { ControlWord } from '@fossick/threads';
import { describe, expect, it } from 'vitest';
import { pickBatch } from './batching/pick-batch.js';
import type { Clock } from './log/clock.js';
import type { LogOperation } from './log/records.js';
import { openTaskLog, type TaskLog } from './log/task-log.js';
import { Canceler } from './run/canceler.js';
import type { Finished } from './run/finish.js';
import { runScheduler } from './run/run-scheduler.js';
import type { SchedulerOptions } from './run/scheduler-options.js';
import type { TaskContent } from './task/content.js';
import type { TaskKind } from './task/task-kind.js';
import { toBatchJson, toDuration, toRfc3339, toSummaryJson, toTaskJson } from './task/wire.js';

const START = Date.UTC(2026, 0, 2, 3, 4, 5) * 1000;
const stepClock = (): Clock => {
  let now = START;
  return {
    now: () => {
      now += 1000;
      return now;
    },
  };
};
const KINDS: readonly TaskKind[] = [
  { type: 'snapshotCreation', takes: 'all', details: null },
  { type: 'dumpCreation', takes: 'oldest', details: null },
];
const freshLog = (): TaskLog => openTaskLog(openMemoryStore(), { clock: stepClock() });
const addition = (indexUid: string, more: object = {}): TaskContent => ({
  type: 'documentAdditionOrUpdate',
  indexUid,
  method: 'replace',
  primaryKey: null,
  payloadFile: '/nowhere/at-all.ndjson',
  payloadBytes: 10,
  documentCount: 3,
  allowIndexCreation: true,
  skipCreation: false,
  ...more,
});
const creation = (indexUid: string): TaskContent => ({ type: 'indexCreation', indexUid, primaryKey: null });
const settings = (indexUid: string): TaskContent => ({
  type: 'settingsUpdate',
  indexUid,
  settings: { stopWords: ['a'] },
  allowIndexCreation: true,
});
const deletion = (indexUid: string, by: 'ids' | 'filter' | 'all'): TaskContent => ({
  type: 'documentDeletion',
  indexUid,
  target: by === 'ids' ? { by, ids: ['1'] } : by === 'filter' ? { by, filter: 'a = 1' } : { by },
});
const swap = (left: string, right: string, isRename = false): TaskContent => ({
  type: 'indexSwap',
  swaps: [{ indexes: [left, right], rename: isRename }],
});
const rename = (indexUid: string, newUid: string): TaskContent => ({ type: 'indexUpdate', indexUid, newUid });
const describeError = (): { type: 'invalid_request'; link: string } => ({ type: 'invalid_request', link: 'x' });

/** Runs the queue until nothing waits. */
async function drain(log: TaskLog, more: Partial<SchedulerOptions> = {}): Promise<Finished[]> {
  const finished: Finished[] = [];
  const scheduler = runScheduler({
    log,
    clock: stepClock(),
    findIndex: () => ({ primaryKey: null }),
    executor: { execute: async ({ tasks }) => tasks.map(() => ({ status: 'succeeded' })) },
    onCommit: (result) => finished.push(result),
    ...more,
  });
  while (log.uids({ statuses: ['enqueued', 'processing'] }).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 2));
  await scheduler.stop();
  return finished;
}

describe('task log', () => {
  it('lists with filters and pages through uids', () => {
    const log = freshLog();
    for (let at = 0; at < 5; at += 1) log.enqueue(addition(at % 2 === 0 ? 'even' : 'odd'));
    log.enqueue({ type: 'dumpCreation' });
    const first = log.list({}, { limit: 2 });
    expect(first).toMatchObject({ total: 6, limit: 2, from: 5, next: 3 });
    expect(log.list({}, { limit: 9, from: 1 }).results.map((task) => task.uid)).toEqual([1, 0]);
    expect(log.list({}, { limit: 2, from: 1, reverse: true })).toMatchObject({ from: 1, next: 3 });
    expect(log.uids({ indexUids: ['even'], uids: [0, 1, 4, 99] })).toEqual([0, 4]);
    expect(log.uids({ isIndexVisible: (uid) => uid === 'odd' })).toEqual([1, 3]);
    expect(log.uids({ afterEnqueuedAt: log.get(3)!.enqueuedAt })).toEqual([4, 5]);
    expect(log.uids({ beforeEnqueuedAt: log.get(1)!.enqueuedAt })).toEqual([0]);
    expect(log.uids({ canceledBy: [7] })).toEqual([]);
    expect(log.list({ types: ['export'] }, { limit: 2 })).toEqual({
      results: [],
      total: 0,
      limit: 2,
      from: null,
      next: null,
    });
  });

  it('shares nothing but the store: two logs never give the same uid', () => {
    const store = openMemoryStore();
    const [left, right] = [openTaskLog(store), openTaskLog(store)];
    expect([left, right, left].map((log) => log.enqueue(creation('a')).uid)).toEqual([0, 1, 2]);
  });

  it('writes dates, durations and tasks as the wire wants them', () => {
    expect(toRfc3339(START)).toBe('2026-01-02T03:04:05Z');
    expect(toRfc3339(START + 120)).toBe('2026-01-02T03:04:05.00012Z');
    expect(toDuration(0, 1192)).toBe('PT0.001192S');
    expect(toDuration(0, 75_000_000)).toBe('PT75S');
    expect(toDuration(0, 86_403_500_000)).toBe('P1DT3.500S');
    expect(toDuration(0, 86_400_000_000)).toBe('P1D');
    expect(toDuration(5, 1)).toBe(null);
    const task = freshLog().enqueue(addition('a'), { customMetadata: 'm' });
    expect(Object.keys(toSummaryJson(task)).join()).toBe('taskUid,indexUid,status,type,enqueuedAt,customMetadata');
    // a node of a cluster may have applied its end before it answers
    expect(toSummaryJson({ ...task, status: 'failed' })).toEqual(toSummaryJson(task));
    expect(toTaskJson(task, describeError)).toMatchObject({
      details: { receivedDocuments: 3, indexedDocuments: null },
    });
  });
});

const SKIPPING = { onDocumentError: 'skip' } as const;

describe('picking a batch', () => {
  const picked = (contents: readonly TaskContent[], primaryKey?: string | null): number[] => {
    const log = openTaskLog(openMemoryStore(), { clock: stepClock(), kinds: KINDS });
    for (const content of contents) log.enqueue(content);
    const findIndex = () => (primaryKey === undefined ? undefined : { primaryKey });
    return pickBatch(log, { findIndex }).batch!.tasks.map((task) => task.uid);
  };
  const key = (primaryKey: string): object => ({ primaryKey });

  it.each<[string, readonly TaskContent[], string | null | undefined, number[]]>([
    ['additions of one index only', [addition('a'), addition('b'), addition('a')], null, [0, 2]],
    [
      'additions, deletions by id, delete-all',
      [addition('a'), deletion('a', 'ids'), deletion('a', 'all'), addition('a')],
      null,
      [0, 1, 2],
    ],
    ['additions stop at a filter', [addition('a'), deletion('a', 'filter')], null, [0]],
    ['additions stop at settings', [addition('a'), settings('a')], null, [0]],
    [
      'settings, clear, deletion',
      [settings('a'), deletion('a', 'all'), deletion('a', 'ids'), addition('a')],
      null,
      [0, 1, 2],
    ],
    ['index deletion ends', [addition('a'), { type: 'indexDeletion', indexUid: 'a' }, addition('a')], null, [0, 1]],
    ['creation is alone', [creation('a'), addition('a')], null, [0]],
    ['a key given after a guess', [addition('a'), addition('a', key('id'))], null, [0]],
    ['two keys', [addition('a', key('id')), addition('a', key('no'))], null, [0]],
    ["the index's key", [addition('a'), addition('a', key('id'))], 'id', [0, 1]],
    ['a contradiction is alone', [addition('a', key('no')), addition('a')], 'id', [0]],
    ['deletions by id stop before a creating addition', [deletion('a', 'ids'), addition('a')], undefined, [0]],
    ['rights differ without an index', [addition('a', { allowIndexCreation: false }), addition('a')], undefined, [0]],
    ['additions stop at a swap of their index', [addition('a'), swap('b', 'a'), addition('a')], null, [0]],
    ['additions go on over a swap of others', [addition('a'), swap('b', 'c'), addition('a')], null, [0, 2]],
    ['additions stop where another index gets their name', [addition('a'), rename('b', 'a'), addition('a')], null, [0]],
    ['settings stop at a rename by swap', [settings('a'), swap('a', 'c', true), settings('a')], null, [0]],
    ['skipping additions together', [addition('a', SKIPPING), addition('a', SKIPPING)], null, [0, 1]],
    ['skipping additions stop at another', [addition('a', SKIPPING), addition('a'), addition('a')], null, [0]],
    ['additions stop at a skipping one', [addition('a'), addition('a', SKIPPING), addition('a')], null, [0]],
    ['deletions by id stay with both', [addition('a', SKIPPING), deletion('a', 'ids'), addition('a')], null, [0, 1]],
    ['32 skipping additions', Array.from({ length: 40 }, () => addition('a', SKIPPING)), null, [...Array(32).keys()]],
    ['the newest cancelation', [addition('a'), cancelOf([0]), cancelOf([0])], null, [2]],
    [
      'all of a kind before another one, as they are listed',
      [{ type: 'dumpCreation' }, { type: 'snapshotCreation' }, { type: 'snapshotCreation' }],
      null,
      [1, 2],
    ],
  ])('%s', (_name, contents, primaryKey, expected) => {
    expect(picked(contents, primaryKey)).toEqual(expected);
  });
});

function cancelOf(taskUids: readonly number[]): TaskContent {
  return { type: 'taskCancelation', taskUids, originalFilter: '?uids=0' };
}

describe('scheduler', () => {
  it('runs batches, stores outcomes and removes payloads', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-tasks.'));
    const payloadFile = join(folder, '0.ndjson');
    writeFileSync(payloadFile, '{}');
    const log = freshLog();
    log.enqueue(addition('a', { payloadFile }));
    log.enqueue(addition('a'));
    log.enqueue(creation('b'));
    const execute: SchedulerOptions['executor']['execute'] = async ({ tasks }) =>
      tasks.map((task) =>
        task.uid === 2
          ? { status: 'failed', error: { code: 'index_already_exists', message: 'is there' } }
          : { status: 'succeeded', details: { indexedDocuments: 3 } },
      );
    const finished = await drain(log, { executor: { execute } });
    expect(finished.map(({ tasks }) => tasks.length)).toEqual([2, 1]);
    expect(existsSync(payloadFile)).toBe(false);
    expect(toBatchJson(log.getBatch(0)!)).toMatchObject({
      progress: null,
      details: { receivedDocuments: 6, indexedDocuments: 6 },
      stats: { totalNbTasks: 2, status: { succeeded: 2 }, types: { documentAdditionOrUpdate: 2 }, indexUids: { a: 2 } },
    });
    expect(toTaskJson(log.get(2)!, describeError)).toMatchObject({
      status: 'failed',
      batchUid: 1,
      details: { primaryKey: null },
      error: { code: 'index_already_exists', type: 'invalid_request' },
    });
    expect(log.getBatch(1)!.details).toEqual({});
    expect(log.listBatches({ statuses: ['failed'] }, { limit: 20 })).toMatchObject({ total: 1, from: 1, next: null });
    rmSync(folder, { recursive: true });
  });

  it('fails a thrown batch and goes on', async () => {
    const log = freshLog();
    for (const uid of ['a', 'b', 'c']) log.enqueue(creation(uid));
    const faults: unknown[] = [];
    await drain(log, {
      onFault: (error) => faults.push(error),
      executor: {
        execute: async ({ tasks }) => {
          if (tasks[0]!.uid === 0) throw new Error('bug');
          if (tasks[0]!.uid === 1) throw apiError('index_not_found', 'one', 'gone');
          return [{ status: 'succeeded' }];
        },
      },
    });
    expect([0, 1, 2].map((uid) => log.get(uid)!.error?.code)).toEqual(['internal', 'index_not_found', undefined]);
    expect(faults).toHaveLength(1);
  });

  it('names what the system refused, and goes on', async () => {
    const log = freshLog();
    const codes = ['ENOSPC', 28, 'EMFILE', 'EIO', 'EWHATEVER'];
    for (const code of codes) log.enqueue(creation(`index-${code}`));
    await drain(log, {
      executor: {
        execute: async ({ tasks }) => {
          throw Object.assign(new Error('refused'), { code: codes[tasks[0]!.uid] });
        },
      },
    });
    expect(codes.map((_, uid) => log.get(uid)!.error?.code)).toEqual([
      'no_space_left_on_device',
      'no_space_left_on_device',
      'too_many_open_files',
      'io_error',
      'internal',
    ]);
  });

  it('frees space on a full disk before it records the failure', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-tasks.'));
    const payloadFile = join(folder, '0.ndjson');
    writeFileSync(payloadFile, '{}');
    const store = openMemoryStore();
    let isFull = false;
    const log = openTaskLog(
      {
        ...store,
        transaction: (work) => {
          if (isFull && existsSync(payloadFile)) throw new Error('No space left on device');
          return store.transaction(work);
        },
      },
      { clock: stepClock() },
    );
    log.enqueue(addition('a', { payloadFile }));
    const faults: unknown[] = [];
    await drain(log, {
      retryMs: 1,
      onFault: (error) => faults.push(error),
      executor: {
        execute: async () => {
          isFull = true;
          throw new Error('No space left on device: Attempting to write page');
        },
      },
    });
    expect(log.get(0)).toMatchObject({ status: 'failed', error: { code: 'no_space_left_on_device' } });
    expect(faults).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });

  it('keeps the error of a task whose payload was removed when the freed space did not suffice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-tasks.'));
    const payloadFile = join(folder, '0.ndjson');
    writeFileSync(payloadFile, '{}');
    const store = openMemoryStore();
    let refusals = 0;
    const log = openTaskLog(
      {
        ...store,
        transaction: (work) => {
          if (refusals-- > 0) throw new Error('No space left on device');
          return store.transaction(work);
        },
      },
      { clock: stepClock() },
    );
    log.enqueue(addition('a', { payloadFile }));
    await drain(log, {
      retryMs: 1,
      executor: {
        execute: async () => {
          const error = { code: 'internal', message: 'the payload is lost' };
          if (!existsSync(payloadFile)) return [{ status: 'failed', error }];
          // what was done is written once with its payload there, and once without
          refusals = 2;
          throw new Error('No space left on device: Attempting to write page');
        },
      },
    });
    expect(existsSync(payloadFile)).toBe(false);
    expect(log.get(0)).toMatchObject({ status: 'failed', error: { code: 'no_space_left_on_device' } });
    rmSync(folder, { recursive: true });
  });

  it('tries again when the log itself cannot be written', async () => {
    const store = openMemoryStore();
    let failures = 0;
    const log = openTaskLog(
      {
        ...store,
        transaction: (work) => {
          if (failures > 0 && failures-- > 0) throw new Error('disk full');
          return store.transaction(work);
        },
      },
      { clock: stepClock() },
    );
    log.enqueue(creation('a'));
    const faults: unknown[] = [];
    await drain(log, {
      retryMs: 1,
      onFault: (error) => faults.push(error),
      executor: {
        execute: async ({ tasks }) => {
          // the result, then the putting back
          if (faults.length === 0) failures = 2;
          return tasks.map(() => ({ status: 'succeeded' }));
        },
      },
    });
    expect(faults).toHaveLength(2);
    expect(log.get(0)).toMatchObject({ status: 'succeeded', error: null });
  });

  it('interrupts the running batch for a cancelation; the unmatched runs again', async () => {
    const log = freshLog();
    log.enqueue(addition('a'));
    log.enqueue(addition('a'));
    let runs = 0;
    const control = new ControlWord();
    const canceler = new Canceler(log, control);
    await drain(log, {
      control,
      onStart: ({ work, tasks }) => canceler.begun({ work, taskUids: tasks.map(({ uid }) => uid) }),
      executor: {
        execute: async ({ tasks }, { isCanceled }) => {
          runs += 1;
          if (runs === 1) {
            log.enqueue(log.selection('taskCancelation', { uids: [0] }, '?uids=0'));
            canceler.look();
            while (!isCanceled()) await new Promise((resolve) => setTimeout(resolve, 1));
            throw new BatchCanceled();
          }
          return tasks.map(() => ({ status: 'succeeded', details: { indexedDocuments: 3 } }));
        },
      },
    });
    const [canceled, rerun, cancelation] = [0, 1, 2].map((uid) => log.get(uid)!);
    expect(canceled).toMatchObject({ status: 'canceled', canceledBy: 2, batchUid: cancelation!.batchUid, error: null });
    expect(toTaskJson(canceled!, describeError).details).toEqual({ receivedDocuments: 3, indexedDocuments: 0 });
    expect(rerun!.status).toBe('succeeded');
    expect(toTaskJson(cancelation!, describeError).details).toEqual({
      matchedTasks: 1,
      canceledTasks: 1,
      originalFilter: '?uids=0',
    });
    expect(log.uids({ canceledBy: [2] })).toEqual([0]);
  });

  it('deletes finished tasks and emptied batches, and never gives their uids again', async () => {
    const log = freshLog();
    log.enqueue(creation('a'));
    await drain(log);
    log.enqueue(log.selection('taskDeletion', { statuses: ['succeeded'] }, '?statuses=succeeded'));
    await drain(log);
    expect(log.get(0)).toBeUndefined();
    expect(log.getBatch(0)).toBeUndefined();
    expect(log.uids({})).toEqual([1]);
    expect(toTaskJson(log.get(1)!, describeError).details).toMatchObject({ matchedTasks: 1, deletedTasks: 1 });
    expect(log.enqueue(creation('b')).uid).toBe(2);
  });

  it('exchanges names in the history older than a swap', async () => {
    const log = freshLog();
    log.enqueue(creation('a'));
    log.enqueue(creation('b'));
    log.enqueue({ type: 'indexSwap', swaps: [{ indexes: ['a', 'b'], rename: false }] });
    log.enqueue(creation('a'));
    await drain(log);
    expect(log.uids({ indexUids: ['a'] })).toEqual([1, 3]);
    expect(log.uids({ indexUids: ['b'] })).toEqual([0]);
  });

  it('keeps the requested names of a rename in its details, whatever follows', async () => {
    const log = freshLog();
    for (const content of [rename('x', 'a'), swap('b', 'x'), swap('b', 'd', true), rename('d', 'c')])
      log.enqueue(content);
    await drain(log);
    const details = { primaryKey: null, oldIndexUid: 'x', newIndexUid: 'a' };
    expect(toTaskJson(log.get(0)!, describeError)).toMatchObject({ indexUid: 'c', details });
    expect(toBatchJson(log.getBatch(0)!).details).toEqual({ oldIndexUid: 'x', newIndexUid: 'a' });
  });

  it('lets older tasks follow a renamed index', async () => {
    const log = freshLog();
    log.enqueue(creation('a'));
    log.enqueue(creation('b'));
    log.enqueue({ type: 'indexUpdate', indexUid: 'a', newUid: 'c' });
    log.enqueue({ type: 'indexSwap', swaps: [{ indexes: ['b', 'd'], rename: true }] });
    log.enqueue(creation('a'));
    await drain(log);
    expect(log.uids({ indexUids: ['c'] })).toEqual([0]);
    expect(log.uids({ indexUids: ['a'] })).toEqual([2, 4]);
    expect(log.uids({ indexUids: ['b'] })).toEqual([]);
    expect(log.uids({ indexUids: ['d'] })).toEqual([1]);
  });

  it('keeps a batch as long as one of its tasks is left', async () => {
    const log = freshLog();
    for (let at = 0; at < 3; at += 1) log.enqueue(addition('a'));
    await drain(log);
    log.enqueue(log.selection('taskDeletion', { uids: [0, 2] }, '?uids=0,2'));
    await drain(log);
    expect(log.getBatch(0)?.stats.totalNbTasks).toBe(3);
    log.enqueue(log.selection('taskDeletion', { uids: [1] }, '?uids=1'));
    await drain(log);
    expect(log.getBatch(0)).toBeUndefined();
    expect(log.uids({})).toEqual([3, 4]);
  });

  it('resets tasks that a killed process left as processing', async () => {
    const log = freshLog();
    log.enqueue(creation('a'));
    log.batches.start([0], 'x');
    expect(log.list({ statuses: ['processing'] }, { limit: 1 }).total).toBe(1);
    expect(log.batches.recover()).toBe(1);
    expect(log.get(0)).toMatchObject({ status: 'enqueued', batchUid: null, startedAt: null });
    expect(log.getBatch(0)).toBeUndefined();
    await drain(log);
    expect(log.get(0)).toMatchObject({ status: 'succeeded', batchUid: 1 });
  });
});

/** A store that counts the rows that are read of it, in transactions too. */
function countedReads(store: Store): { readonly counted: Store; readonly reads: () => number } {
  let count = 0;
  const counted: Store = {
    ...store,
    table: (name) => {
      const table = store.table(name);
      const range: Table['range'] = function* (options) {
        for (const entry of table.range(options)) {
          count += 1;
          yield entry;
        }
      };
      const get: Table['get'] = (key) => {
        count += 1;
        return table.get(key);
      };
      return { ...table, get, range };
    },
    transaction: (work, durability) =>
      store.transaction((txn) => {
        const get: typeof txn.get = (name, key) => {
          count += 1;
          return txn.get(name, key);
        };
        return work({ ...txn, get });
      }, durability),
    flush: () => store.flush(),
    size: () => store.size(),
  };
  return { counted, reads: () => count };
}

describe('on disk', () => {
  it('enqueues and filters without reading every task', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-tasks.'));
    const store = openLmdbStore({ folder, mapBytes: 2 ** 30 });
    const { counted, reads } = countedReads(store);
    const log = openTaskLog(counted);
    const operations = Array.from({ length: 20_000 }, (_, uid): LogOperation => {
      const task = { uid, content: creation(`i${uid % 10}`), batchUid: uid, canceledBy: null };
      const dates = { enqueuedAt: uid, startedAt: uid, finishedAt: uid };
      return { kind: 'putTask', task: { ...task, ...dates, status: 'succeeded', error: null, resultDetails: null } };
    });
    log.change([...operations, { kind: 'skipTo', counter: 'next-task', uid: 20_000 }]);
    const filters = {
      indexUids: ['i3'],
      statuses: ['succeeded'] as const,
      afterFinishedAt: 100,
      beforeEnqueuedAt: 19_000,
    };
    let before = reads();
    expect(log.list(filters, { limit: 20 }).total).toBe(1890);
    // pieces of five sets and two columns, and the page
    expect(reads() - before).toBeLessThan(150);
    before = reads();
    for (let at = 0; at < 20; at += 1) log.enqueue(creation('x'));
    expect(reads() - before).toBeLessThan(20 * 20);
    await store.close();
    rmSync(folder, { recursive: true });
  });
});
