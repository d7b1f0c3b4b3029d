import type { Store } from '@fossick/storage';
import type { IndexInfo, StoreSize, TableSizes } from '../port.js';
import type { IdempotencyKey, IdempotencyRecord } from '../transaction/idempotency-records.js';
import type { CatalogueEntry } from './catalogue-entry.js';
import type { IndexSummary } from './index-summary.js';

/** Rows of the list of indexes within one change of it. */
export interface EntryRows {
  get(uid: string): CatalogueEntry | undefined;
  put(uid: string, entry: CatalogueEntry): void;
  delete(uid: string): void;
}

/** The list of indexes and their stores, as readers use it. */
export interface ReadableCatalogue {
  entry(uid: string): CatalogueEntry | undefined;
  /** @throws ApiError index_not_found */
  existing(uid: string): CatalogueEntry;
  /** Runs `work`, which reads an index, again if the index was replaced meanwhile. @throws ApiError index_not_found */
  reading<T>(uid: string, work: (entry: CatalogueEntry) => T): T;
  /** In byte order of uid. */
  infos(): IndexInfo[];
  info(uid: string, entry: CatalogueEntry): IndexInfo;
  /** The figures of an index. */
  summary(entry: CatalogueEntry): IndexSummary;
  /** Reads figures ahead, for at most this many milliseconds; false when all were read. */
  readSummaries(milliseconds: number): boolean;
  /** The store of an index; valid until another one is requested, unless it is in use. */
  store(folder: string): Store;
  tableSizes(uid: string): TableSizes;
  size(): StoreSize;
  sizeOf(entry: CatalogueEntry): StoreSize;
  /** Folders of deleted indexes whose stores are open and not in use here. */
  orphans(): string[];
  /** Closes a store that was opened here. */
  forget(folder: string): Promise<void>;
  close(): Promise<void>;
}

/** The same for the writer. */
export interface WritableCatalogue extends ReadableCatalogue {
  newFolder(): string;
  /** Called before a change by which no index has this folder any more. */
  abandon(folder: string): void;
  /** Changes the list of indexes in one atomic write that stores the idempotency record of the work. */
  change(work: (rows: EntryRows) => void, record?: IdempotencyRecord): void;
  /** The record of this work, if it was the last that `change` stored one for. */
  recordOf(idempotencyKey: IdempotencyKey | undefined): IdempotencyRecord | undefined;
  /** Called after each commit to an index. */
  summarise(folder: string): void;
  /** Whether an index should be merged. */
  isMergeDue(folder: string): boolean;
  /** Every index and the folder of its store, in byte order of uid. */
  folders(): Iterable<{ readonly uid: string; readonly folder: string }>;
  /** Removes what a crash left of indexes that were being made or removed; called once, before the first change. */
  sweep(): void;
  /** Removes a store that no index refers to, although it may be open here. */
  discard(folder: string): void;
  /** Removes the store of a deleted index. */
  remove(folder: string): void;
}
