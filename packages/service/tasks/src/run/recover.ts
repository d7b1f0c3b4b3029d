import { cleared, doubted, isPoison, type TaskDeath, withDeath } from '../batching/poison-tasks.js';
import { systemClock } from '../log/clock.js';
import type { Task, TaskDeaths } from '../task/task.js';
import { type Attempt, NO_MARK } from './attempt-mark.js';
import { type Finished, finishBatch, withOutcome } from './finish.js';
import type { SchedulerOptions } from './scheduler-options.js';

/**
 * Puts the tasks of a dead process back. What its end says of them is noted in the same transaction; tasks that are to
 * blame fail and are returned. Only for the single writer, before its first batch.
 */
export function recover(options: SchedulerOptions): readonly Finished[] {
  const { log, attempts = NO_MARK } = options;
  const attempt = attempts.read();
  const changed = attempt === undefined ? new Map<number, TaskDeaths>() : judged(attempt, (uid) => log.get(uid));
  log.batches.recover(changed);
  const finished = [...changed.keys()].flatMap((uid) => failIfPoison(uid, options));
  attempts.clear();
  return finished;
}

/** Puts the tasks of a batch back whose work lost a thread that it needs; those that are to blame fail and are returned. */
export function putBack(tasks: readonly Task[], reason: string, options: SchedulerOptions): readonly Finished[] {
  const { log } = options;
  const mark = 1 + Math.floor(Math.random() * 0xffff_fffe);
  const death: TaskDeath = { mark, batchSize: tasks.length, isTrial: false, isOfThread: true, ranMs: 0 };
  const changed = new Map(tasks.map(({ uid, deaths }) => [uid, withDeath(deaths, death)]));
  log.batches.requeue([...changed.keys()], changed);
  return tasks.flatMap(({ uid }) => failIfPoison(uid, options, reason));
}

/** The deaths of the unfinished tasks that an attempt names, now that it ended unexpectedly. */
export function judged(attempt: Attempt, taskOf: (uid: number) => Task | undefined): Map<number, TaskDeaths> {
  const { id, running, waiting, isTrial, isOfThisProcess, ranMs } = attempt;
  const changed = new Map<number, TaskDeaths>();
  const open = running.map(taskOf).filter((task): task is Task => task?.finishedAt === null);
  const death = { mark: id, batchSize: running.length, isTrial, isOfThread: isOfThisProcess, ranMs };
  for (const { uid, deaths } of open) changed.set(uid, withDeath(deaths, death));
  // the end of a thread says nothing of what ends the process, and that of a trial nothing of others
  if (isOfThisProcess || isTrial) return changed;
  const verdict = running.length === 0 ? cleared : doubted;
  for (const task of waiting.map(taskOf))
    if (task?.finishedAt === null && task.deaths !== undefined) changed.set(task.uid, verdict(task.deaths));
  return changed;
}

function failIfPoison(uid: number, options: SchedulerOptions, reason?: string): readonly Finished[] {
  const { log, clock = systemClock } = options;
  const task = log.get(uid);
  if (task?.status !== 'enqueued' || task.deaths === undefined || !isPoison(task.deaths)) return [];
  const { total } = task.deaths;
  const begun = log.batches.begin(
    [task],
    `Task ${uid} was tried ${total} times without an end; it is not tried again.`,
  );
  const message =
    `The task was tried ${total} times, and each time the process or thread that ran it ended unexpectedly; it is not ` +
    `tried again.${reason === undefined ? '' : ` The last time: ${reason}.`}`;
  const failed = begun.tasks.map((one) =>
    withOutcome(one, { status: 'failed', error: { code: 'internal', message } }, clock.now()),
  );
  return [finishBatch(log, begun.batch, failed)];
}
