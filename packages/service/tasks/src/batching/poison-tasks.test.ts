import { openMemoryStore } from '@fossick/storage';
import { describe, expect, it } from 'vitest';
import { openTaskLog, type TaskLog } from '../log/task-log.js';
import { runScheduler } from '../run/run-scheduler.js';
import type { TaskContent } from '../task/content.js';
import type { TaskDeaths } from '../task/task.js';
import { pickBatch } from './pick-batch.js';
import { FREE_TRIES, isPoison, pauseMsOf, QuarantineWaits, withDeath } from './poison-tasks.js';

const QUARANTINED: TaskDeaths = { total: 3, batchMax: 1, alone: FREE_TRIES, counted: 0, threads: 0, ranMs: 0, mark: 1 };
const creation = (indexUid: string): TaskContent => ({ type: 'indexCreation', indexUid, primaryKey: null });
const settings = (indexUid: string): TaskContent => ({
  type: 'settingsUpdate',
  indexUid,
  settings: {},
  allowIndexCreation: true,
});
const swap = (left: string, right: string): TaskContent => ({
  type: 'indexSwap',
  swaps: [{ indexes: [left, right], rename: false }],
});
const rename = (indexUid: string, newUid: string): TaskContent => ({ type: 'indexUpdate', indexUid, newUid });

function logOf(...contents: TaskContent[]): TaskLog {
  const log = openTaskLog(openMemoryStore());
  for (const content of contents) log.enqueue(content);
  return log;
}
const quarantine = (log: TaskLog, uid: number, deaths = QUARANTINED): void =>
  log.change([{ kind: 'changeTasks', uids: [uid], change: { deaths } }]);

/** Uids in the order in which they run while the trials wait, and those that wait in the end. */
function overtaking(log: TaskLog): { readonly ran: readonly number[][]; readonly left: readonly number[] } {
  const waits = new QuarantineWaits({ now: () => 0, random: () => 0 });
  const ran: number[][] = [];
  for (;;) {
    const { batch } = pickBatch(log, { findIndex: () => undefined, waits });
    if (batch === undefined) return { ran, left: log.uids({ statuses: ['enqueued'] }) };
    ran.push(batch.tasks.map(({ uid }) => uid));
    const uids = batch.tasks.map(({ uid }) => uid);
    log.change([{ kind: 'changeTasks', uids, change: { status: 'succeeded', finishedAt: 1 } }]);
  }
}

describe('while a task waits for its trial', () => {
  it('tasks of other indexes run, those after it that concern its index wait', () => {
    const log = logOf(settings('a'), settings('b'), settings('a'), settings('b'), { type: 'dsrClear' }, settings('c'));
    quarantine(log, 0);
    expect(overtaking(log)).toEqual({ ran: [[1, 3], [4], [5]], left: [0, 2] });
  });

  it('a swap or renaming of its index waits, and with it what comes after that on the other index', () => {
    const log = logOf(settings('a'), settings('b'), swap('a', 'b'), settings('b'), rename('c', 'b'), settings('c'));
    quarantine(log, 0);
    expect(overtaking(log)).toEqual({ ran: [[1]], left: [0, 2, 3, 4, 5] });
  });

  it('a swap that waits itself holds up both indexes', () => {
    const log = logOf(swap('a', 'b'), settings('b'), settings('c'), settings('a'));
    quarantine(log, 0);
    expect(overtaking(log)).toEqual({ ran: [[2]], left: [0, 1, 3] });
  });

  it('a dump that waits holds up nothing, a deletion of tasks everything', () => {
    const log = logOf({ type: 'dumpCreation' }, settings('a'));
    quarantine(log, 0);
    expect(overtaking(log)).toEqual({ ran: [[1]], left: [0] });
    const barred = logOf(settings('a'));
    quarantine(barred, barred.enqueue(barred.selection('taskDeletion', { uids: [0] }, '?uids=0')).uid);
    expect(overtaking(barred)).toEqual({ ran: [], left: [0, 1] });
  });

  it('it can be canceled, and its index goes on', async () => {
    const log = logOf(settings('a'), settings('a'));
    quarantine(log, 0);
    const scheduler = runScheduler({
      log,
      trials: { pauseMs: 3_600_000 },
      findIndex: () => undefined,
      executor: { execute: async ({ tasks }) => tasks.map(() => ({ status: 'succeeded' })) },
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(log.uids({ statuses: ['enqueued'] })).toEqual([0, 1]);
    log.enqueue(log.selection('taskCancelation', { uids: [0] }, '?uids=0'));
    scheduler.wake();
    while (log.get(1)!.finishedAt === null) await new Promise((resolve) => setTimeout(resolve, 1));
    await scheduler.stop();
    expect([0, 1, 2].map((uid) => log.get(uid)!.status)).toEqual(['canceled', 'succeeded', 'succeeded']);
  });

  it('a long queue of its index costs the others no reads', () => {
    const contents = Array.from({ length: 2_000 }, () => settings('a'));
    const log = logOf(...contents, creation('b'));
    quarantine(log, 0);
    const read: number[] = [];
    const get = log.get.bind(log);
    log.get = (uid) => {
      read.push(uid);
      return get(uid);
    };
    const waits = new QuarantineWaits({ now: () => 0 });
    expect(pickBatch(log, { findIndex: () => undefined, waits }).batch!.tasks[0]!.uid).toBe(2_000);
    expect(read).toEqual([0, 2_000]);
  });
});

it('waits grow with each trial up to minutes, and are at least twice as long as the task ran', () => {
  const log = logOf(settings('a'));
  const pauseSeconds = (more: Partial<TaskDeaths>, share = 0): number => {
    quarantine(log, 0, { ...QUARANTINED, ...more });
    return pauseMsOf(log.get(0)!, 2_000, share) / 1_000;
  };
  expect([0, 1, 5, 9].map((counted) => pauseSeconds({ counted }))).toEqual([2, 4, 64, 300]);
  expect(pauseSeconds({ counted: 1 }, 0.5)).toBe(8);
  expect(pauseSeconds({ ranMs: 600_000 })).toBe(1_200);
  expect(pauseSeconds({ alone: FREE_TRIES - 1 })).toBe(0);
  expect([1, 2, 4].map((threads) => pauseSeconds({ alone: 0, threads }))).toEqual([0.1, 0.2, 0.8]);
});

it('ends of threads count in one life of the process only', () => {
  const death = { batchSize: 1, isTrial: false, isOfThread: true, ranMs: 0 };
  let deaths: TaskDeaths | undefined;
  for (let mark = 1; mark <= 100; mark += 1) {
    deaths = withDeath(deaths, { ...death, mark, isOfThread: mark % 3 !== 0 });
    expect([mark, deaths.threads, isPoison(deaths)]).toEqual([mark, mark % 3, false]);
  }
  for (const mark of [201, 202]) deaths = withDeath(deaths, { ...death, mark });
  expect(isPoison(deaths!)).toBe(true);
});
