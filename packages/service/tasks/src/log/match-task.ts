import { indexUidOf } from '../task/content.js';
import type { Micros, Task } from '../task/task.js';
import type { TaskFilters } from './filters.js';

/** Whether a task matches filters, as TaskFinder.find decides it for all of them. O(filters). */
export function matchesTask(task: Task, filters: TaskFilters): boolean {
  const indexUid = indexUidOf(task.content);
  const { isIndexVisible, hiddenIndexUids = [] } = filters;
  if (isIndexVisible !== undefined && (indexUid === null || !isIndexVisible(indexUid))) return false;
  if (indexUid !== null && hiddenIndexUids.includes(indexUid)) return false;
  return (
    isOneOf(filters.uids, task.uid) &&
    isOneOf(filters.batchUids, task.batchUid) &&
    isOneOf(filters.canceledBy, task.canceledBy) &&
    isOneOf(filters.types, task.content.type) &&
    isOneOf(filters.statuses, task.status) &&
    isOneOf(filters.indexUids, indexUid) &&
    isBetween(task.enqueuedAt, filters.afterEnqueuedAt, filters.beforeEnqueuedAt) &&
    isBetween(task.startedAt, filters.afterStartedAt, filters.beforeStartedAt) &&
    isBetween(task.finishedAt, filters.afterFinishedAt, filters.beforeFinishedAt)
  );
}

function isOneOf<T>(wanted: readonly T[] | undefined, value: T | null): boolean {
  return wanted === undefined || (value !== null && wanted.includes(value));
}

/** Strictly; a moment that has not come is in no interval. */
function isBetween(at: Micros | null, after: Micros | undefined, before: Micros | undefined): boolean {
  if (after === undefined && before === undefined) return true;
  return at !== null && at > (after ?? Number.NEGATIVE_INFINITY) && at < (before ?? Number.POSITIVE_INFINITY);
}
