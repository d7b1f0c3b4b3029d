import { apiError, compareUtf8 } from '@fossick/base';
import { openMemoryStore, type Store } from '@fossick/storage/memory';
import type { IndexInfo, StoreSize, TableSizes } from '../port.js';
import type { IdempotencyKey, IdempotencyRecord } from '../transaction/idempotency-records.js';
import type { CatalogueEntry } from './catalogue-entry.js';
import type { EntryRows, WritableCatalogue } from './catalogue-port.js';
import { type IndexSummary, indexInfo, summaryOf } from './index-summary.js';

/** Indexes whose stores are objects of this thread: in memory, or any others that are given. */
export class MemoryCatalogue implements WritableCatalogue {
  private entries = new Map<string, CatalogueEntry>();
  private readonly stores = new Map<string, Store>();
  private last: IdempotencyRecord | undefined;
  private folderCount = 0;

  /** Adds an index that a store holds, or replaces the index of that name. The dates are its manifest's. */
  adopt(uid: string, store: Store, primaryKey: string | null, createdAt: string): void {
    const folder = this.newFolder();
    this.stores.set(folder, store);
    this.entries.set(uid, { folder, primaryKey, createdAt, updatedAt: createdAt });
  }

  entry(uid: string): CatalogueEntry | undefined {
    return this.entries.get(uid);
  }

  existing(uid: string): CatalogueEntry {
    const entry = this.entries.get(uid);
    if (entry === undefined) throw apiError('index_not_found', 'one', uid);
    return entry;
  }

  reading<T>(uid: string, work: (entry: CatalogueEntry) => T): T {
    return work(this.existing(uid));
  }

  infos(): IndexInfo[] {
    return this.inOrder().map(([uid, entry]) => this.info(uid, entry));
  }

  info(uid: string, entry: CatalogueEntry): IndexInfo {
    return indexInfo(uid, entry, () => this.summary(entry).updatedAt);
  }

  summary({ folder }: CatalogueEntry): IndexSummary {
    const store = this.store(folder);
    return summaryOf(store, store.commitCount);
  }

  readSummaries(): boolean {
    return false;
  }

  store(folder: string): Store {
    let store = this.stores.get(folder);
    if (store === undefined) {
      store = openMemoryStore();
      this.stores.set(folder, store);
    }
    return store;
  }

  tableSizes(uid: string): TableSizes {
    const entry = this.entry(uid);
    return entry === undefined ? {} : this.store(entry.folder).tableSizes();
  }

  size(): StoreSize {
    const sizes = [...this.entries.values()].map((entry) => this.sizeOf(entry));
    return {
      diskBytes: sizes.reduce((sum, { diskBytes }) => sum + diskBytes, 0),
      usedBytes: sizes.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
    };
  }

  sizeOf({ folder }: CatalogueEntry): StoreSize {
    return this.store(folder).size();
  }

  orphans(): string[] {
    return [];
  }

  forget(folder: string): Promise<void> {
    const store = this.stores.get(folder);
    this.stores.delete(folder);
    return store?.close() ?? Promise.resolve();
  }

  discard(folder: string): void {
    this.forget(folder).catch(() => undefined);
  }

  newFolder(): string {
    return `index-${this.folderCount++}`;
  }

  abandon(): void {}

  change(work: (rows: EntryRows) => void, record?: IdempotencyRecord): void {
    const changed = new Map(this.entries);
    work({
      get: (uid) => changed.get(uid),
      put: (uid, entry) => void changed.set(uid, entry),
      delete: (uid) => void changed.delete(uid),
    });
    this.entries = changed;
    if (record !== undefined) this.last = record;
  }

  recordOf(idempotencyKey: IdempotencyKey | undefined): IdempotencyRecord | undefined {
    return idempotencyKey !== undefined && this.last?.idempotencyKey === idempotencyKey ? this.last : undefined;
  }

  summarise(): void {}

  isMergeDue(): boolean {
    return false;
  }

  *folders(): Generator<{ readonly uid: string; readonly folder: string }> {
    for (const [uid, { folder }] of this.inOrder()) yield { uid, folder };
  }

  sweep(): void {}

  remove(folder: string): void {
    this.stores.delete(folder);
  }

  async close(): Promise<void> {
    for (const folder of [...this.stores.keys()]) await this.forget(folder);
  }

  private inOrder(): [string, CatalogueEntry][] {
    return [...this.entries].sort(([left], [right]) => compareUtf8(left, right));
  }
}
