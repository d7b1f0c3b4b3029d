import { apiError } from '@fossick/base';
import type { Task, TaskLog } from '@fossick/tasks';
import { describe, revived, type SentError } from './sent-errors.js';

/** What has become of a new task, as a message between threads carries it. */
export type SentResult = { readonly uid: number } | { readonly error: SentError };

export function sentResults(settled: readonly PromiseSettledResult<number>[]): SentResult[] {
  return settled.map((one) => (one.status === 'fulfilled' ? { uid: one.value } : { error: describe(one.reason) }));
}

/** The tasks of a message, which are in the log of this node. */
export function registeredTasks(
  results: readonly SentResult[],
  tasks: Pick<TaskLog, 'get'>,
): PromiseSettledResult<Task>[] {
  return results.map((result) => {
    if ('error' in result) return { status: 'rejected', reason: revived(result.error) };
    const value = tasks.get(result.uid);
    // applied before the answer was sent, so it can only have been deleted since
    if (value === undefined) return { status: 'rejected', reason: apiError('task_not_found', result.uid) };
    return { status: 'fulfilled', value };
  });
}
