import { openMemoryStore } from '@fossick/storage';
import { expect, it } from 'vitest';
import type { TaskFilters } from './filters.js';
import { matchesTask } from './match-task.js';
import { StatusChanges } from './status-changes.js';
import { openTaskLog, type TaskLog } from './task-log.js';

const add = (log: TaskLog, indexUid: string): number =>
  log.enqueue({ type: 'indexCreation', indexUid, primaryKey: null }).uid;
function finish(log: TaskLog, uids: readonly number[], status: 'succeeded' | 'failed'): void {
  log.change([{ kind: 'changeTasks', uids, change: { status, finishedAt: 50 } }]);
}

it('finds tasks that are new or have another status, each once', () => {
  const log = openTaskLog(openMemoryStore());
  add(log, 'a');
  const changes = new StatusChanges(log.finder);
  expect(changes.next()).toEqual([]);
  const [first, second] = [add(log, 'a'), add(log, 'b')];
  expect(changes.next()).toEqual([first, second]);
  log.batches.start([first!], 'test');
  finish(log, [first!], 'failed');
  expect(changes.next()).toEqual([first]);
  expect(changes.next()).toEqual([]);
  finish(log, [0, second!], 'succeeded');
  expect(changes.next()).toEqual([0, second]);
});

it('a task that is deleted has not changed', () => {
  const log = openTaskLog(openMemoryStore());
  add(log, 'a');
  finish(log, [0], 'succeeded');
  const changes = new StatusChanges(log.finder);
  log.change([{ kind: 'deleteTasks', uids: [0] }]);
  expect(changes.next()).toEqual([]);
});

it('a task matches the filters that find it', () => {
  let calls = 0;
  const now = (): number => {
    calls += 1;
    return calls * 10;
  };
  const log = openTaskLog(openMemoryStore(), { clock: { now } });
  for (let i = 0; i < 12; i++) add(log, 'abc'[i % 3]!);
  log.enqueue({ type: 'dumpCreation' });
  log.batches.start([0, 1, 2], 'test');
  log.batches.start([4, 5], 'test');
  finish(log, [0, 4], 'succeeded');
  finish(log, [1], 'failed');
  const filters: readonly TaskFilters[] = [
    {},
    { uids: [1, 3, 99] },
    { batchUids: [1] },
    { canceledBy: [7] },
    { types: ['dumpCreation'] },
    { statuses: ['processing', 'failed'] },
    { indexUids: ['a', 'c'], statuses: ['succeeded'] },
    { isIndexVisible: (uid) => uid === 'b' },
    { afterEnqueuedAt: 40, beforeEnqueuedAt: 90 },
    { afterStartedAt: 0 },
    { beforeStartedAt: 145 },
    { afterFinishedAt: 50 },
    { beforeFinishedAt: 51, types: ['indexCreation'] },
  ];
  for (const filter of filters) {
    const matching = log.uids({}).filter((uid) => matchesTask(log.get(uid)!, filter));
    expect([filter, matching]).toEqual([filter, log.uids(filter)]);
  }
});
