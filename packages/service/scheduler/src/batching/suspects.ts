import type { Task } from '../task/task.js';

/** After this many attempts that ended the process a task runs alone, so that it cannot fail other tasks with it. */
export const ATTEMPTS_TOGETHER = 2;

/** Whether a task must run alone. */
export function isSuspect(task: Task): boolean {
  return (task.attempts ?? 0) >= ATTEMPTS_TOGETHER;
}
