import { ApiError, apiError, collectGarbage, faultPoint } from '@fossick/base';
import { createKernel, type Kernel } from '@fossick/kernel';
import { MemoryBudget, SearchMemory } from '@fossick/search-memory';
import {
  type RowReader,
  type RowSource,
  readManifest,
  readSettings,
  rowsOf,
  settingsByteCount,
  TABLES,
} from '@fossick/segments';
import type { IndexSettings } from '@fossick/settings';
import type { Store } from '@fossick/storage';
import type { IndexView, WithForeign } from '@fossick/views';
import { faultKind, type IndexAccess, IndexReader, NO_ACCESS, QueryResultCache, snapshotRows } from '@fossick/views';
import { Catalogue } from './open.js';
import type { EngineReader, IndexInfo, IndexStats, IndexWeight, OpenEngineOptions, TableSizes } from './port.js';

/**
 * Opens the indexes of a root folder for reading, in any thread; several readers and one writer may have them open. `maxSearchBytes`
 * bounds the posting lists kept in kernel memory and the answers kept.
 */
export function openEngineReader(options: OpenEngineOptions): EngineReader {
  return new Reader(options);
}

/** All that a view reads. */
const INDEX_TABLES = Object.values(TABLES);
/** What answers may take of the memory for searches when nothing is said. */
const KEPT_ANSWERS_SHARE = 1 / 16;
/** Files of deleted indexes take room on the disk until they are closed. */
const SWEEP_MS = 2_000;

/** Settings of more bytes are not read to tell how heavy an index is: reading would take more than a millisecond. */
const WEIGHED_SETTINGS_BYTES = 64 * 1024;
/** Who has not searched for so long gives memory back that others could use. */
const IDLE_MS = 5_000;

/** A search needs more memory than its thread may have: with that of the other threads it may do. */
export class SearchMemoryShortage extends ApiError {
  constructor(maxBytes: number) {
    const mib = Math.round(maxBytes / 2 ** 20);
    super(
      'too_many_search_requests',
      `The search needs more memory than the ${mib} MiB that all searches may take. Try again in 10 seconds, or ask for less.`,
    );
  }
}

function trapped(cause: unknown): ApiError {
  const error = apiError('internal', 'searchFailed');
  error.cause = cause;
  return error;
}

class Reader implements EngineReader {
  private readonly catalogue: Catalogue;
  private readonly budget: MemoryBudget;
  /** With all that is held in it: another one when this one has grown too large, or failed. */
  private kernel!: Kernel;
  private memory!: SearchMemory;
  private readonly answers: QueryResultCache;
  /** Searches that the kernel has seen. */
  private searchCount = 0;
  private lastSearchMs = 0;
  private readonly open = new Map<string, IndexReader>();
  private depth = 0;
  /** That of the request which is served now: one after another, each from start to end. */
  private access: IndexAccess = NO_ACCESS;
  private nextSweepMs = 0;

