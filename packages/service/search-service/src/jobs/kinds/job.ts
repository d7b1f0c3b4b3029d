import type { EngineReader, IndexWeight } from '@fossick/index';
import type { RuleBook } from '@fossick/search';
import type { SearchFacts } from '../../parts/answered-search.js';

/** What is known of an index without opening it; `isLarge`: by the operator's limit for its documents. */
export type SizeOf = (indexUid: string) => IndexWeight & { readonly isLarge: boolean };

/**
 * How long a job may block its thread. `light`: other requests may wait for it. `heavy`: they should not. `long`: so long
 * in one piece (hundreds of queries, templates) that it must not have the last search thread either.
 */
export type JobWeight = 'light' | 'heavy' | 'long';

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
  readonly kind: Job['kind'];
  /** Reads no more of the indexes, which exist, than their sizes. */
  weigh(job: Job, sizes: SizeOf): JobWeight;
  /** @throws ApiError for an invalid request; DictionaryMissing, and the job is to be run again */
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

export const heavyIf = (isHeavy: boolean): JobWeight => (isHeavy ? 'heavy' : 'light');
