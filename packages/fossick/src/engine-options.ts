import type { FeatureName } from '@fossick/api';
import { optionsOf, type ServerOptions } from '@fossick/instance';

/** Options of an engine, all of them optional. */
export interface EngineOptions {
  /**
   * Folder of the data, created when missing; only one process at a time can use it. Without one, data live in memory
   * until `close`.
   */
  readonly path?: string | undefined;
  /** Memory for searches in bytes, including caches. Default: a share of what the process may use. */
  readonly searchMemoryBytes?: number | undefined;
  /** Memory for indexing in bytes. Default: half of what the process may use, at most 2 GiB. */
  readonly indexingMemoryBytes?: number | undefined;
  /**
   * Threads for searches of large indexes and other long work; 0: all of it runs in the caller's thread. Default: all
   * cores but one.
   */
  readonly searchThreads?: number | undefined;
  /** Number of documents from which on an index counts as large. */
  readonly searchThreadsFrom?: number | undefined;
  /** From two on, large batches are indexed by two threads. Default: the number of cores. */
  readonly indexingThreads?: number | undefined;
  /** Experimental features to enable. */
  readonly features?: readonly FeatureName[] | undefined;
  /** Private networks that embedders may be reached in, `any` or a comma list; public ones are always allowed. */
  readonly allowedNetworks?: string | undefined;
  /**
   * Called with warnings that belong to no call: a thread that was restarted, a store that was repaired. Default: a
   * process warning.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The options of a server for these. Throws for invalid values. */
export function serverOptions(path: string, given: EngineOptions): ServerOptions {
  const flags: readonly (readonly [string, string | number | undefined])[] = [
    ['max-search-memory', given.searchMemoryBytes],
    ['max-indexing-memory', given.indexingMemoryBytes],
    ['search-threads', given.searchThreads],
    ['search-threads-from', given.searchThreadsFrom],
    ['max-indexing-threads', given.indexingThreads],
    ['experimental-allowed-ip-networks', given.allowedNetworks],
  ];
  const set = flags.filter(([, value]) => value !== undefined).map(([flag, value]) => [flag, String(value)] as const);
  return {
    ...optionsOf({ 'db-path': path, ...Object.fromEntries(set) }),
    forcedFeatures: given.features ?? [],
    // a caller with too many calls only delays itself
    searchQueueCapacity: Number.MAX_SAFE_INTEGER,
    searchWaitMaxMs: Number.POSITIVE_INFINITY,
  };
}
