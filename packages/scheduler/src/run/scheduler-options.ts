import type { IndexLookup } from '../batching/joins.js';
import type { Clock, TaskLog } from '../log/task-log.js';
import type { Batch, Task, TaskOutcome, WorkStats } from '../task/task.js';
import type { AttemptMark } from './attempt-mark.js';
import type { Finished } from './finish.js';
import type { Progress } from './progress.js';
import type { TrimLimits } from './trim-log.js';

export interface SchedulerOptions {
  readonly log: TaskLog;
  readonly executor: TaskExecutor;
  readonly findIndex: IndexLookup;
  readonly tasksMax?: number;
  readonly payloadBytesMax?: number;
  readonly clock?: Clock;
  /** When old finished tasks are removed; TRIM_LIMITS when absent. */
  readonly trimLimits?: TrimLimits;
  readonly onStart?: (running: RunningBatch) => void;
  /** After the results are durable: for webhooks and waiting clients. */
  readonly onCommit?: (finished: Finished) => void;
  /** Where the running batch is; called for every new step, and for counters at most every 20 ms. */
  readonly onProgress?: (batchUid: number, progress: Progress) => void;
  /** Tells after the death of a process or thread what it was at; nothing is counted when absent. */
  readonly attempts?: AttemptMark;
  /** Milliseconds until the next try after the log itself failed; 10,000 when absent. */
  readonly retryMs?: number;
  /** True once the program ends: a batch that fails then waits for the next start, and no other begins. */
  readonly isEnding?: () => boolean;
  /** A fault of ours or of the world; the queue goes on. */
  readonly onFault?: (error: unknown) => void;
}

export interface RunningBatch {
  readonly batch: Batch;
  readonly tasks: readonly Task[];
}

/** The rest of the program: does what the tasks of one batch say. */
export interface TaskExecutor {
  /**
   * One outcome for each task, in order. Commits all effects or none; called again with the same tasks after a
   * crash.
   */
  execute(running: RunningBatch, context: ExecuteContext): Promise<readonly TaskOutcome[]>;
}

export interface ExecuteContext {
  /**
   * True once a waiting cancelation names a task of the batch: throw (anything) and commit nothing. Cheap to ask
   * often.
   */
  isCanceled(): boolean;
  /**
   * Names the running step; where it nests is in step-table.ts, and any other name counts `done` of
   * `total` inside it. Cheap to call often.
   */
  onProgress(step: string, done: number, total: number): void;
  /** Adds to the stats of the batch what only the work knows. */
  addStats(stats: WorkStats): void;
}
