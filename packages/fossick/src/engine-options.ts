import { type FeatureName, optionsOf, type ServerOptions } from '@fossick/server/in-process';

/** How an engine runs. All of it is optional. */
export interface EngineOptions {
  /** Folder of the data, made when missing: one process at a time has it. Without one, data live in memory until `close`. */
  readonly path?: string | undefined;
  /** Bytes that searches may take in memory, caches among them. A share of what the process may use when absent. */
  readonly searchMemoryBytes?: number | undefined;
  /** Bytes that indexing may take in memory. Half of what the process may use, 2 GiB at most, when absent. */
  readonly indexingMemoryBytes?: number | undefined;
  /** Threads for searches of large indexes, and whatever else may take long; 0: all of them run in the caller's thread. All cores but one when absent. */
  readonly searchThreads?: number | undefined;
  /** Documents from which on an index counts as large. */
  readonly searchThreadsFrom?: number | undefined;
  /** From two on, large batches are indexed by two threads. As many as there are cores when absent. */
  readonly indexingThreads?: number | undefined;
  /** Experimental features that are on. */
  readonly features?: readonly FeatureName[] | undefined;
  /** Private networks that embedders may be reached in, `any` or a comma list; public ones are always open. */
  readonly allowedNetworks?: string | undefined;
  /** Hears of what is wrong and concerns no call: a thread that was started again, a store that was mended. A process warning when absent. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The same as a server takes it. Throws for values that cannot be used. */
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
    // who calls too often has only itself to wait for
    searchQueueCapacity: Number.MAX_SAFE_INTEGER,
    searchWaitMaxMs: Number.POSITIVE_INFINITY,
  };
}
