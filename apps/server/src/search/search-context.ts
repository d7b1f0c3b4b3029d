import type { EngineReader } from '@fossick/engine';
import type { Features, InstanceValues, RuleStore } from '@fossick/instance';
import type { QueryVectors } from '../embedding/query-vectors.js';
import type { RemoteClient } from '../network/remote-client.js';
import type { SearchJob } from './search-jobs.js';
import type { SearchQueue } from './search-queue.js';

/** Whoever answers jobs in threads of their own. */
export interface JobThreads {
  /** Whether the job may take so long that it is for a thread. */
  takes(job: SearchJob): boolean;
  /** The answer as JSON bytes. @throws ApiError */
  run(job: SearchJob): Promise<Buffer>;
}

/** What searches are answered with. */
export interface SearchContext {
  readonly engine: EngineReader;
  readonly features: Features;
  /** Small durable values of the instance itself. */
  readonly values: InstanceValues;
  readonly rules: RuleStore;
  /** The way to the other instances of the network. */
  readonly remotes: RemoteClient;
  /** Where reads of an index for a request wait for their turn. */
  readonly searches: SearchQueue;
  /** Makes the vectors of queries that bring none. */
  readonly queryVectors: QueryVectors;
  /** Where searches of large indexes run. */
  readonly searchers: JobThreads;
}
