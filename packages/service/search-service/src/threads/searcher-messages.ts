import type { ErrorCode } from '@fossick/base';
import type { SharedBudget } from '@fossick/kernel/memory';
import type { SharedKernel } from '@fossick/kernel/shared';
import type { SharedAnswers } from '../jobs/answer-account.js';
import type { JobResult } from '../jobs/kinds/job.js';

/** Interval at which a search thread is checked for memory that others lack, in milliseconds. */
export const REST_INTERVAL_MS = 2_000;

/** The start message of the HTTP thread to a search thread. */
export interface SearcherStart {
  readonly dbPath: string;
  readonly maxSearchBytes: number;
  readonly resultCacheBytes: number;
  /** Where the bytes of its answers count. */
  readonly answers: SharedAnswers;
  /** An Int32 that grows with each job that comes to the HTTP thread: while it does, nothing is warmed up. */
  readonly asked: SharedArrayBuffer;
  /** Its account of the memory for searches, and the one of the kernel memory. */
  readonly sharedBudget: SharedBudget;
  /** Of the control word: after a stop the thread ends at its next read of a row. */
  readonly control: SharedArrayBuffer;
}

/**
 * HTTP thread to search thread, in addition to jobs: end, use this kernel memory, which all search threads share, from now on, or search this index for its own words.
 * The first order is to use one. It is no part of the start message, which the thread keeps, because a memory that was replaced has to become garbage.
 */
export type SearcherOrder =
  | 'stop'
  | { readonly kind: 'use memory'; readonly sharedKernel: SharedKernel }
  | { readonly kind: 'warm up'; readonly indexUid: string };

/** The error of a request that cannot be answered. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly code: ErrorCode;
  readonly message: string;
}

/** Search thread to HTTP thread: first that it is ready, then one for each order, in their order. */
export type SearchReport =
  | { readonly kind: 'ready' }
  /** From now on it uses this kernel memory, and none that it had before. */
  | { readonly kind: 'using'; readonly memory: number }
  /** `workMs`: how long the job took. `heldBytes`: what the answer holds of the account, which the HTTP thread takes over. */
  | {
      readonly kind: 'answer';
      readonly result: JobResult<unknown>;
      readonly workMs: number;
      readonly heldBytes: number;
    }
  | Refusal
  /**
   * The job is to be run again with another kernel memory: this one was lost, with a thread that ended, or other threads have too much of it; then with
   * the error for a job that lacks memory again.
   */
  | { readonly kind: 'lost'; readonly refusal?: Refusal }
  /** An error of another kind, with its system code, if it has one. The stack is for the log: it has paths. */
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string; readonly code: string | undefined }
  /** It has searched this index for its own words, as it was told, or cannot. */
  | { readonly kind: 'warm'; readonly indexUid: string }
  /** After a job, or between two: the kernel memory should be replaced, because it has grown beyond what it may have, or is lost. */
  | { readonly kind: 'worn'; readonly memory: number };
