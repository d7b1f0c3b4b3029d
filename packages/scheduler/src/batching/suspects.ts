import type { Task } from '../task/task.js';

/** After so many such attempts a task is tried alone, so that it takes no other task of its batch with it. */
export const ATTEMPTS_TOGETHER = 2;

/** Whether a task is tried alone. */
export function isSuspect(task: Task): boolean {
  return (task.attempts ?? 0) >= ATTEMPTS_TOGETHER;
}
