import type { ErrorCode } from '@fossick/base';

/** What the HTTP thread gives a search thread at its start. */
export interface SearcherStart {
  readonly dbPath: string;
  readonly maxSearchBytes: number;
  readonly keptAnswerBytes: number;
}
/** Search thread to HTTP thread, one for each job, in their order. */
export type SearchReport =
  | { readonly kind: 'answer'; readonly bytes: Uint8Array }
  /** What the request had wrong. */
  | { readonly kind: 'refusal'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'fault'; readonly message: string };
