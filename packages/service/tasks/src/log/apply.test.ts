import { openMemoryStore, type WriteTransaction } from '@fossick/storage';
import { expect, it } from 'vitest';
import { runScheduler } from '../run/run-scheduler.js';
import { rowsOf } from './history.test-support.js';
import { openLocalGateway } from './local-gateway.js';
import type { TaskGateway } from './port.js';
import type { TaskEntry, TasksRecord } from './records.js';
import { openTaskLog } from './task-log.js';

const creation = { type: 'indexCreation', indexUid: 'a', primaryKey: null } as const;
const addition = {
  type: 'documentAdditionOrUpdate',
  indexUid: 'a',
  method: 'replace',
  primaryKey: null,
  payloadFile: '7.ndjson',
  payloadBytes: 3,
  documentCount: 1,
  allowIndexCreation: true,
  skipCreation: false,
} as const;
const tasks = (...entries: TaskEntry[]): TasksRecord => ({ kind: 'tasks', entries });

it('tasks are numbered in the order of the records, and their times never go back', () => {
  const log = openTaskLog(openMemoryStore());
  const entry = (enqueuedAt: number): TaskEntry => ({ enqueuedAt, content: creation, extras: {} });
  const [first, second] = log.apply([tasks(entry(50), entry(40)), tasks(entry(30))]);
  expect([...first!, ...second!].map(({ uid, enqueuedAt }) => [uid, enqueuedAt])).toEqual([
    [0, 50],
    [1, 50],
    [2, 50],
  ]);
  expect(log.apply([tasks(entry(49), entry(51))])[0]!.map(({ enqueuedAt }) => enqueuedAt)).toEqual([50, 51]);
  expect(log.get(3)!.enqueuedAt).toBe(50);
});

it('the position of the log is written in the same transaction, or nothing is', () => {
  const store = openMemoryStore();
  const log = openTaskLog(store);
  const before = store.commitCount;
  const also = (txn: WriteTransaction): void => txn.put('position', Uint8Array.of(1), Uint8Array.of(9));
  log.apply([tasks({ enqueuedAt: 1, content: creation, extras: {} })], { also });
  expect(store.commitCount).toBe(before + 1);
  expect(store.table('position').get(Uint8Array.of(1))).toEqual(Uint8Array.of(9));
  const rows = rowsOf(store);
  const fails = (): never => {
    throw new Error('no position');
  };
  expect(() => log.apply([log.record([{ content: creation, extras: {} }])], { also: fails })).toThrow('no position');
  expect(rowsOf(store)).toEqual(rows);
});

it('a payload of the record is in a row of its own until its task ends or is deleted', () => {
  const store = openMemoryStore();
  const log = openTaskLog(store, { payloadFolder: '/here' });
  const inline = { kind: 'inline', bytes: new TextEncoder().encode('{}\n') } as const;
  const object = { kind: 'object', key: 'payloads/8.ndjson' } as const;
  const entry = { enqueuedAt: 1, content: addition, extras: {} };
  log.apply([tasks({ ...entry, payload: inline }, { ...entry, payload: object }, entry)]);
  expect([0, 1, 2].map((uid) => log.payloadSource(uid))).toEqual([inline, object, undefined]);
  expect(log.get(0)!.content).toMatchObject({ payloadFile: '/here/7.ndjson' });
  log.change([{ kind: 'changeTasks', uids: [0, 2], change: { status: 'succeeded', finishedAt: 2 } }]);
  expect([0, 1, 2].map((uid) => log.payloadSource(uid))).toEqual([undefined, object, undefined]);
  log.change([{ kind: 'deleteTasks', uids: [1] }]);
  expect(rowsOf(store)['task-payloads']).toBeUndefined();
});

it('operations on tasks and batches that are not there have no effect', () => {
  const store = openMemoryStore();
  const log = openTaskLog(store);
  log.enqueue(creation);
  const rows = rowsOf(store);
  log.change([
    { kind: 'changeTasks', uids: [7], change: { status: 'failed' } },
    { kind: 'deleteTasks', uids: [8, 9] },
    { kind: 'deleteBatches', uids: [3] },
    { kind: 'skipTo', counter: 'next-task', uid: 1 },
    { kind: 'noteAttempt', attempt: null },
  ]);
  expect(rowsOf(store)).toEqual(rows);
});

it('two swaps in one transaction rename what the first one has renamed', () => {
  const log = openTaskLog(openMemoryStore());
  log.enqueue(creation);
  log.change([
    { kind: 'renameHistory', names: [['a', 'b']], before: 1 },
    { kind: 'renameHistory', names: [['b', 'c']], before: 1 },
  ]);
  expect(log.get(0)!.content).toMatchObject({ indexUid: 'c' });
  expect(log.uids({ indexUids: ['c'] })).toEqual([0]);
});

it('with a changer, operations do not reach the store by themselves', () => {
  const store = openMemoryStore();
  const seen: unknown[] = [];
  openTaskLog(store).enqueue(creation);
  const log = openTaskLog(store, { changer: (operations, durability) => seen.push([operations, durability]) });
  const started = log.batches.start([0], 'a');
  expect(log.get(0)!.status).toBe('enqueued');
  expect(seen).toMatchObject([[[{ kind: 'changeTasks', uids: [0] }, { kind: 'putBatch' }], 'later']]);
  expect(started.tasks[0]!.status).toBe('processing');
});

it('after it is sealed a log takes no tasks, no changes and no records', async () => {
  const log = openTaskLog(openMemoryStore());
  const gateway = openLocalGateway(log, () => {});
  gateway.seal();
  expect(await gateway.enqueue([{ content: creation, extras: {} }])).toMatchObject([
    { status: 'rejected', reason: { code: 'invalid_state' } },
  ]);
  expect(() => log.change([])).toThrow(expect.objectContaining({ code: 'invalid_state' }));
  expect(() => log.apply([])).toThrow(expect.objectContaining({ code: 'invalid_state' }));
});

it('the scheduler registers the deletion of old tasks through the gateway', async () => {
  const log = openTaskLog(openMemoryStore());
  const local = openLocalGateway(log, () => {});
  const passed: string[] = [];
  const gateway: TaskGateway = {
    ...local,
    enqueue: (entries) => {
      passed.push(...entries.map(({ content }) => content.type));
      return local.enqueue(entries);
    },
  };
  for (let at = 0; at < 4; at += 1) log.enqueue(creation);
  await new Promise<void>((resolve) => {
    const scheduler = runScheduler({
      log,
      gateway,
      executor: { execute: async ({ tasks: some }) => some.map(() => ({ status: 'succeeded' as const })) },
      findIndex: () => undefined,
      trimLimits: { tasksMax: 4, removedMax: 10 },
      onCommit: ({ tasks: done }) => {
        if (done[0]!.content.type === 'taskDeletion') void scheduler.stop().then(resolve);
      },
    });
  });
  expect(passed[0]).toBe('taskDeletion');
  expect(log.uids({ types: ['indexCreation'] })).toEqual([2, 3]);
});
