import type { SearchFeatures } from '@fossick/api/requests';
import { MemoryCatalogue, memoryReader } from '@fossick/index/memory';
import { DamagedFile } from '@fossick/storage/files';
import { withParts } from './parts/missing-parts.js';
import { StaticFiles, type StaticOptions, type Traffic } from './parts/static-files.js';
import { loadKernel, type PlatformOptions, platformParts } from './platform.js';
import { ReadableIndex, type Runner } from './readable-index.js';

/** Options of a static index. */
export interface OpenStaticOptions extends PlatformOptions, StaticOptions {
  /** Memory for searches, in bytes; 32 MiB when absent. Word tables of more than a part of it are read in parts. */
  readonly maxSearchBytes?: number | undefined;
  /** Experimental features that are on, by the names of the server's. */
  readonly features?: readonly string[] | undefined;
}

const DEFAULT_SEARCH_BYTES = 32 << 20;

/** An index that files at an address hold (`fossick export-static`). */
export interface StaticIndex<T extends object = Record<string, unknown>>
  extends Pick<
    ReadableIndex<T>,
    'uid' | 'search' | 'searchBytes' | 'facetSearch' | 'facetBytes' | 'get' | 'documents'
  > {
  /** What was fetched so far. */
  readonly traffic: Traffic;
}

/**
 * Opens a static index by the address of its manifest. Small indexes are fetched as a whole; of large ones searches fetch
 * what they need. @throws DamagedFile naming a file that is not what it should be
 */
export async function openStatic<T extends object = Record<string, unknown>>(
  manifest: URL | string,
  options: OpenStaticOptions = {},
): Promise<StaticIndex<T>> {
  const address = absolute(manifest);
  const [files] = await Promise.all([StaticFiles.open(address, options), loadKernel(options)]);
  const { uid, primaryKey, createdAt } = files.manifest.about as Readonly<Record<string, unknown>>;
  if (
    typeof uid !== 'string' ||
    typeof createdAt !== 'string' ||
    !(primaryKey === null || typeof primaryKey === 'string')
  )
    throw new DamagedFile(String(manifest), 'it does not say which index it is of');
  const catalogue = new MemoryCatalogue();
  catalogue.adopt(uid, files.store, primaryKey, createdAt);
  const engine = memoryReader(catalogue, { maxSearchBytes: options.maxSearchBytes ?? DEFAULT_SEARCH_BYTES });
  const on = new Set(options.features ?? []);
  const features: SearchFeatures = { isOn: (feature) => on.has(feature) };
  const sources = { ...platformParts(options), blocks: files.fetchMissing };
  let running = 0;
  const run: Runner = async (work) => {
    running += 1;
    try {
      return await withParts(sources, () => work({ engine, features }));
    } finally {
      running -= 1;
      // a search that is still fetching must find what it has fetched
      if (running === 0) files.store.settle();
    }
  };
  // the text of its error may be missing
  return withParts(sources, () => new FetchedIndex<T>(files, run, uid));
}

class FetchedIndex<T extends object> extends ReadableIndex<T> implements StaticIndex<T> {
  private readonly files: StaticFiles;

  constructor(files: StaticFiles, run: Runner, uid: string) {
    super(run, uid);
    this.files = files;
  }

  get traffic(): Traffic {
    return this.files.traffic;
  }
}

/** Relative to the page or the worker, where there is one. */
function absolute(address: URL | string): URL | string {
  const here = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  return here === undefined ? address : new URL(address, here);
}
