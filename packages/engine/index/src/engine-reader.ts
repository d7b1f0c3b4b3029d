import { ApiError, apiError, checkTimeBudget, collectGarbage, faultPoint } from '@fossick/base';
import { type RowReader, type RowSource, readManifest, rowsOf, settingsRow, TABLES } from '@fossick/format';
import { isKernelFault, type Kernel, KernelMemoryError } from '@fossick/kernel';
import { MemoryBudget, SearchMemory } from '@fossick/kernel/memory';
import type { SharedKernel } from '@fossick/kernel/shared';
import type { IndexSettings } from '@fossick/settings';
import type { Store } from '@fossick/storage';
import type { ReadableCatalogue } from './catalogue/catalogue-port.js';
import { readSettings } from './documents/stored-settings.js';
import { type KernelSource, OWN_KERNELS } from './kernels/kernel-source.js';
import type { EngineReader, IndexInfo, IndexStats, IndexWeight, ReaderOptions, StoreSize, TableSizes } from './port.js';
import { type IndexAccess, NO_ACCESS } from './view/index-access.js';
import { IndexReader } from './view/index-reader.js';
import type { IndexView, WithForeign } from './view/index-view.js';
import { QueryResultCache } from './view/query-result-cache.js';
import { snapshotRows } from './view/view-rows.js';

/** When the memory of a kernel that was replaced is given back at the latest, in milliseconds. */
const SWEPT_WITHIN_MS = 100;

/** As the system reports it. */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOMEM';

/** All tables that a view reads. */
const INDEX_TABLES = Object.values(TABLES);
/** Default share of the memory for searches that the query result cache may use. */
const RESULT_CACHE_SHARE = 1 / 16;
/** Interval of closing files of deleted indexes, in milliseconds: they use disk space until they are closed. */
const SWEEP_MS = 2_000;
/** A reader that has not searched for this long gives memory back that others could use, in milliseconds. */
const IDLE_MS = 5_000;

/** A search needs more memory than it may use, although everything that no running search uses was freed. */
export class SearchMemoryShortage extends ApiError {
  /** It would fit in a new memory of all threads: in the old one, others have something for themselves that parts the free memory. */
  readonly fitsInNew: boolean;

  constructor(maxBytes: number, fitsInNew: boolean) {
    const { code, message } = apiError('too_many_search_requests', 'memory', Math.round(maxBytes / 2 ** 20));
    super(code, message);
    this.fitsInNew = fitsInNew;
  }
}

function trapped(cause: unknown): ApiError {
  const error = apiError('internal', 'searchFailed');
  error.cause = cause;
  return error;
}

/** What the reader tells its catalogue. */
export interface StoreUsers {
  /** Whether a store must stay open. */
  readonly isInUse: () => boolean;
  /** Called before a store is closed. */
  readonly onClose: (folder: string) => void;
}

/** Reads the indexes of a catalogue. `maxSearchBytes` limits the posting lists in kernel memory and the query result cache. */
export class CatalogueReader implements EngineReader {
  private readonly catalogue: ReadableCatalogue;
  private readonly budget: MemoryBudget;
  /** The kernel and all that it holds; replaced when it has grown too large, or failed. */
  private kernel!: Kernel;
  private memory!: SearchMemory;
  private readonly queryResults: QueryResultCache;
  /** Number of searches in this kernel. */
  private searchCount = 0;
  private lastSearchMs = 0;
  private readonly open = new Map<string, IndexReader>();
  private depth = 0;
  /** The access of the request being served: requests run one after another, each from start to end. */
  private access: IndexAccess = NO_ACCESS;
  private nextSweepMs = 0;
  private readonly sweeps = new KernelSweeps();
  private readonly isEnding: (() => boolean) | undefined;
  private readonly source: KernelSource;
  /** The memory that threads share is owed to others. */
  private isWanting = false;
  private isSecondRun = false;

  /** @param source absent: each kernel has a memory of its own */
  constructor(
    options: ReaderOptions,
    catalogueOf: (users: StoreUsers) => ReadableCatalogue,
    source: KernelSource = OWN_KERNELS,
  ) {
    this.source = source;
    this.catalogue = catalogueOf({
      // nested views may open more stores than the limit: none is closed meanwhile
      isInUse: () => this.depth > 0,
      onClose: (folder: string) => this.closeIndex(folder),
    });
    const { maxSearchBytes, resultCacheBytes = maxSearchBytes * RESULT_CACHE_SHARE } = options;
    this.budget = new MemoryBudget(maxSearchBytes, options.sharedBudget);
    this.isEnding = options.isEnding;
    this.queryResults = new QueryResultCache(resultCacheBytes, (bytes) => this.memory.grow('answers', bytes));
    this.renew(this.source.newKernel());
  }