  constructor(options: OpenEngineOptions) {
    const users = {
      // a view within views may open more stores than the bound: none is closed meanwhile
      isInUse: () => this.depth > 0,
      onClose: (folder: string) => this.closeIndex(folder),
      mayCreate: false,
    };
    this.catalogue = new Catalogue(options, users);
    const { maxSearchBytes, resultCacheBytes = maxSearchBytes * KEPT_ANSWERS_SHARE } = options;
    this.budget = new MemoryBudget(maxSearchBytes, options.sharedBudget);
    this.answers = new QueryResultCache(resultCacheBytes, (bytes) => this.memory.grow('answers', bytes));
    this.renew(createKernel());
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

  size(): { readonly diskBytes: number; readonly usedBytes: number } {
    return this.catalogue.size();
  }

  withView<T>(uid: string, work: (view: IndexView) => T, access: IndexAccess = NO_ACCESS): T {
    // A view within a view must not free what the outer one holds.
    if (this.depth > 0) return this.look(uid, work, access);
    this.tidy();
    try {
      return this.look(uid, work, access);
    } catch (error) {
      const kind = faultKind(error);
      if (kind === null) throw error;
      const isFirst = this.searchCount === 1;
      if (kind === 'trap') this.renew(createKernel());
      else this.empty();
      // in a kernel that has nothing to keep there may be room enough
      if (kind === 'memory' && !isFirst) return this.withView(uid, work, access);
      throw kind === 'memory' ? new SearchMemoryShortage(this.budget.maxBytes) : trapped(error);
    } finally {
      this.memory.settle();
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
      faultPoint('search.kernel', uid);
      const result = work(view);
      kernel.memory.release(mark);
      return result;
    } catch (error) {
      // a kernel that failed is given up as a whole
      if (faultKind(error) === null) kernel.memory.release(mark);
      throw error;
    } finally {
      this.access = outer;
      this.depth -= 1;
      if (isEntered) index.leave();
    }
  }

  rest(): boolean {
    const isIdle = this.depth === 0 && performance.now() - this.lastSearchMs > IDLE_MS;
    if (!isIdle || !this.budget.isOwed) return false;
    this.giveBack();
    return true;
  }

  giveBack(): void {
    this.renew(createKernel());
    // V8 does not see how large the old one is
    collectGarbage();
  }

  async close(): Promise<void> {
    for (const index of this.open.values()) index.close();
    this.open.clear();
    await this.catalogue.close();
  }

  private closeIndex(folder: string): void {
    this.open.get(folder)?.close();
    this.open.delete(folder);
  }

  private openIndex(folder: string): { readonly index: IndexReader; readonly store: Store } {
    // one that is used stays open
    const store = this.catalogue.store(folder);
    let index = this.open.get(folder);
    if (index === undefined) {
      const withForeign: WithForeign = (uid, work) => {
        const { access } = this;
        if (!access.allowsIndex(uid)) return work({ isAllowed: false });
        const filter = access.filterOf(uid);
        return this.withView(uid, (view) => work({ isAllowed: true, view, filter }), access);
      };
      index = new IndexReader(this.kernel, this.memory, folder, withForeign, this.answers);
      this.open.set(folder, index);
    }
    return { index, store };
  }

  /** Begins anew with the same kernel: another one would take its memory beside it until garbage is collected. */
  private empty(): void {
    this.kernel.memory.reset();
    this.renew(this.kernel);
  }

  /** Begins anew with an empty kernel. */
  private renew(kernel: Kernel): void {
    this.open.clear();
    this.kernel = kernel;
    this.memory = new SearchMemory(this.budget, this.kernel);
    this.memory.grow('answers', this.answers.heldBytes);
    this.searchCount = 0;
  }

  /** Lets memory go that is over the bound and, now and then, indexes that were deleted. */
  private tidy(): void {
    this.memory.begin();
    if (this.memory.isOverdrawn) {
      this.giveBack();
      this.memory.begin();
    }
    this.searchCount += 1;
    const nowMs = performance.now();
    this.lastSearchMs = nowMs;
    if (nowMs < this.nextSweepMs) return;
    this.nextSweepMs = nowMs + SWEEP_MS;
    for (const folder of this.catalogue.orphans()) {
      // The folder is gone; there is nobody to tell should its handle not close.
      this.catalogue.forget(folder).catch(() => undefined);
    }
  }
}

function weightOf(rows: RowSource): IndexWeight {
  const { documentCount, documentBytes } = readManifest(rows);
  const settingsBytes = settingsByteCount(rows);
  const isRead = settingsBytes <= WEIGHED_SETTINGS_BYTES;
  const facetValuesMax = isRead ? readSettings(rows).faceting.maxValuesPerFacet : Number.POSITIVE_INFINITY;
  return { documentCount, documentBytes, settingsBytes, facetValuesMax };
}
