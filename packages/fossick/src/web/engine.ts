import type { SearchFeatures } from '@fossick/api/requests';
import { type EngineReader, type IndexInfo, MemoryCatalogue, memoryReader } from '@fossick/index/memory';
import { type EngineWriter, memoryWriter } from '@fossick/index/memory-writer';
import type { FederatedAnswer, Federation, MultiSearch, Query, QueryAnswer } from '../multi-search.js';
import { given } from '../plain-arguments.js';
import { exportedCatalogue, fillCatalogue } from './exported-bytes.js';
import { type Keeper, openKeeper } from './keeping.js';
import { multiAnswer } from './multi-answers.js';
import { type PartSources, withParts } from './parts/missing-parts.js';
import { loadKernel, type PlatformOptions, platformParts } from './platform.js';
import type { Runner } from './readable-index.js';
import { type Changing, WritableIndex } from './writable-index.js';

/** Options of an engine in memory. */
export interface WebEngineOptions extends PlatformOptions {
  /** Where the indexes are kept: the origin's private file system, IndexedDB, or nowhere, when absent. */
  readonly keep?: { readonly in: 'opfs' | 'indexedDB'; readonly name: string } | undefined;
  /** Bytes that another engine's `export` returned: its indexes are there at the start. */
  readonly from?: Uint8Array | undefined;
  /** Memory for searches, in bytes; 64 MiB when absent. */
  readonly maxSearchBytes?: number | undefined;
  /** Memory for a change, in bytes; 128 MiB when absent. */
  readonly maxIndexingBytes?: number | undefined;
  /** Experimental features that are on, by the names of the server's. */
  readonly features?: readonly string[] | undefined;
}

const DEFAULT_SEARCH_BYTES = 64 << 20;
const DEFAULT_INDEXING_BYTES = 128 << 20;

/** An engine in memory, in the thread that opened it: a page, a worker, or any runtime with WebAssembly. */
export interface WebEngine extends MultiSearch {
  /** An index, which need not exist yet: the first change creates it. @throws ApiError for an invalid uid */
  index<T extends object = Record<string, unknown>>(uid: string): WritableIndex<T>;
  /** Creates an index. @throws ApiError index_already_exists */
  createIndex<T extends object = Record<string, unknown>>(
    uid: string,
    options?: { readonly primaryKey?: string | undefined },
  ): Promise<WritableIndex<T>>;
  indexes(): readonly IndexInfo[];
  /** Swaps two indexes, documents and settings, in one step. @throws ApiError */
  swapIndexes(left: string, right: string): Promise<void>;
  /** All indexes as bytes, which `createEngine({ from })` opens. */
  export(): Promise<Uint8Array>;
  /** Waits for running changes and, where indexes are kept, until the last one is. */
  close(): Promise<void>;
}

/** Opens an engine in memory. @throws Error when the kernel cannot be loaded, DamagedFile when `from` or what was kept is damaged */
export async function createEngine(options: WebEngineOptions = {}): Promise<WebEngine> {
  await loadKernel(options);
  const catalogue = new MemoryCatalogue();
  const keeper = options.keep === undefined ? undefined : await openKeeper(options.keep);
  const bytes = options.from ?? (await keeper?.read());
  if (bytes !== undefined) await fillCatalogue(catalogue, bytes);
  return new MemoryEngine(catalogue, keeper, options);
}

class MemoryEngine implements WebEngine {
  private readonly catalogue: MemoryCatalogue;
  private readonly keeper: Keeper | undefined;
  private readonly reader: EngineReader;
  private readonly writer: EngineWriter;
  private readonly payloads = new Map<string, readonly string[]>();
  private readonly run: Runner;
  private readonly parts: PartSources;
  /** Changes run one after another. */
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(catalogue: MemoryCatalogue, keeper: Keeper | undefined, options: WebEngineOptions) {
    const { maxSearchBytes = DEFAULT_SEARCH_BYTES, maxIndexingBytes = DEFAULT_INDEXING_BYTES } = options;
    this.catalogue = catalogue;
    this.keeper = keeper;
    this.reader = memoryReader(catalogue, { maxSearchBytes });
    this.writer = memoryWriter(catalogue, this.payloads, { maxSearchBytes, maxIndexingBytes });
    const on = new Set(options.features ?? []);
    const features: SearchFeatures = { isOn: (feature) => on.has(feature) };
    const parts = platformParts(options);
    const context = { engine: this.reader, features };
    this.run = (work) => {
      if (this.isClosed) return Promise.reject(closed());
      return withParts(parts, () => work(context));
    };
    this.parts = parts;
  }

  index<T extends object>(uid: string): WritableIndex<T> {
    return new WritableIndex<T>(this.run, uid, (change) => this.change(change));
  }

  createIndex<T extends object>(uid: string, { primaryKey }: { readonly primaryKey?: string | undefined } = {}) {
    const index = this.index<T>(uid);
    return this.change(({ writer }) => writer.createIndex(index.uid, primaryKey ?? null)).then(() => index);
  }

  indexes(): readonly IndexInfo[] {
    return this.reader.indexes();
  }

  swapIndexes(left: string, right: string): Promise<void> {
    return this.change(({ writer }) => writer.swapIndexes([{ left, right, rename: false }]));
  }

  multiSearch<T extends object>(queries: readonly Query<T>[]): Promise<readonly QueryAnswer<T>[]>;
  multiSearch<T extends object>(queries: readonly Query<T>[], federation: Federation): Promise<FederatedAnswer<T>>;
  multiSearch(queries: readonly Query[], federation?: Federation): Promise<unknown> {
    const merged = federation === undefined ? {} : { federation: given(federation) };
    return this.run((context) => multiAnswer(context, { queries: queries.map(given), ...merged }));
  }

  export(): Promise<Uint8Array> {
    return this.inOrder(() => exportedCatalogue(this.catalogue));
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.last.catch(() => undefined);
    await this.keeper?.close();
    await this.writer.close();
  }

  private change<R>(work: Changing<R>): Promise<R> {
    if (this.isClosed) return Promise.reject(closed());
    return this.inOrder(async () => {
      const { writer, payloads, reader } = this;
      const result = await withParts(this.parts, () => work({ writer, payloads, reader }));
      for (const { uid } of this.reader.indexes()) while (await this.writer.mergeOnce(uid));
      this.keeper?.changed(() => exportedCatalogue(this.catalogue));
      return result;
    });
  }

  private inOrder<R>(work: () => Promise<R>): Promise<R> {
    const result = this.last.catch(() => undefined).then(work);
    this.last = result;
    return result;
  }
}

function closed(): Error {
  return new Error('the engine is closed');
}