  indexes(): readonly IndexInfo[] {
    return this.catalogue.infos();
  }

  index(uid: string): IndexInfo | undefined {
    const entry = this.catalogue.entry(uid);
    return entry === undefined ? undefined : this.catalogue.info(uid, entry);
  }

  settings(uid: string): IndexSettings {
    return this.catalogue.reading(uid, ({ folder }) => readSettings(rowsOf(this.catalogue.store(folder))));
  }

  stats(uid: string): IndexStats {
    return this.catalogue.summary(this.catalogue.existing(uid)).stats;
  }

  weight(uid: string): IndexWeight {
    return this.catalogue.reading(uid, ({ folder }) => weightOf(rowsOf(this.catalogue.store(folder))));
  }

  tableSizes(uid: string): TableSizes {
    return this.catalogue.tableSizes(uid);
  }

  readSummaries(milliseconds: number): boolean {
    return this.catalogue.readSummaries(milliseconds);
  }

  indexSize(uid: string): StoreSize {
    return this.catalogue.sizeOf(this.catalogue.existing(uid));
  }

  size(): StoreSize {
    return this.catalogue.size();
  }

  withView<T>(uid: string, work: (view: IndexView) => T, access: IndexAccess = NO_ACCESS): T {
    // A nested view must not free what the outer one uses.
    if (this.depth > 0) return this.look(uid, work, access);
    this.source.check(this.kernel);
    try {
      this.tidy();
      this.kernel.onPause = checkTimeBudget;
      return this.look(uid, work, access);
    } catch (error) {
      const kind = faultKind(error);
      if (kind === null) throw error;
      this.source.check(this.kernel);
      // where the kernel is shared, the search can be run again once, while no other one runs
      const isLast = this.source.isShared ? this.isSecondRun : this.searchCount === 1;
      const usedBytes = this.kernel.memory.totalBytes;
      this.recover(kind);
      // in an empty kernel there may be enough memory
      if (kind === 'memory' && !isLast) return this.runAgain(uid, work, access);
      if (kind !== 'memory') throw trapped(error);
      const missingBytes = error instanceof KernelMemoryError ? error.byteCount : Number.POSITIVE_INFINITY;
      this.isWanting = this.memory.wouldFitInNew(usedBytes, missingBytes);
      throw new SearchMemoryShortage(this.budget.maxBytes, this.isWanting);
    } finally {
      this.kernel.onPause = null;
      this.memory.settle();
    }
  }

  private recover(kind: 'memory' | 'trap'): void {
    try {
      if (kind === 'trap') this.renew(this.source.newKernel());
      else this.empty();
    } catch (error) {
      this.source.check(this.kernel);
      throw error;
    }
  }

  private runAgain<T>(uid: string, work: (view: IndexView) => T, access: IndexAccess): T {
    this.isSecondRun = true;
    try {
      return this.source.runAlone(this.kernel, () => this.withView(uid, work, access));
    } finally {
      this.isSecondRun = false;
    }
  }

  private look<T>(uid: string, work: (view: IndexView) => T, access: IndexAccess): T {
    return this.catalogue.reading(uid, ({ folder }) => {
      const { index, store } = this.openIndex(folder);
      if (index.isInUse) return this.inView(index, uid, undefined, work, access);
      return store.snapshot((snapshot) => this.inView(index, uid, snapshotRows(snapshot), work, access), INDEX_TABLES);
    });
  }

  private inView<T>(
    index: IndexReader,
    uid: string,
    rows: RowReader | undefined,
    work: (view: IndexView) => T,
    access: IndexAccess,
  ): T {
    const { kernel } = this;
    const mark = kernel.memory.mark();
    const outer = this.access;
    this.depth += 1;
    this.access = access;
    let isEntered = false;
    try {
      const view = index.enter(uid, rows);
      isEntered = true;
      this.memory.expectDocuments(documentsOf(this.open.values()));
      faultPoint('search.kernel', uid);
      const result = work(view);
      kernel.memory.release(mark);
      return result;
    } catch (error) {
      // a kernel that failed is replaced as a whole
      if (faultKind(error) === null) kernel.memory.release(mark);
      throw error;
    } finally {
      this.access = outer;
      this.depth -= 1;
      if (isEntered) index.leave();
    }
  }

