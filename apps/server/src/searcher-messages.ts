import type { ErrorCode } from '@fossick/base';
import type { RuleBook, SearchRequest } from '@fossick/engine';
import type { IndexScope } from './auth/index-scope.js';
import type { AnswerExtras } from './search/single-search.js';

/** What the HTTP thread gives a search thread at its start. */
export interface SearcherStart {
  readonly dbPath: string;
  readonly maxSearchBytes: number;
  readonly keptAnswerBytes: number;
}
/** One search of one index. */
export interface SearchJob {
  readonly indexUid: string;
  readonly request: SearchRequest;
  readonly extras: AnswerExtras;
  readonly ruleBook: RuleBook | null;
  readonly scope: IndexScope;
  /** A search of a conversation: the answer is ChatFindings of texts of so many bytes at most. */
  readonly chatTextBytes?: number;
}
/** Search thread to HTTP thread, one for each job, in their order. */
export type SearchReport =
  | { readonly kind: 'answer'; readonly bytes: Uint8Array }
  /** What the request had wrong. */
  | { readonly kind: 'refusal'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'fault'; readonly message: string };
