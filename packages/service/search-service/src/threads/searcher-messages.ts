import type { ErrorCode } from '@fossick/base';
import type { SharedBudget } from '@fossick/kernel/memory';
import type { JobResult } from '../jobs/kinds/job.js';

/** Interval at which a search thread is checked for memory that others lack, in milliseconds. */
export const REST_INTERVAL_MS = 2_000;

/** The start message of the HTTP thread to a search thread. */
export interface SearcherStart {
  readonly dbPath: string;
  readonly maxSearchBytes: number;
  readonly resultCacheBytes: number;
  /** Its account of the memory for searches. */
  readonly sharedBudget: SharedBudget;
  /** Of the control word: after a stop the thread ends at its next read of a row. */
  readonly control: SharedArrayBuffer;
  /** Whether it was started for searches of large indexes. */
  readonly isForLarge: boolean;
}

/** HTTP thread to search thread, in addition to jobs: end, free all caches of searches, or compile for large indexes. */
export type SearcherOrder = 'stop' | 'give back' | 'be for large';

/** Search thread to HTTP thread: first that it is ready, then one for each job and each order to give back, in their order. */
export type SearchReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly result: JobResult<unknown> }
  /** The error of an invalid request. */
  | { readonly kind: 'refusal'; readonly code: ErrorCode; readonly message: string }
  /** It needs more memory than the thread may use beside the others. */
  | { readonly kind: 'shortage'; readonly message: string }
  /** An error of another kind, with its system code, if it has one. The stack is for the log: it has paths. */
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string; readonly code: string | undefined }
  /** All caches were freed. */
  | { readonly kind: 'gave back' };
