import { openMemoryStore } from '@fossick/storage';
import { expect, it } from 'vitest';
import { pickBatch } from '../batching/pick-batch.js';
import type { LogOperation } from '../log/records.js';
import { openTaskLog } from '../log/task-log.js';
import type { TaskContent } from '../task/content.js';
import { NO_MARK } from './attempt-mark.js';
import { runScheduler } from './run-scheduler.js';

const creation = (indexUid: string): TaskContent => ({ type: 'indexCreation', indexUid, primaryKey: null });

/** A task that was begun when a deletion or cancelation of it came is not overtaken by it; one that waits is. */
it.each([
  'taskDeletion',
  'taskCancelation',
] as const)('a running batch ends before later registrations: %s', async (kind) => {
  const log = openTaskLog(openMemoryStore());
  log.enqueue(creation('a'));
  const ended: number[] = [];
  const scheduler = runScheduler({
    log,
    findIndex: () => undefined,
    onCommit: ({ tasks }) => ended.push(...tasks.map(({ uid }) => uid)),
    executor: {
      execute: async ({ tasks }) => {
        if (tasks[0]!.uid === 0) {
          log.enqueue(creation('b'));
          log.enqueue(log.selection(kind, { uids: [0, 1] }, '?uids=0,1'));
        }
        return tasks.map(() => ({ status: 'succeeded' }));
      },
    },
  });
  while (log.uids({ statuses: ['enqueued', 'processing'] }).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 1));
  await scheduler.stop();
  if (kind === 'taskDeletion') {
    expect(ended).toEqual([0, 2, 1]);
    expect(log.get(0)).toBeUndefined();
    expect(log.get(1)).toMatchObject({ status: 'succeeded', batchUid: 2 });
    expect(log.get(2)).toMatchObject({ resultDetails: { deletedTasks: 1 } });
  } else {
    expect(ended).toEqual([0, 2, 1]);
    expect(log.get(0)).toMatchObject({ status: 'succeeded' });
    expect(log.get(1)).toMatchObject({ status: 'canceled', canceledBy: 2, batchUid: 1 });
  }
});

it('picking reads only rows of waiting tasks, however many tasks there were', () => {
  const store = openMemoryStore();
  let reads = 0;
  const log = openTaskLog({
    ...store,
    table: (name) => {
      const table = store.table(name);
      const get = (key: Uint8Array): Uint8Array | undefined => {
        reads += 1;
        return table.get(key);
      };
      const range: typeof table.range = function* (options) {
        for (const entry of table.range(options)) {
          reads += 1;
          yield entry;
        }
      };
      return { ...table, get, range };
    },
  });
  const operations = Array.from({ length: 40 }, (_, at): LogOperation => {
    // one in each piece of the sets
    const task = { content: creation('a'), batchUid: at, canceledBy: null, error: null, resultDetails: null };
    const dates = { enqueuedAt: at, startedAt: at, finishedAt: at };
    return { kind: 'putTask', task: { uid: at * 16_384, ...task, ...dates, status: 'succeeded' } };
  });
  log.change([...operations, { kind: 'skipTo', counter: 'next-task', uid: 41 }]);
  const [first, second] = [log.enqueue(creation('a')), log.enqueue(creation('b'))];
  reads = 0;
  expect(pickBatch(log, { findIndex: () => undefined }).batch!.tasks.map(({ uid }) => uid)).toEqual([first.uid]);
  expect(reads).toBeLessThan(30);
  expect(second.uid).toBe(first.uid + 1);
});

it('with one waiting task, no set is read for later ones, and no task to check for cancelation', async () => {
  const store = openMemoryStore();
  const names: string[] = [];
  const log = openTaskLog({
    ...store,
    table: (name) => {
      const table = store.table(name);
      const note = (key: Uint8Array | undefined): void => {
        names.push(
          `${name} ${Buffer.from(key ?? [])
            .toString('latin1')
            .replaceAll(/[^\w:-]/g, '')}`,
        );
      };
      return {
        ...table,
        get: (key) => {
          note(key);
          return table.get(key);
        },
        range: (options) => {
          note(options.start);
          return table.range(options);
        },
      };
    },
  });
  log.enqueue(creation('a'));
  await new Promise<void>((resolve) => {
    const scheduler = runScheduler({
      log,
      findIndex: () => undefined,
      onCommit({ tasks }) {
        if (tasks[0]!.uid === 1) return resolve(scheduler.stop());
        // the start is over, which looks for what an earlier one left
        names.length = 0;
        log.enqueue(creation('b'));
        scheduler.wake();
      },
      executor: {
        execute: async (_running, { isCanceled }) => (isCanceled() ? [] : [{ status: 'succeeded' }]),
      },
    });
  });
  const sets = names.filter((name) => name.startsWith('task-sets index:') || name.startsWith('task-sets all'));
  expect(sets).toEqual([]);
});

it('a stop ends the loop, whatever it is at and however early it comes', async () => {
  const executor = { execute: async () => [{ status: 'succeeded' as const }] };
  const options = { executor, findIndex: () => undefined };
  const log = openTaskLog(openMemoryStore());
  await runScheduler({ ...options, log }).stop();
  // a task that is given up at the start is answered while nothing runs yet
  log.enqueue(creation('a'));
  const deaths = { total: 12, batchMax: 1, alone: 11, counted: 9, threads: 0, ranMs: 0, mark: 1 };
  log.change([{ kind: 'changeTasks', uids: [0], change: { deaths } }]);
  const last = { id: 2, running: [0], waiting: [], isTrial: true, ranMs: 0, isOfThisProcess: false };
  const attempts = { ...NO_MARK, read: () => last };
  const scheduler = runScheduler({ ...options, log, attempts });
  log.enqueue(creation('b'));
  await scheduler.stop();
  expect(log.get(0)).toMatchObject({ status: 'failed' });
  expect(log.get(1)).toMatchObject({ status: 'enqueued' });
});