  rest(): boolean {
    this.closeDeleted();
    if (this.source.noteSearches(this.kernel)) this.lastSearchMs = performance.now();
    const isIdle = this.depth === 0 && performance.now() - this.lastSearchMs > IDLE_MS;
    if (!isIdle || !this.budget.isOwed) return false;
    this.isWanting = this.source.isShared;
    if (!this.isWanting) this.releaseMemory();
    return !this.isWanting;
  }

  get needsMemory(): boolean {
    return this.isWanting || (this.source.isShared && this.memory.isOverdrawn);
  }

  useMemory(shared: SharedKernel): void {
    this.isWanting = false;
    this.source.use(shared);
    this.releaseMemory();
  }

  releaseMemory(): void {
    this.renew(this.source.newKernel());
    this.sweeps.begin();
  }

  async close(): Promise<void> {
    this.sweeps.stop();
    if (!this.source.isShared) for (const index of this.open.values()) index.close();
    this.source.leave(this.kernel);
    this.open.clear();
    await this.catalogue.close();
  }

  private closeIndex(folder: string): void {
    this.open.get(folder)?.close();
    this.open.delete(folder);
  }

  private openIndex(folder: string): { readonly index: IndexReader; readonly store: Store } {
    // a store in use stays open
    const store = this.catalogue.store(folder);
    let index = this.open.get(folder);
    if (index === undefined) {
      const withForeign: WithForeign = (uid, work) => {
        const { access } = this;
        if (!access.allowsIndex(uid)) return work({ isAllowed: false });
        const filter = access.filterOf(uid);
        return this.withView(uid, (view) => work({ isAllowed: true, view, filter }), access);
      };
      const options = { queryResults: this.queryResults, isEnding: this.isEnding, hidesExpired: true };
      index = new IndexReader(this.kernel, this.memory, folder, withForeign, options);
      this.open.set(folder, index);
    }
    return { index, store };
  }

  /** Empties the caches but keeps the kernel: until garbage is collected, a new one would take as much in addition. */
  private empty(): void {
    this.kernel.memory.reset();
    this.renew(this.kernel);
  }

  /** Starts over with an empty kernel. */
  private renew(kernel: Kernel): void {
    this.open.clear();
    this.kernel = kernel;
    this.memory = new SearchMemory(this.budget, this.kernel);
    this.memory.grow('answers', this.queryResults.heldBytes);
    this.searchCount = 0;
  }

  /** Releases memory over the limit and, now and then, closes deleted indexes. */
  private tidy(): void {
    this.memory.begin();
    if (!this.source.isShared && this.memory.isOverdrawn) {
      this.releaseMemory();
      this.memory.begin();
    }
    this.searchCount += 1;
    this.lastSearchMs = performance.now();
    this.closeDeleted();
  }

  /** At most once in a while. */
  private closeDeleted(): void {
    const nowMs = performance.now();
    if (nowMs < this.nextSweepMs) return;
    this.nextSweepMs = nowMs + SWEEP_MS;
    for (const folder of this.catalogue.orphans()) {
      // The folder is gone, so a failure to close its handle need not be reported.
      this.catalogue.forget(folder).catch(() => undefined);
    }
  }
}

/** O(indexes) */
function documentsOf(indexes: Iterable<IndexReader>): number {
  let count = 0;
  for (const { documentCount } of indexes) count += documentCount;
  return count;
}

function weightOf(rows: RowSource): IndexWeight {
  return { documentCount: readManifest(rows).documentCount, settingsBytes: settingsRow(rows)?.length ?? 0 };
}

/**
 * Why a search cannot continue with its kernel: lack of memory, or a trap; null for errors that leave the kernel intact.
 */
function faultKind(error: unknown): 'memory' | 'trap' | null {
  if (error instanceof KernelMemoryError || isOutOfMemory(error)) return 'memory';
  return isKernelFault(error) ? 'trap' : null;
}

/** Gives the memory of kernels back that nothing refers to any more. V8 does not see how large it is. */
class KernelSweeps {
  private timer: (ReturnType<typeof setTimeout> & { unref?: () => void }) | undefined;

  /** Collects garbage now, and once more a little later, which frees what the first time found to be garbage. */
  begin(): void {
    collectGarbage();
    clearTimeout(this.timer);
    this.timer = setTimeout(collectGarbage, SWEPT_WITHIN_MS);
    this.timer.unref?.();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
