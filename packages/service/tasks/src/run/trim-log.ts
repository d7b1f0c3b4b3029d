import type { TaskLog } from '../log/task-log.js';
import type { TaskSelection } from '../task/content.js';
import { toRfc3339 } from '../task/wire.js';

export interface TrimLimits {
  /** Number of tasks in the log above which the oldest are removed. */
  readonly tasksMax: number;
  /** The most tasks removed at once. */
  readonly removedMax: number;
}
export const TRIM_LIMITS: TrimLimits = { tasksMax: 1_000_000, removedMax: 100_000 };

/** A deletion is a task itself, so removing a single task gains nothing. */
const REMOVED_MIN = 2;

/**
 * The deletion of the oldest finished tasks once the log is full; undefined when it is not, or when hardly any task is
 * finished. One row read until that many tasks were ever registered, then O(tasks / 8) bytes.
 */
export function trimmingOf(log: TaskLog, limits: TrimLimits = TRIM_LIMITS): TaskSelection | undefined {
  if (log.taskCountMax() < limits.tasksMax || log.count({}) < limits.tasksMax) return undefined;
  const taskUids: number[] = [];
  for (const uid of log.finder.find({ statuses: ['succeeded', 'failed', 'canceled'] }).uids()) {
    taskUids.push(uid);
    if (taskUids.length === limits.removedMax) break;
  }
  const newest = taskUids.length < REMOVED_MIN ? undefined : log.get(taskUids.at(-1)!);
  if (newest === undefined) return undefined;
  // Dates compare strictly: with one microsecond more the newest of them still matches.
  const date = toRfc3339(newest.enqueuedAt + 1);
  const originalFilter = `?beforeEnqueuedAt=${date}&statuses=succeeded,failed,canceled`;
  return { type: 'taskDeletion', taskUids, originalFilter };
}
