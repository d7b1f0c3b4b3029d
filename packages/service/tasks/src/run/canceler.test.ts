import { BatchCanceled } from '@fossick/base';
import { openMemoryStore, type Store, type Table } from '@fossick/storage';
import { ControlWord } from '@fossick/threads';
import { expect, it } from 'vitest';
import { openTaskLog, type TaskLog } from '../log/task-log.js';
import type { TaskContent } from '../task/content.js';
import { Canceler } from './canceler.js';
import { runScheduler } from './run-scheduler.js';
import type { ExecuteContext, StartedBatch } from './scheduler-options.js';

const creation: TaskContent = { type: 'indexCreation', indexUid: 'a', primaryKey: null };

/** The store with each read counted. */
function counted(store: Store): { readonly store: Store; readonly reads: () => number } {
  let count = 0;
  const watched = (table: Table): Table =>
    new Proxy(table, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          count += 1;
          return Reflect.apply(member, target, given);
        };
      },
    });
  const seen: Store = new Proxy(store, {
    get(target, name) {
      if (name === 'table') return (table: string): Table => watched(target.table(table));
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { store: seen, reads: () => count };
}

/** Runs the waiting tasks; `work` is done for the first batch. */
async function run(
  log: TaskLog,
  control: ControlWord,
  onStart: (started: StartedBatch) => void,
  work: (context: ExecuteContext) => void | Promise<void>,
): Promise<void> {
  let count = 0;
  const scheduler = runScheduler({
    log,
    control,
    onStart,
    findIndex: () => undefined,
    executor: {
      async execute({ tasks }, context) {
        count += 1;
        if (count === 1) await work(context);
        return tasks.map(() => ({ status: 'succeeded' }));
      },
    },
  });
  while (log.count({ statuses: ['enqueued', 'processing'] }) > 0)
    await new Promise((resolve) => setTimeout(resolve, 1));
  await scheduler.stop();
}

it('a cancelation reaches a running batch without one read of its log', async () => {
  const store = openMemoryStore();
  const { store: countedStore, reads } = counted(store);
  const [own, other] = [openTaskLog(countedStore), openTaskLog(store)];
  const control = new ControlWord();
  const canceler = new Canceler(other, new ControlWord(control.buffer));
  own.enqueue(creation);
  let readCount = -1;
  const begun = ({ work, tasks }: StartedBatch): void =>
    canceler.begun({ work, taskUids: tasks.map(({ uid }) => uid) });
  await run(own, control, begun, (context) => {
    const before = reads();
    expect(before).toBeGreaterThan(0);
    for (let look = 0; look < 100; look++) expect(context.isCanceled()).toBe(false);
    other.enqueue(other.selection('taskCancelation', { uids: [0] }, '?uids=0'));
    canceler.look();
    expect(context.isCanceled()).toBe(true);
    readCount = reads() - before;
    throw new BatchCanceled();
  });
  expect(readCount).toBe(0);
  expect(own.get(0)).toMatchObject({ status: 'canceled', canceledBy: 1 });
});

it('a cancelation that was registered before the batch is known is found when it is', () => {
  const log = openTaskLog(openMemoryStore());
  const control = new ControlWord();
  const canceler = new Canceler(log, control);
  log.enqueue(creation);
  log.enqueue(log.selection('taskCancelation', { uids: [0] }, '?uids=0'));
  canceler.look();
  expect(control.isCanceled(7)).toBe(false);
  canceler.begun({ work: 7, taskUids: [5] });
  expect(control.isCanceled(7)).toBe(false);
  canceler.begun({ work: 8, taskUids: [5, 0] });
  expect([control.isCanceled(7), control.isCanceled(8)]).toEqual([false, true]);
});

it('a batch whose error is no cancelation fails, and a watch is called when it is canceled', async () => {
  const log = openTaskLog(openMemoryStore());
  const control = new ControlWord();
  log.enqueue(creation);
  let work = 0;
  const started = (one: StartedBatch): void => {
    work = one.work;
  };
  await run(log, control, started, async (context) => {
    const called = new Promise<void>((resolve) => context.watchCanceled(resolve));
    control.cancel(work);
    await called;
    throw new Error('of another kind');
  });
  expect(log.get(0)).toMatchObject({ status: 'failed', error: { message: 'of another kind' } });
});
