/**
 * What changes the task log, as data. A store has equal rows after the same records, so nodes that share a log of them
 * have equal task logs.
 */
import type { TaskContent } from '../task/content.js';
import type { Batch, Micros, Task } from '../task/task.js';
import type { Counter } from './layout.js';
import type { EnqueueExtras } from './new-task.js';

/** A task that was requested; the log numbers it when the record is applied. */
export interface TaskEntry {
  /** By the clock of the node that got the request. The task gets this time, or that of the task before it if later. */
  readonly enqueuedAt: Micros;
  /** Its payload file is named without its folder, and has this name on every node. */
  readonly content: TaskContent;
  readonly extras: EnqueueExtras;
  /** Where other nodes get the payload; absent where no other node needs it, and for a task without payload. */
  readonly payload?: PayloadSource;
}

/** The bytes of a payload, or the key of an object with them. */
export type PayloadSource =
  | { readonly kind: 'inline'; readonly bytes: Uint8Array }
  | { readonly kind: 'object'; readonly key: string };

/** New tasks, in the order in which they are numbered. Any node writes it. */
export interface TasksRecord {
  readonly kind: 'tasks';
  readonly entries: readonly TaskEntry[];
}

/** Changes of tasks and batches, in this order. Only the node that runs tasks writes it. */
export interface TaskChangesRecord {
  readonly kind: 'task-changes';
  readonly operations: readonly LogOperation[];
}

/** Its kind is also the name of the record in a replicated log. */
export type TaskLogRecord = TasksRecord | TaskChangesRecord;

/** Members of a task that its run sets. */
export type TaskChange = Partial<
  Pick<
    Task,
    | 'status'
    | 'batchUid'
    | 'canceledBy'
    | 'resultDetails'
    | 'error'
    | 'startedAt'
    | 'finishedAt'
    | 'deaths'
    | 'payloadInLog'
  >
>;

/** What was running or waiting, for the next node that runs tasks: see AttemptMark. */
export interface AttemptNote {
  /** A number of its own, not 0. */
  readonly id: number;
  /** The name of the process. */
  readonly process: string;
  readonly running: readonly number[];
  readonly waiting: readonly number[];
  readonly isTrial: boolean;
}

/** One edit of the log. Uids that name nothing are ignored. */
export type LogOperation =
  | { readonly kind: 'putTask'; readonly task: Task }
  /** The given members of these tasks. */
  | { readonly kind: 'changeTasks'; readonly uids: readonly number[]; readonly change: TaskChange }
  /**
   * Errors of the skipped documents of a task, from this page on; they are deleted with it. The page 0 replaces all
   * pages that the task has.
   */
  | {
      readonly kind: 'putErrors';
      readonly uid: number;
      readonly first: number;
      readonly pages: readonly Uint8Array[];
    }
  | { readonly kind: 'deleteTasks'; readonly uids: readonly number[] }
  /** Its uid is used up. */
  | { readonly kind: 'putBatch'; readonly batch: Batch }
  | { readonly kind: 'deleteBatches'; readonly uids: readonly number[] }
  /** Raises the counter so that its next uid is at least `uid`. */
  | { readonly kind: 'skipTo'; readonly counter: Counter; readonly uid: number }
  /** The new names of indexes in tasks with a smaller uid than `before`. */
  | {
      readonly kind: 'renameHistory';
      readonly names: readonly (readonly [from: string, to: string])[];
      readonly before: number;
    }
  /** null: nothing is running or waiting. */
  | { readonly kind: 'noteAttempt'; readonly attempt: AttemptNote | null };
