import { openMemoryStore, type Store } from '@fossick/storage';
import { describe, expect, it } from 'vitest';
import { openTaskLog, type TaskLog } from '../log/task-log.js';
import type { TaskContent } from '../task/content.js';
import { runScheduler } from './run-scheduler.js';
import type { SchedulerOptions, TaskExecutor } from './scheduler-options.js';

const SETTINGS: TaskContent = {
  type: 'settingsUpdate',
  indexUid: 'films',
  settings: {},
  allowIndexCreation: true,
} as TaskContent;
const DUMP: TaskContent = { type: 'dumpCreation' } as TaskContent;

/** A log whose commits are counted. */
function countedLog(): { readonly log: TaskLog; readonly commits: () => number } {
  const store = openMemoryStore();
  let count = 0;
  const counted: Store = {
    table: (name) => store.table(name),
    transaction: (work, durability) => {
      count++;
      return store.transaction(work, durability);
    },
    flush: () => store.flush(),
    size: () => store.size(),
    copyTo: (folder) => store.copyTo(folder),
    tableSizes: () => store.tableSizes(),
    snapshot: (work, tables) => store.snapshot(work, tables),
    isBusy: false,
    get commitCount() {
      return store.commitCount;
    },
    close: () => store.close(),
  };
  return { log: openTaskLog(counted), commits: () => count };
}

async function runOne(
  log: TaskLog,
  content: TaskContent,
  execute: TaskExecutor['execute'],
  more: Partial<SchedulerOptions> = {},
): Promise<void> {
  const { uid } = log.enqueue(content);
  const scheduler = runScheduler({ log, executor: { execute }, findIndex: () => undefined, ...more });
  while (log.get(uid)!.finishedAt === null) await new Promise((resolve) => setTimeout(resolve, 1));
  await scheduler.stop();
}

const busyUntil = (isDone: () => boolean, report: () => void): void => {
  while (!isDone()) report();
};

describe('the mark that a batch runs', () => {
  // on a busy machine a batch may take longer than what counts as at once
  it('is spared a batch that is over at once, whose end says the rest', { retry: 9 }, async () => {
    const { log, commits } = countedLog();
    await runOne(log, SETTINGS, async () => [{ status: 'succeeded' }]);
    expect(commits()).toBe(2); // enqueued, done
    await runOne(log, SETTINGS, async () => [{ status: 'succeeded' }]);
    expect(commits()).toBe(4);
    const [first, second] = [log.get(0)!, log.get(1)!];
    expect([first.batchUid, second.batchUid]).toEqual([0, 1]);
    expect(first.startedAt).toBeGreaterThanOrEqual(first.enqueuedAt);
    expect(log.getBatch(1)).toMatchObject({ uid: 1, startedAt: second.startedAt, finishedAt: second.finishedAt });
    expect(log.uids({ statuses: ['enqueued', 'processing'] })).toEqual([]);
  });

  it('is written while a batch goes on', async () => {
    const { log, commits } = countedLog();
    await runOne(log, SETTINGS, async ({ batch }, context) => {
      busyUntil(
        () => log.get(0)!.status === 'processing',
        () => context.onProgress('document', 1, 2),
      );
      expect(log.getBatch(batch.uid)).toMatchObject({ finishedAt: null });
      return [{ status: 'succeeded' }];
    });
    expect(commits()).toBe(3);
    expect(log.get(0)).toMatchObject({ status: 'succeeded', batchUid: 0 });
  });

  it('comes first where the work looks at the log', async () => {
    const { log } = countedLog();
    const seen: string[] = [];
    const look: TaskExecutor['execute'] = async ({ tasks }) => {
      seen.push(log.get(tasks[0]!.uid)!.status);
      return [{ status: 'succeeded' }];
    };
    await runOne(log, SETTINGS, look);
    await runOne(log, DUMP, look);
    expect(seen).toEqual(['enqueued', 'processing']);
  });

  it('may fail without harm to the work', async () => {
    const { log } = countedLog();
    const faults: unknown[] = [];
    const write = log.batches.markStarted.bind(log.batches);
    log.batches.markStarted = (started) => {
      log.batches.markStarted = write;
      throw new Error(`no room for the mark of batch ${started.batch.uid}`);
    };
    await runOne(
      log,
      SETTINGS,
      async (_, context) => {
        busyUntil(
          () => faults.length > 0,
          () => context.onProgress('document', 1, 2),
        );
        return [{ status: 'succeeded' }];
      },
      { onFault: (fault) => faults.push(fault) },
    );
    expect(faults).toHaveLength(1);
    expect(log.get(0)).toMatchObject({ status: 'succeeded', error: null });
  });
});
