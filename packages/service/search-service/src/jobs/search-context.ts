import type { EngineReader } from '@fossick/index';
import type { Features, InstanceValues, RuleStore } from '@fossick/instance';
import type { IndexSettings } from '@fossick/settings';
import type { SearchRequest } from '@fossick/settings/parameters';
import type { RemoteClient } from '../network/remote-client.js';
import type { SearchQueue } from '../queue/search-queue.js';
import type { AnswerAccount } from './answer-account.js';
import type { ResultOf, SearchJob } from './search-jobs.js';

/** Runs jobs in threads of their own. */
export interface JobThreads {
  /** Whether the job begins in a thread. */
  takes(job: SearchJob): boolean;
  /** Begins a job that it does not take, by synchronous work without effects. @throws TimeBudgetSpent, and the job is to be run by a thread */
  begin<T>(job: SearchJob, work: () => T): T;
  /**
   * Runs a job that it does not take, while the thread of requests is busy; undefined if it has no room. `isCrowded`:
   * whether others wait already. The promise rejects with ApiError.
   */
  offer<J extends SearchJob>(job: J, isCrowded: boolean): Promise<ResultOf<J['kind']>> | undefined;
  /** @throws ApiError */
  run<J extends SearchJob>(job: J): Promise<ResultOf<J['kind']>>;
}

/** Counts of an instance since its start. */
export interface SearchCounts {
  /** Searches that the time limit of their index ended. */
  degraded: number;
}

/** Makes the vectors of queries that have none. */
export interface QueryEmbedding {
  /**
   * The request with the vector of its text or media. A search that can also be answered by keywords is returned
   * unchanged when no vector can be made; any other throws ApiError vector_embedding_error. `settings`: those of its
   * index. `isSpared` says whether the keywords alone decide a request.
   */
  embedded<R extends Pick<SearchRequest, 'q' | 'vector' | 'hybrid'>>(
    request: R,
    media: Readonly<Record<string, unknown>> | null | undefined,
    settings: () => IndexSettings,
    isSpared?: (request: R) => Promise<boolean>,
  ): Promise<R>;
}

/** All that answering searches needs. */
export interface SearchContext {
  readonly engine: EngineReader;
  readonly features: Features;
  /** Small durable values of the instance. */
  readonly values: InstanceValues;
  readonly rules: RuleStore;
  /** The client for the other instances of the network. */
  readonly remotes: RemoteClient;
  /** The queue of reads of an index. */
  readonly searches: SearchQueue;
  readonly queryVectors: QueryEmbedding;
  /** The threads for searches of large indexes. */
  readonly searchers: JobThreads;
  readonly counts: SearchCounts;
  /** The memory of answers that are not read yet. */
  readonly answerAccount: AnswerAccount;
}
