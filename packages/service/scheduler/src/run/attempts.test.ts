import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryStore } from '@fossick/storage';
import { afterAll, describe, expect, it } from 'vitest';
import { openTaskLog, runScheduler, type TaskContent, type TaskLog } from '../index.js';
import { type AttemptMark, openAttemptFile } from './attempt-mark.js';

const folder = mkdtempSync(join(tmpdir(), 'fossick-attempts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const settings = (indexUid: string): TaskContent => ({
  type: 'settingsUpdate',
  indexUid,
  settings: {},
  allowIndexCreation: true,
});

/** Runs the queue until it is empty or the work of a batch with a poisonous task "ends the process". Answers whether it was empty. */
async function runUntilDeath(log: TaskLog, attempts: AttemptMark, poison: ReadonlySet<number>, runs: number[][]) {
  let die: () => void = () => {};
  const death = new Promise<boolean>((resolve) => {
    die = () => resolve(false);
  });
  const marked: AttemptMark = { ...attempts, clear: () => !isDead && attempts.clear() };
  let isDead = false;
  const scheduler = runScheduler({
    log,
    attempts: marked,
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

describe('a batch that ends the process', () => {
  it('is tried twice, then its tasks one by one; the tasks that end it fail after three attempts', async () => {
    const log = openTaskLog(openMemoryStore());
    for (let at = 0; at < 5; at += 1) log.enqueue(settings('a'));
    log.enqueue(settings('b'));
    const attempts = openAttemptFile(join(folder, 'poison'));
    const runs: number[][] = [];
    let deaths = 0;
    while (!(await runUntilDeath(log, attempts, new Set([2]), runs))) deaths += 1;
    expect(deaths).toBe(3);
    expect(runs).toEqual([[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0], [1], [2], [3], [4], [5]]);
    expect(log.uids({ statuses: ['succeeded'] })).toEqual([0, 1, 3, 4, 5]);
    const lost = log.get(2)!;
    expect(lost).toMatchObject({ status: 'failed', attempts: 3, error: { code: 'internal' } });
    expect(lost.error!.message).toContain('tried 3 times');
    expect(log.getBatch(lost.batchUid!)).toMatchObject({ stats: { totalNbTasks: 1, status: { failed: 1 } } });
    expect(log.get(5)!.attempts).toBeUndefined();
    expect(attempts.read()).toEqual([]);
  });

  it('takes no snapshot beside it along', async () => {
    const log = openTaskLog(openMemoryStore());
    for (let at = 0; at < 3; at += 1) log.enqueue({ type: 'snapshotCreation' });
    const attempts = openAttemptFile(join(folder, 'snapshots'));
    while (!(await runUntilDeath(log, attempts, new Set([0]), [])));
    expect(log.uids({ statuses: ['succeeded'] })).toEqual([1, 2]);
    expect(log.uids({ statuses: ['failed'] })).toEqual([0]);
  });

  it('counts no attempt that the process outlived, and none of tasks that came to their end', async () => {
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
    expect(attempts.read()).toEqual([]);
    // killed behind the write of the results, in front of the clearing of the mark
    attempts.write([0]);
    expect(log.recover(attempts.read())).toBe(0);
    expect(log.get(0)!.attempts).toBeUndefined();
  });
});

describe('the file of attempts', () => {
  const file = join(folder, 'file');
  it('holds what was written last, for the next process too', () => {
    const mark = openAttemptFile(file);
    expect(mark.read()).toEqual([]);
    mark.write(Array.from({ length: 1_000 }, (_, at) => at * 3));
    mark.write([7, 4_294_967_295]);
    expect(openAttemptFile(file).read()).toEqual([7, 4_294_967_295]);
    mark.clear();
    expect(openAttemptFile(file).read()).toEqual([]);
    mark.write([1]);
    expect(mark.read()).toEqual([1]);
    mark.close();
  });

  it('keeps its length: a clearing is no change that a file system would have to write down', () => {
    const own = join(folder, 'length');
    const mark = openAttemptFile(own);
    mark.clear();
    expect(statSync(own).size).toBe(0);
    mark.write([1, 2, 3]);
    const { size } = statSync(own);
    mark.clear();
    expect([mark.read(), statSync(own).size]).toEqual([[], size]);
    mark.close();
  });

  it('is ignored when it is truncated, damaged, or written before a reboot', () => {
    const cut = join(folder, 'cut');
    const mark = openAttemptFile(cut);
    mark.write([1, 2, 3]);
    const whole = readFileSync(cut);
    for (let length = 0; length < whole.length; length += 1) {
      writeFileSync(cut, whole);
      truncateSync(cut, length);
      expect(mark.read()).toEqual([]);
    }
    writeFileSync(cut, Buffer.concat([Buffer.from('another boot'), whole.subarray(12)]));
    expect(mark.read()).toEqual([]);
    writeFileSync(cut, whole);
    appendFileSync(cut, 'more');
    expect(mark.read()).toEqual([1, 2, 3]);
    mark.close();
  });
});
