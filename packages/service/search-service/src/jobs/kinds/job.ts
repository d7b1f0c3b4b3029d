import type { EngineReader } from '@fossick/index';
import type { RuleBook } from '@fossick/search';
import type { SearchFacts } from '../../parts/answered-search.js';

/**
 * Where a job begins. `here`: in the thread of requests, which drops it when it takes too long. `thread`: in a search thread, because it has steps that cannot be
 * interrupted. `spare`: in a search thread, but never in the last one, because it is hundreds of searches or a template.
 */
export type JobPlace = 'here' | 'thread' | 'spare';

/** What is known of an index without opening it. */
export interface IndexSize {
  /** By the operator's limit for its documents, or by its settings. */
  readonly isLarge: boolean;
  /** The settings take long to read, and to prepare for the first search after a commit, and neither can be interrupted. */
  readonly hasLongSettings: boolean;
}
/** @throws ApiError index_not_found */
export type SizeOf = (indexUid: string) => IndexSize;

/** What a job has found. */
export interface JobResult<Value> {
  /** Bytes are in a buffer of their own, which may be transferred to another thread. */
  readonly value: Value;
  /** Searches that the time limit of their index ended. */
  readonly degraded: number;
  /** Names of remotes whose answers turned out to be invalid. */
  readonly failedRemotes: readonly string[];
  /** Undefined for jobs that are no search. */
  readonly facts: SearchFacts | undefined;
}

/**
 * A kind of reads of an index that may take long. Its jobs are plain data: they run in the thread of requests or in a
 * search thread, with nothing but an engine.
 */
export interface JobKind<Job extends { readonly kind: string }, Value> {
  /** Reads no more of the indexes, which exist, than their sizes. */
  place(job: Job, sizes: SizeOf): JobPlace;
  /** Has no effect before its end. @throws ApiError for an invalid request; DictionaryMissing and TimeBudgetSpent, and the job is to be run again */
  run(engine: EngineReader, job: Job): JobResult<Value>;
}

export function found<Value>(
  value: Value,
  { degraded = 0, failedRemotes = [], facts }: Partial<Omit<JobResult<Value>, 'value'>> = {},
): JobResult<Value> {
  return { value, degraded, failedRemotes, facts };
}

/** The rules with a set of the uids of those that fire; null where there are none. */
export function watchedRules(book: RuleBook | null): {
  readonly ruleBook: RuleBook | null;
  readonly fired: Set<string>;
} {
  const fired = new Set<string>();
  return { ruleBook: book === null ? null : { ...book, onFired: (uid) => fired.add(uid) }, fired };
}

export const inThreadIf = (isWhole: boolean): JobPlace => (isWhole ? 'thread' : 'here');

interface OfIndex {
  readonly indexUid: string;
}
/** Where a search of one index begins. */
export const placeOfSearch = ({ indexUid }: OfIndex, sizes: SizeOf): JobPlace => inThreadIf(sizes(indexUid).isLarge);
/** Where a read begins that needs some rows of an index. */
export const placeOfRows = ({ indexUid }: OfIndex, sizes: SizeOf): JobPlace =>
  inThreadIf(sizes(indexUid).hasLongSettings);
