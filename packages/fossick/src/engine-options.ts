import { type FeatureName, isJsonObject, wrongType } from '@fossick/api';
import { own } from '@fossick/base';
import { optionsOf, type ServerOptions } from '@fossick/instance';
import { plain, unreadable } from './plain-arguments.js';

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

/** A copy of the options, of the right types. Throws ApiError bad_request. */
export function readEngineOptions(given: EngineOptions | null | undefined): EngineOptions {
  try {
    if (given !== null && given !== undefined && !isJsonObject(given))
      throw wrongType({ code: 'bad_request', path: '' }, 'an object', given);
    const { onWarning, ...others } = given ?? {};
    const options = plain(others) as EngineOptions;
    if (onWarning !== undefined && onWarning !== null && typeof onWarning !== 'function')
      throw wrongType(at('onWarning'), 'a function', plain(onWarning));
    for (const [name, value] of Object.entries(options)) {
      if (value === null) continue;
      const isText = name === 'path' || name === 'allowedNetworks';
      if (name === 'features') checkFeatures(value);
      else if (
        isText
          ? typeof own(others as Record<string, unknown>, name) !== 'string'
          : !Number.isSafeInteger(value) || (value as number) < 0
      )
        throw wrongType(at(name), isText ? 'a string' : 'a non-negative integer', value);
    }
    const named = Object.entries(options).filter(([, value]) => value !== null);
    return { ...Object.fromEntries(named), onWarning: (onWarning ?? undefined) as EngineOptions['onWarning'] };
  } catch (error) {
    throw unreadable(error, 'The options');
  }
}
function checkFeatures(value: unknown): void {
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string'))
    throw wrongType(at('features'), 'an array of names', value);
}
const at = (name: string) => ({ code: 'bad_request', path: `.${name}` }) as const;

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
