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
/** Search thread to HTTP thread, one for each job, in their order. */
export type SearchReport =
  | {
      readonly kind: 'answer';
      readonly bytes: Uint8Array;
      /** Searches in it that their time limit ended. */
      readonly degradedCount: number;
    }
  /** What the request had wrong. */
  | { readonly kind: 'refusal'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'fault'; readonly message: string };
