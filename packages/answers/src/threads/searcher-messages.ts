import type { ErrorCode } from '@fossick/base';
import type { SharedBudget } from '@fossick/search-memory';

/** How often a thread that searches is asked whether it has memory that others lack. */
export const REST_EVERY_MS = 2_000;

/** What the HTTP thread gives a search thread at its start. */
export interface SearcherStart {
  readonly dbPath: string;
  readonly maxSearchBytes: number;
  readonly resultCacheBytes: number;
  /** Its account of the memory for searches. */
  readonly sharedBudget: SharedBudget;
}

/** HTTP thread to search thread, beside jobs: to end, or to let go of all that it keeps for searches. */
export type SearcherOrder = 'stop' | 'give back';

/** Search thread to HTTP thread, one for each job and each order to give back, in their order. */
export type SearchReport =
  | {
      readonly kind: 'answer';
      readonly bytes: Uint8Array;
      /** Searches in it that their time limit ended. */
      readonly degradedCount: number;
    }
  /** What the request had wrong. */
  | { readonly kind: 'refusal'; readonly code: ErrorCode; readonly message: string }
  /** It needs more memory than the thread may have beside the others. */
  | { readonly kind: 'shortage'; readonly message: string }
  | { readonly kind: 'fault'; readonly message: string }
  /** What was kept is given back. */
  | { readonly kind: 'gave back' };
