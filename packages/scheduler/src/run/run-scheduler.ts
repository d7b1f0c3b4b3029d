import { rm } from 'node:fs/promises';
import { ApiError } from '@fossick/base';
import type { IndexLookup } from '../batching/joins.js';
import { pickBatch } from '../batching/pick-batch.js';
import { type Clock, systemClock, type TaskLog } from '../log/task-log.js';
import type { TaskSelection } from '../task/content.js';
import type { Batch, Task, TaskOutcome } from '../task/task.js';
import { type TrimLimits, trimLog } from './trim-log.js';
import { type Finished, finishBatch, runCancelation, runDeletions, withOutcome } from './finish.js';

export interface RunningBatch {
  readonly batch: Batch;
  readonly tasks: readonly Task[];
}
export interface ExecuteContext {
  /**
   * True once a waiting cancelation names a task of the batch: throw (anything) and commit nothing. Cheap to ask
   * often.
   */
  isCanceled(): boolean;
  onProgress(step: string, done: number, total: number): void;
}
/** The rest of the program: does what the tasks of one batch say. */
export interface TaskExecutor {
  /**
   * One outcome for each task, in order. Commits all effects or none; called again with the same tasks after a
   * crash.
   */
  execute(running: RunningBatch, context: ExecuteContext): Promise<readonly TaskOutcome[]>;
}
export interface SchedulerOptions {
  readonly log: TaskLog;
  readonly executor: TaskExecutor;
  readonly findIndex: IndexLookup;
  readonly tasksMax?: number;
  readonly payloadBytesMax?: number;
  readonly clock?: Clock;
  /** When old finished tasks are removed; as spec 03 section 4.3 says when absent. */
  readonly trimLimits?: TrimLimits;
  readonly onStart?: (running: RunningBatch) => void;
  /** After the results are durable: for webhooks and waiting clients. */
  readonly onCommit?: (finished: Finished) => void;
  readonly onProgress?: (batchUid: number, step: string, done: number, total: number) => void;
  /** A fault of ours or of the world; the queue goes on. */
  readonly onFault?: (error: unknown) => void;
}
export interface Scheduler {
  /** Something may have been enqueued. */
  wake(): void;
  /** Resolves when the batch in progress is written; nothing starts after it. */
  stop(): Promise<void>;
}

const RETRY_MS = 10_000;
/** How often, in microseconds, a running batch looks for a cancelation in the log. */
const CANCEL_POLL_MICROS = 20_000;

/**
 * Starts the one loop that runs tasks; first puts back what a crash left processing. One per instance, in the
 * writer thread.
 */
export function runScheduler(options: SchedulerOptions): Scheduler {
  const { log, onFault } = options;
  let isStopped = false;
  let hasWork = true;
  let resume: () => void = () => {};
  const wake = (): void => {
    hasWork = true;
    resume();
  };
  const sleep = (ms?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const loop = async (): Promise<void> => {
    let isRecovered = false;
    while (!isStopped) {
      try {
        if (!isRecovered) log.recover();
        isRecovered = true;
        hasWork = false;
        if (!(await runNext(options)) && !hasWork) await sleep();
      } catch (error) {
        // The log itself failed (disk full): what it holds is consistent, so start over from there.
        onFault?.(error);
        isRecovered = false;
        if (!isStopped) await sleep(RETRY_MS);
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
async function runNext(options: SchedulerOptions): Promise<boolean> {
  const { log, clock = systemClock } = options;
  trimLog(log, options.trimLimits);
  const picked = pickBatch(log, options);
  if (picked === undefined) return false;
  const running = log.start(
    picked.tasks.map((task) => task.uid),
    picked.strategy,
  );
  options.onStart?.(running);
  const finished = await runStarted(running, options, clock);
  if (finished === undefined) return true;
  await removePayloads(finished.tasks, options);
  try {
    options.onCommit?.(finished);
  } catch (error) {
    options.onFault?.(error);
  }
  return true;
}

async function runStarted(
  running: RunningBatch,
  options: SchedulerOptions,
  clock: Clock,
): Promise<Finished | undefined> {
  const { log } = options;
  const { batch, tasks } = running;
  const type = tasks[0]!.content.type;
  if (type === 'taskCancelation') return runCancelation(log, batch, tasks[0]!, clock.now());
  if (type === 'taskDeletion') return runDeletions(log, batch, tasks, clock.now());
  const isCanceled = cancelWatch(log, tasks, clock);
  let outcomes: readonly TaskOutcome[];
  try {
    outcomes = await options.executor.execute(running, {
      isCanceled,
      onProgress: (step, done, total) => options.onProgress?.(batch.uid, step, done, total),
    });
    if (outcomes.length !== tasks.length) throw new Error(`${outcomes.length} outcomes for ${tasks.length} tasks`);
  } catch (error) {
    if (isCanceled()) {
      // Nothing was committed: the tasks wait again, and the cancelation, which is picked first, takes those it names.
      log.write((writes) =>
        log.requeue(
          writes,
          tasks.map((task) => task.uid),
        ),
      );
      return undefined;
    }
    if (!(error instanceof ApiError)) options.onFault?.(error);
    const code = error instanceof ApiError ? error.code : 'internal';
    const message = error instanceof Error ? error.message : String(error);
    outcomes = tasks.map(() => ({ status: 'failed', error: { code, message } }));
  }
  const finishedAt = clock.now();
  return finishBatch(
    log,
    batch,
    tasks.map((task, at) => withOutcome(task, outcomes[at]!, finishedAt)),
  );
}

function cancelWatch(log: TaskLog, tasks: readonly Task[], clock: Clock): () => boolean {
  const uids = new Set(tasks.map((task) => task.uid));
  let isCanceled = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.now();
    if (isCanceled || now - checkedAt < CANCEL_POLL_MICROS) return isCanceled;
    checkedAt = now;
    for (const task of log.tasks({ statuses: ['enqueued'], types: ['taskCancelation'] })) {
      isCanceled ||= (task.content as TaskSelection).taskUids.some((uid) => uids.has(uid));
    }
    return isCanceled;
  };
}

async function removePayloads(tasks: readonly Task[], options: SchedulerOptions): Promise<void> {
  for (const { content } of tasks) {
    if (content.type !== 'documentAdditionOrUpdate') continue;
    try {
      await rm(content.payloadFile, { force: true });
    } catch (error) {
      options.onFault?.(error); // a left-over file costs disk, not truth: livePayloadFiles tells it apart later
    }
  }
}
