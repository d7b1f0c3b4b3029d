import type { ControlWord } from '@fossick/threads';
import type { IndexLookup } from '../batching/joins.js';
import type { QuarantineOptions } from '../batching/poison-tasks.js';
import type { Clock } from '../log/clock.js';
import type { TaskGateway } from '../log/port.js';
import type { RunningBatch } from '../log/running-batches.js';
import type { TaskLog } from '../log/task-log.js';
import type { Task, TaskOutcome, WorkStats } from '../task/task.js';
import type { AttemptMark } from './attempt-mark.js';
import type { Finished } from './finish.js';
import type { Progress } from './progress.js';
import type { TrimLimits } from './trim-log.js';

export interface SchedulerOptions {
  readonly log: TaskLog;
  /** Registers deletions of old tasks; that of a log which only this process writes when absent. */
  readonly gateway?: Pick<TaskGateway, 'enqueue'>;
  readonly executor: TaskExecutor;
  readonly findIndex: IndexLookup;
  readonly tasksMax?: number;
  readonly payloadBytesMax?: number;
  readonly clock?: Clock;
  /** When old finished tasks are removed; TRIM_LIMITS when absent. */
  readonly trimLimits?: TrimLimits;
  readonly onStart?: (running: StartedBatch) => void;
  /** Called after the results are durable: for extensions and waiting clients. */
  readonly onCommit?: (finished: Finished) => void;
  /** Progress of the running batch; called for every new step, and for counters at most every 20 ms. */
  readonly onProgress?: (batchUid: number, progress: Progress) => void;
  /** Names the running tasks after the death of a process or thread; without it no deaths are counted. */
  readonly attempts?: AttemptMark;
  /** The waits of tasks that may have ended the process. */
  readonly trials?: QuarantineOptions;
  /** Milliseconds until the next try after the log itself failed; 10,000 when absent. */
  readonly retryMs?: number;
  /**
   * Asked when the disk did not take the work for these tasks: true when another node of a shared log should run them. They
   * fail where it is absent.
   */
  readonly yieldsWork?: (tasks: readonly Task[], reason: string) => boolean;
  /** True once the program ends: a batch that fails then waits for the next start, and no other batch begins. */
  readonly isEnding?: () => boolean;
  /** By which another thread gives up running batches (Canceler); none is canceled while it runs where it is absent. */
  readonly control?: ControlWord;
  /** An unexpected error; the queue continues. */
  readonly onFault?: (error: unknown) => void;
}

/** A batch that has begun. `work`: its number for the control word. */
export interface StartedBatch extends RunningBatch {
  readonly work: number;
  /** The log has used its reserve: only what frees space is done. */
  readonly isFull?: boolean;
}

/** The rest of the program: does the work of the tasks of one batch. */
export interface TaskExecutor {
  /** One outcome per task, in order. Commits all effects or none; called again with the same tasks after a crash. */
  execute(running: RunningBatch, context: ExecuteContext): Promise<readonly TaskOutcome[]>;
}

export interface ExecuteContext {
  /**
   * True once a waiting cancelation names a task of the batch: then throw BatchCanceled and commit nothing. Cheap to
   * call often: it reads one word of memory.
   */
  isCanceled(): boolean;
  /**
   * Calls the listener when the batch is canceled or the program ends. Returns a function that ends the watch. For work
   * that waits in its event loop.
   */
  watchCanceled(listener: () => void): () => void;
  /**
   * Names the running step; step-table.ts gives its nesting, and any other name counts `done` of `total` inside it.
   * Cheap to call often.
   */
  onProgress(step: string, done: number, total: number): void;
  /** Adds stats that only the executor knows to those of the batch. */
  addStats(stats: WorkStats): void;
}
