import type { EngineReader } from '@fossick/engine';
import type { Features, InstanceValues, RuleStore } from '@fossick/instance';
import type { RemoteClient } from '@fossick/network';
import type { SearchRequest } from '@fossick/search';
import type { IndexSettings } from '@fossick/settings';
import type { SearchJob } from './search-jobs.js';
import type { SearchQueue } from './search-queue.js';

/** Whoever answers jobs in threads of their own. */
export interface JobThreads {
  /** Whether the job may take so long that it is for a thread. */
  takes(job: SearchJob): boolean;
  /** The answer as JSON bytes. @throws ApiError */
  run(job: SearchJob): Promise<Buffer>;
}

/** Makes the vectors of queries that bring none. */
export interface QueryEmbedding {
  /**
   * The request with the vector of its text or media. A search that words can answer too comes back unchanged where no vector can be made; for any other this
   * throws ApiError vector_embedding_error. `settings`: those of its index. `isSpared` says whether the words of a request decide it alone.
   */
  embedded<R extends Pick<SearchRequest, 'q' | 'vector' | 'hybrid'>>(
    request: R,
    media: Readonly<Record<string, unknown>> | null | undefined,
    settings: () => IndexSettings,
    isSpared?: (request: R) => Promise<boolean>,
  ): Promise<R>;
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
  readonly queryVectors: QueryEmbedding;
  /** Where searches of large indexes run. */
  readonly searchers: JobThreads;
}
