import { pickBatch } from '../batching/pick-batch.js';
import { forgiving, NO_MARK } from './attempt-mark.js';
import type { Finished } from './finish.js';
import { removePayloads } from './payloads.js';
import { recover } from './recover.js';
import { type FailureReasons, isUnavailable, runBatch } from './run-batch.js';
import type { RunningBatch, SchedulerOptions } from './scheduler-options.js';
import { isOftenShort, StartMark } from './start-mark.js';
import { trimLog } from './trim-log.js';

export interface Scheduler {
  /** A task may have been enqueued. */
  wake(): void;
  /** Resolves when the running batch is written; no other batch starts. */
  stop(): Promise<void>;
}

const RETRY_MS = 10_000;
/** A store that is being opened anew usually takes some 20 ms. */
const REOPENED_MS = 200;
/**
 * Starts the loop that runs tasks, after putting back tasks that a crash left processing. One per instance, in the
 * writer thread.
 */
export function runScheduler(given: SchedulerOptions): Scheduler {
  const { onFault } = given;
  const options = { ...given, attempts: forgiving(given.attempts ?? NO_MARK, onFault) };
  const failureReasons: FailureReasons = new Map();
  let isStopped = false;
  let hasWork = true;
  let resume: () => void = () => {};
  const wake = (): void => {
    hasWork = true;
    resume();
  };
  const sleep = (ms?: number): Promise<void> =>
    new Promise((resolve) => {
      // a stop after the last check of the loop has no waiter to wake
      if (isStopped) return resolve();
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const loop = async (): Promise<void> => {
    let isRecovered = false;
    while (!isStopped && options.isEnding?.() !== true) {
      try {
        if (!isRecovered) for (const finished of recover(options)) await settle(finished, options);
        isRecovered = true;
        if (isStopped) break;
        hasWork = false;
        if (!(await runNext(options, failureReasons)) && !hasWork) await sleep();
      } catch (error) {
        // The log itself failed (disk full): its contents are consistent, so the loop starts over.
        onFault?.(error);
        isRecovered = false;
        if (!isStopped) await sleep(isUnavailable(error) ? REOPENED_MS : (options.retryMs ?? RETRY_MS));
      }
    }
  };
  const ended = loop();
  return {
    wake,
    stop: () => {
      isStopped = true;
      resume();
      return ended;
    },
  };
}

/** Runs one batch to its end; false when nothing waits. */
async function runNext(options: SchedulerOptions, failureReasons: FailureReasons): Promise<boolean> {
  const { log } = options;
  trimLog(log, options.trimLimits);
  const picked = pickBatch(log, options);
  if (picked === undefined) return false;
  const running = log.begin(picked.tasks, picked.strategy);
  const mark = new StartMark(() => log.markStarted(running));
  if (!isOftenShort(picked.tasks[0]!)) mark.write();
  options.onStart?.(running);
  const finished = await attempt(running, mark, options, failureReasons);
  if (finished !== undefined) await settle(finished, options);
  return true;
}

/** Runs a batch under the mark that names its tasks in case the process ends. */
async function attempt(
  running: RunningBatch,
  mark: StartMark,
  options: SchedulerOptions,
  failureReasons: FailureReasons,
): Promise<Finished | undefined> {
  const { attempts = NO_MARK } = options;
  attempts.write(running.tasks.map(({ uid }) => uid));
  try {
    return await runBatch(running, mark, options, failureReasons);
  } finally {
    // the process survived, whatever was thrown
    attempts.clear();
  }
}

/** Follow-up of a batch whose results are durable; nothing here can fail the batch. */
async function settle(finished: Finished, options: SchedulerOptions): Promise<void> {
  await removePayloads(finished.tasks, options.onFault);
  try {
    options.onCommit?.(finished);
  } catch (error) {
    options.onFault?.(error);
  }
}
