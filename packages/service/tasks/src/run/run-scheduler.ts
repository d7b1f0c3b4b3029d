import { type HeldTasks, pickBatch } from '../batching/pick-batch.js';
import { isOnTrial, QuarantineWaits } from '../batching/poison-tasks.js';
import { openLocalGateway } from '../log/local-gateway.js';
import type { TaskGateway } from '../log/port.js';
import { type AttemptMark, forgiving, NO_MARK } from './attempt-mark.js';
import type { Finished } from './finish.js';
import { removePayloads } from './payloads.js';
import { recover } from './recover.js';
import { type FailureReasons, isOfDisk, isUnavailable, runBatch } from './run-batch.js';
import type { SchedulerOptions, StartedBatch } from './scheduler-options.js';
import { isOftenShort, StartMark } from './start-mark.js';
import { trimmingOf } from './trim-log.js';

export interface Scheduler {
  /** A task may have been enqueued. */
  wake(): void;
  /** Resolves when the running batch is written; no other batch starts. */
  stop(): Promise<void>;
}

const RETRY_MS = 10_000;
/** The longest sleep of a timer. */
const SLEEP_MS_MAX = 2 ** 31 - 1;
/** A store that is being opened anew usually takes some 20 ms. */
const REOPENED_MS = 200;
/**
 * Starts the loop that runs tasks, after putting back tasks that a crash left processing. One per instance, in the
 * writer thread.
 */
export function runScheduler(given: SchedulerOptions): Scheduler {
  const { onFault, retryMs = RETRY_MS } = given;
  const waits = new QuarantineWaits(given.trials);
  const options = {
    ...given,
    waits,
    gateway: given.gateway ?? openLocalGateway(given.log, () => undefined),
    attempts: forgiving(given.attempts ?? NO_MARK, onFault),
  };
  const failureReasons: FailureReasons = new Map();
  let workCount = 0;
  /**
   * Whether a batch has ended, or the loop has slept, since the reserve was released: one that is made and used up at once is
   * of no help. A quota lets no file system tell how much is free.
   */
  let mayRelease = true;
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
  const waitForWork = async ({ uids, untilMs }: HeldTasks): Promise<void> => {
    // until there is space for the reserve again: it has to be there the next time, also if no task runs before
    if (uids.length === 0) return sleep(options.log.reserve?.restore() === false ? retryMs : undefined);
    options.attempts.write({ running: [], waiting: uids, isTrial: false });
    try {
      await sleep(Math.min(Math.max(untilMs - waits.now(), 0), SLEEP_MS_MAX));
    } finally {
      options.attempts.clear();
    }
  };
  const loop = async (): Promise<void> => {
    let isRecovered = false;
    while (!isStopped && options.isEnding?.() !== true) {
      try {
        if (!isRecovered) for (const finished of recover(options)) await settle(finished, options);
        isRecovered = true;
        if (isStopped) break;
        hasWork = false;
        const held = await runNext(options, ++workCount, failureReasons);
        if (held === undefined) mayRelease = true;
        if (held !== undefined && !hasWork) await waitForWork(held);
      } catch (error) {
        // The log itself failed (disk full): its contents are consistent, so the loop starts over.
        onFault?.(error);
        isRecovered = false;
        // once more at once, with the reserve, so that the tasks fail now
        if (isOfDisk(error) && mayRelease && options.log.reserve?.release() === true) mayRelease = false;
        else if (!isStopped) {
          await sleep(isUnavailable(error) ? REOPENED_MS : retryMs);
          mayRelease = true;
        }
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

/** The options of a running scheduler. */
interface LoopOptions extends SchedulerOptions {
  readonly attempts: AttemptMark;
  readonly gateway: Pick<TaskGateway, 'enqueue'>;
  readonly waits: QuarantineWaits;
}

/** Runs one batch to its end; with nothing to run, returns the tasks that must wait. */
async function runNext(
  options: LoopOptions,
  work: number,
  failureReasons: FailureReasons,
): Promise<HeldTasks | undefined> {
  const { log } = options;
  await trimLog(options);
  const { batch: picked, held } = pickBatch(log, options);
  if (picked === undefined) return held;
  const running = {
    ...log.batches.begin(picked.tasks, picked.strategy),
    work,
    isFull: log.reserve?.restore() === false,
  };
  const mark = new StartMark(() => log.batches.markStarted(running));
  if (!isOftenShort(picked.tasks[0]!)) mark.write();
  options.onStart?.(running);
  for (const finished of await attempt(running, held, mark, options, failureReasons)) {
    for (const { uid } of finished.tasks) options.waits.forget(uid);
    await settle(finished, options);
  }
  return undefined;
}

/** Registers the deletion of old tasks when the log is full. Throws the reason why it is not registered. */
async function trimLog({ log, gateway, trimLimits }: LoopOptions): Promise<void> {
  const content = trimmingOf(log, trimLimits);
  if (content === undefined) return;
  const [result] = await gateway.enqueue([{ content, extras: {} }]);
  if (result?.status === 'rejected') throw result.reason;
}

/** Runs a batch under the mark that names its tasks in case the process ends. */
async function attempt(
  running: StartedBatch,
  held: HeldTasks,
  mark: StartMark,
  options: LoopOptions,
  failureReasons: FailureReasons,
): Promise<readonly Finished[]> {
  const { attempts } = options;
  attempts.write({
    running: running.tasks.map(({ uid }) => uid),
    waiting: held.uids,
    isTrial: isOnTrial(running.tasks[0]!),
  });
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
