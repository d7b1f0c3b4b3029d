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
  /** Called when the reserve is made again. */
  onRestored: () => void = () => undefined;
  release(): boolean {
    if (!this.isHeld) return false;
    this.isHeld = false;
    this.releaseCount += 1;
    return true;
  }
  restore(): boolean {
    if (!this.isFull && !this.isHeld) {
      this.isHeld = true;
      this.onRestored();
    }
    return this.isHeld;
  }
  write(): void {
    if (this.isFull && this.isHeld) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  }
}

const creation = (indexUid: string): TaskContent => ({ type: 'indexCreation', indexUid, primaryKey: null });

/** A log on a disk, and the loop that runs its tasks. */
function start(disk: Disk, retryMs: number) {
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
    retryMs,
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
  return { run, scheduler };
}

it('tasks end at once each time that the disk is full, however soon after the last time', async () => {
  const disk = new Disk();
  // nobody waits so long
  const { run, scheduler } = start(disk, 2 ** 31 - 1);
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

it('the reserve is made again once there is space, also if no task runs then', async () => {
  const disk = new Disk();
  const { run, scheduler } = start(disk, 1);
  for (let time = 0; time < 3; time++) {
    disk.isFull = true;
    expect(await run(`full-${time}`)).toBe('failed');
    const restored = new Promise<void>((resolve) => {
      disk.onRestored = resolve;
    });
    disk.isFull = false;
    await restored;
  }
  expect(disk.releaseCount).toBe(3);
  await scheduler.stop();
});
