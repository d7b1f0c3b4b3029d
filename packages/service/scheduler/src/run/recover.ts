import { systemClock } from '../log/task-log.js';
import { NO_MARK } from './attempt-mark.js';
import { type Finished, finishBatch, withOutcome } from './finish.js';
import type { SchedulerOptions } from './scheduler-options.js';

/** A task that ended its process or thread this often is not run again. */
export const ATTEMPTS_MAX = 3;
/**
 * Puts the tasks of a dead process back. An attempt is counted for tasks that were running, in the same transaction;
 * tasks with too many attempts fail and are returned. Only for the single writer, before its first batch.
 */
export function recover(options: SchedulerOptions): readonly Finished[] {
  const { log, attempts = NO_MARK, clock = systemClock } = options;
  const tried = attempts.read();
  log.recover(tried);
  const finished = tried.flatMap((uid): Finished[] => {
    const task = log.get(uid);
    if (task?.status !== 'enqueued' || (task.attempts ?? 0) < ATTEMPTS_MAX) return [];
    const begun = log.begin(
      [task],
      `Task ${task.uid} was tried ${ATTEMPTS_MAX} times without an end; it is not tried again.`,
    );
    const message =
      `The task was tried ${task.attempts} times, and each time the process or thread that ran it ended unexpectedly; ` +
      'it is not tried again.';
    const tasks = begun.tasks.map((one) =>
      withOutcome(one, { status: 'failed', error: { code: 'internal', message } }, clock.now()),
    );
    return [finishBatch(log, begun.batch, tasks)];
  });
  attempts.clear();
  return finished;
}
