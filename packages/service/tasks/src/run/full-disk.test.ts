import { openMemoryStore } from '@fossick/storage';
import { expect, it } from 'vitest';
import type { LogReserve } from '../log/log-reserve.js';
import type { LogOperation } from '../log/records.js';
import { openTaskLog, type TaskLog } from '../log/task-log.js';
import type { TaskContent } from '../task/content.js';
import { runScheduler } from './run-scheduler.js';

/** A disk that is full now and then, and the reserve on it. */
class Disk implements LogReserve {
  isFull = false;
  private isHeld = true;
  releaseCount = 0;
  release(): boolean {
    if (!this.isHeld) return false;
    this.isHeld = false;
    this.releaseCount += 1;
    return true;
  }
  restore(): boolean {
    if (!this.isFull) this.isHeld = true;
    return this.isHeld;
  }
  write(): void {
    if (this.isFull && this.isHeld) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  }
}

const creation = (indexUid: string): TaskContent => ({ type: 'indexCreation', indexUid, primaryKey: null });

it('tasks end at once each time that the disk is full, however soon after the last time', async () => {
  const disk = new Disk();
  const store = openMemoryStore();
  const plain: TaskLog = openTaskLog(store);
  const log = openTaskLog(store, {
    reserve: disk,
    changer: (operations: readonly LogOperation[], durability) => {
      disk.write();
      plain.change(operations, durability);
    },
  });
  const ended: (() => void)[] = [];
  const scheduler = runScheduler({
    log,
    // nobody waits so long
    retryMs: 2 ** 31 - 1,
    executor: { execute: async ({ tasks }) => tasks.map(() => ({ status: 'succeeded' as const })) },
    findIndex: () => undefined,
    onCommit: () => ended.shift()?.(),
  });
  const run = async (name: string): Promise<unknown> => {
    const end = new Promise<void>((resolve) => ended.push(resolve));
    const { uid } = plain.enqueue(creation(name));
    scheduler.wake();
    await end;
    return log.get(uid)!.status;
  };
  const statuses: unknown[] = [];
  for (let time = 0; time < 5; time++) {
    disk.isFull = true;
    statuses.push(await run(`full-${time}`));
    disk.isFull = false;
    statuses.push(await run(`free-${time}`));
  }
  expect(statuses).toEqual(Array.from({ length: 5 }, () => ['failed', 'succeeded']).flat());
  expect(disk.releaseCount).toBe(5);
  await scheduler.stop();
});
