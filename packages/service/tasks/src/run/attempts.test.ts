import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ThreadLost } from '@fossick/base';
import { openMemoryStore } from '@fossick/storage';
import { afterAll, describe, expect, it } from 'vitest';
import { openTaskLog, type TaskLog } from '../log/task-log.js';
import type { TaskContent } from '../task/content.js';
import { type AttemptMark, openAttemptFile } from './attempt-mark.js';
import { judged, recover } from './recover.js';
import { runScheduler } from './run-scheduler.js';

const folder = mkdtempSync(join(tmpdir(), 'fossick-attempts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const settings = (indexUid: string): TaskContent => ({
  type: 'settingsUpdate',
  indexUid,
  settings: {},
  allowIndexCreation: true,
});

/**
 * Runs the queue until it is empty or the work of a batch with a poisonous task "ends the process", or only throws
 * away the thread. Answers whether it was empty.
 */
async function runUntilDeath(log: TaskLog, attempts: AttemptMark, poison: ReadonlySet<number>, runs: number[][]) {
  let die: () => void = () => {};
  const death = new Promise<boolean>((resolve) => {
    die = () => resolve(false);
  });
  let isDead = false;
  const marked: AttemptMark = {
    ...attempts,
    write: (attempt) => !isDead && attempts.write(attempt),
    clear: () => !isDead && attempts.clear(),
  };
  const scheduler = runScheduler({
    log,
    attempts: marked,
    trials: { pauseMs: 1, random: () => 0 },
    findIndex: () => undefined,
    executor: {
      execute: ({ tasks }) => {
        runs.push(tasks.map(({ uid }) => uid));
        if (!tasks.some(({ uid }) => poison.has(uid)))
          return Promise.resolve(tasks.map(() => ({ status: 'succeeded' as const })));
        isDead = true;
        die();
        return new Promise(() => {});
      },
    },
  });
  const empty = (async () => {
    while (!isDead && log.uids({ statuses: ['enqueued', 'processing'] }).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    return !isDead;
  })();
  const isEmpty = await Promise.race([death, empty]);
  if (isEmpty) await scheduler.stop();
  return isEmpty;
}
const times = (count: number, run: number[]): number[][] => Array.from({ length: count }, () => run);

describe('a task that ends the process', () => {
  it('fails after two tries and ten trials alone; the tasks with it run, and other indexes do not wait', async () => {
    const log = openTaskLog(openMemoryStore());
    for (let at = 0; at < 5; at += 1) log.enqueue(settings('a'));
    log.enqueue(settings('b'));
    const attempts = openAttemptFile(join(folder, 'poison'));
    const runs: number[][] = [];
    let deaths = 0;
    while (!(await runUntilDeath(log, attempts, new Set([2]), runs))) deaths += 1;
    expect(deaths).toBe(13);
    expect(runs).toEqual([[0, 1, 2, 3, 4], [0], [1], [2], [2], [5], ...times(10, [2]), [3], [4]]);
    expect(log.uids({ statuses: ['succeeded'] })).toEqual([0, 1, 3, 4, 5]);
    const lost = log.get(2)!;
    expect(lost).toMatchObject({ status: 'failed', deaths: { total: 13, counted: 10 }, error: { code: 'internal' } });
    expect(lost.error!.message).toContain('tried 13 times');
    expect(log.getBatch(lost.batchUid!)).toMatchObject({ stats: { totalNbTasks: 1, status: { failed: 1 } } });
    expect(log.get(5)!.deaths).toBeUndefined();
    expect(attempts.read()).toBeUndefined();
  });

  it('takes no snapshot along with it', async () => {
    const kinds = [{ type: 'snapshotCreation', takes: 'all', details: null }] as const;
    const log = openTaskLog(openMemoryStore(), { kinds });
    for (let at = 0; at < 3; at += 1) log.enqueue({ type: 'snapshotCreation' });
    const attempts = openAttemptFile(join(folder, 'snapshots'));
    while (!(await runUntilDeath(log, attempts, new Set([0]), [])));
    expect(log.uids({ statuses: ['succeeded'] })).toEqual([1, 2]);
    expect(log.uids({ statuses: ['failed'] })).toEqual([0]);
  });

  it('fails after three ends of its thread alone, in a process that goes on', async () => {
    const log = openTaskLog(openMemoryStore());
    for (let at = 0; at < 40; at += 1) log.enqueue(settings('a'));
    const attempts = openAttemptFile(join(folder, 'threads'), 'this process');
    const runs: number[][] = [];
    let deaths = 0;
    while (!(await runUntilDeath(log, attempts, new Set([2]), runs))) deaths += 1;
    // 40, two, then alone
    expect(runs.slice(0, 4).map(({ length }) => length)).toEqual([40, 2, 2, 1]);
    expect(deaths).toBe(5);
    expect(log.uids({ statuses: ['failed'] })).toEqual([2]);
    expect(log.get(2)!.error!.message).toContain('tried 5 times');
  });

  it('fails with the reason when a thread that works for the batch is lost each time', async () => {
    const log = openTaskLog(openMemoryStore());
    for (let at = 0; at < 2; at += 1) log.enqueue(settings('a'));
    let runs = 0;
    const scheduler = runScheduler({
      log,
      findIndex: () => undefined,
      executor: {
        execute: async ({ tasks }) => {
          runs += 1;
          if (tasks.some(({ uid }) => uid === 1)) throw new ThreadLost('the other thread has ended');
          return tasks.map(() => ({ status: 'succeeded' }));
        },
      },
    });
    while (log.get(1)!.finishedAt === null) await new Promise((resolve) => setTimeout(resolve, 1));
    await scheduler.stop();
    expect(runs).toBe(1 + 1 + 3);
    expect(log.get(0)!.status).toBe('succeeded');
    expect(log.get(1)!.error!.message).toMatch(/tried 4 times.*The last time: the other thread has ended/);
  });
});

describe('an end of the process', () => {
  it('counts for none of the tasks that it outlived or that came to their end', async () => {
    const log = openTaskLog(openMemoryStore());
    const attempts = openAttemptFile(join(folder, 'outlived'));
    log.enqueue(settings('a'));
    const scheduler = runScheduler({
      log,
      attempts,
      findIndex: () => undefined,
      executor: { execute: () => Promise.reject(new Error('a fault of ours')) },
    });
    while (log.get(0)!.finishedAt === null) await new Promise((resolve) => setTimeout(resolve, 1));
    await scheduler.stop();
    expect(attempts.read()).toBeUndefined();
    // killed after the write of the results, in front of the clearing of the mark
    attempts.write({ running: [0], waiting: [], isTrial: false });
    expect(judged(attempts.read()!, (uid) => log.get(uid)).size).toBe(0);
  });

  it('is counted once, also when the next process ends before it can forget it', () => {
    const log = openTaskLog(openMemoryStore());
    log.enqueue(settings('a'));
    const attempts = openAttemptFile(join(folder, 'twice'));
    attempts.write({ running: [0], waiting: [], isTrial: true });
    const killed: AttemptMark = { ...attempts, clear: () => {} };
    const options = { log, attempts: killed, findIndex: () => undefined, executor: { execute: async () => [] } };
    for (let start = 0; start < 20; start += 1) expect(recover(options)).toEqual([]);
    expect(log.get(0)!.deaths).toMatchObject({ total: 1, counted: 1 });
  });
});

const running = (...uids: number[]) => ({ running: uids, waiting: [], isTrial: false });

describe('the file of attempts', () => {
  const file = join(folder, 'file');
  it('holds what was written last, for the next process too', () => {
    const mark = openAttemptFile(file, 'one');
    expect(mark.read()).toBeUndefined();
    mark.write(running(...Array.from({ length: 1_000 }, (_, at) => at * 3)));
    mark.write({ running: [7, 4_294_967_295], waiting: [3], isTrial: true });
    mark.ranFor(1_234.5);
    const read = openAttemptFile(file, 'another').read();
    expect(read).toMatchObject({ running: [7, 4_294_967_295], waiting: [3], isTrial: true, ranMs: 1_235 });
    expect([read!.isOfThisProcess, mark.read()!.isOfThisProcess]).toEqual([false, true]);
    mark.clear();
    expect(openAttemptFile(file).read()).toBeUndefined();
    mark.write(running(1));
    expect(mark.read()).toMatchObject({ running: [1], waiting: [], isTrial: false, ranMs: 0 });
    mark.close();
  });

  it('keeps its length: a clearing is no change that a file system would have to write down', () => {
    const own = join(folder, 'length');
    const mark = openAttemptFile(own);
    mark.clear();
    expect(statSync(own).size).toBe(0);
    mark.write(running(1, 2, 3));
    const { size } = statSync(own);
    mark.clear();
    expect([mark.read(), statSync(own).size]).toEqual([undefined, size]);
    mark.close();
  });

  it('is ignored when it is truncated, damaged, or written before a reboot', () => {
    const cut = join(folder, 'cut');
    const mark = openAttemptFile(cut);
    mark.write(running(1, 2, 3));
    const whole = readFileSync(cut);
    for (let length = 0; length < whole.length; length += 1) {
      writeFileSync(cut, whole);
      truncateSync(cut, length);
      expect(mark.read()).toBeUndefined();
    }
    writeFileSync(cut, Buffer.concat([Buffer.from('another boot'), whole.subarray(12)]));
    expect(mark.read()).toBeUndefined();
    writeFileSync(cut, whole);
    appendFileSync(cut, 'more');
    expect(mark.read()!.running).toEqual([1, 2, 3]);
    // of an earlier release: a number of tasks follows the boot id
    const older = Buffer.from(whole);
    older.writeUInt32LE(1, 36);
    writeFileSync(cut, older);
    expect(mark.read()).toBeUndefined();
    mark.close();
  });
});
