import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { apiError } from '@fossick/base';
import { makeFolder } from '@fossick/base/durable-names';
import { openLmdbStore, type Store, type Table, type WriteTransaction } from '@fossick/storage';
import type { IndexInfo, OpenEngineOptions, TableSizes } from '../port.js';
import type { IdempotencyKey, IdempotencyRecord } from '../transaction/idempotency-records.js';
import type { CatalogueEntry } from './catalogue-entry.js';
import type { EntryRows, WritableCatalogue } from './catalogue-port.js';
import { indexFolders, markUnnamed, REMOVED_SUFFIX, unmark } from './index-folders.js';
import { IndexSummaries, isUnreadable } from './index-summaries.js';
import { type IndexSummary, indexInfo } from './index-summary.js';
import { OpenStores, type OpenStoresOptions } from './open-stores.js';
import { SummaryMarks } from './summary-marks.js';

/** The name of the store of the list of indexes, and of its folder; stores of indexes have the names of their folders. */
export const INSTANCE_STORE = 'instance';
/** The table with the list of indexes. */
export const CATALOGUE_TABLE = 'indexes';
/** One row: the idempotency record of the last change of the catalogue that had a key. */
const RECEIPT_TABLE = 'receipts';
const RECEIPT_KEY = Buffer.from('last');
const KNOWN_ROWS_MAX = 1000;

interface KnownRow {
  readonly bytes: Buffer;
  readonly entry: CatalogueEntry;
  /** The store's commit count when the row was last known to be current. */
  commitCount: number;
}

/** The indexes of one root folder: names in the instance's store, one store per index. Opened by any thread. */
export class Catalogue implements WritableCatalogue {
  private readonly rootFolder: string;
  private readonly instance: Store;
  private readonly indexes: Table;
  private readonly stores: OpenStores;
  private readonly figures: IndexSummaries;
  /** Cached rows: every request reads one or two of them, and usually there was no commit since the last one. */
  private readonly known = new Map<string, KnownRow>();

  /** `onCommit`: see the options of a store. `isDue`: from the writer, see IndexSummary. */
  constructor(
    { rootFolder, summaryMarks, replication }: Pick<OpenEngineOptions, 'rootFolder' | 'summaryMarks' | 'replication'>,
    users: Pick<OpenStoresOptions, 'isInUse' | 'onClose' | 'mayCreate'> = {
      isInUse: () => false,
      onClose: () => undefined,
    },
    onCommit: (waitedMs: number) => void = () => {},
    isDue?: (store: Store) => boolean,
  ) {
    this.rootFolder = rootFolder;
    this.figures = new IndexSummaries({
      pathOf: (folder) => this.path(folder),
      storeOf: (folder) => this.store(folder),
      marks: summaryMarks === undefined ? undefined : new SummaryMarks(summaryMarks),
      isDue,
    });
    makeFolder(join(rootFolder, 'indexes'));
    const committed =
      replication === undefined
        ? onCommit
        : (waitedMs: number): void => {
            replication.committed();
            onCommit(waitedMs);
          };
    const beforeCommit = replication && ((folder: string) => replication.beforeCommit(folder));
    this.stores = new OpenStores({
      pathOf: (folder) => this.path(folder),
      onCommit: committed,
      beforeCommit,
      ...users,
    });
    this.instance = openLmdbStore({
      folder: join(rootFolder, INSTANCE_STORE),
      onCommit: committed,
      ...(beforeCommit === undefined ? {} : { beforeCommit: beforeCommit(INSTANCE_STORE) }),
    });
    this.indexes = this.instance.table(CATALOGUE_TABLE);
  }

  entry(uid: string): CatalogueEntry | undefined {
    const known = this.known.get(uid);
    // read before the row: a commit in between is noticed the next time
    const { commitCount } = this.instance;
    if (known?.commitCount === commitCount) return known.entry;
    return this.indexes.read(uidKey(uid), (bytes) => {
      if (known?.bytes.equals(bytes)) {
        known.commitCount = commitCount;
        return known.entry;
      }
      const read = { bytes: Buffer.from(bytes), entry: decodeEntry(bytes), commitCount };
      if (this.known.size >= KNOWN_ROWS_MAX) this.known.clear();
      this.known.set(uid, read);
      return read.entry;
    });
  }

  /** Throws ApiError index_not_found. */
  existing(uid: string): CatalogueEntry {
    const entry = this.entry(uid);
    if (entry === undefined) throw apiError('index_not_found', 'one', uid);
    return entry;
  }

  /**
   * Runs `work`, which reads an index. Between reading its row and opening its file the index may be deleted or
   * renamed: if the read fails, it is repeated with the index that has the name then. Throws ApiError index_not_found,
   * and the errors of `work`.
   */
  reading<T>(uid: string, work: (entry: CatalogueEntry) => T): T {
    const entry = this.existing(uid);
    try {
      return work(entry);
    } catch (error) {
      if (!isUnreadable(error) || this.existing(uid).folder === entry.folder) throw error;
      return this.reading(uid, work);
    }
  }

  /** In byte order of uid. */
  infos(): IndexInfo[] {
    const infos: IndexInfo[] = [];
    for (const { key, value } of this.indexes.range({})) {
      infos.push(this.info(Buffer.from(key).toString('utf8'), decodeEntry(value)));
    }
    return infos;
  }

  /** Every index and the folder of its store, in byte order of uid. */
  *folders(): Generator<{ readonly uid: string; readonly folder: string }> {
    for (const { key, value } of this.indexes.range({}))
      yield { uid: Buffer.from(key).toString('utf8'), folder: decodeEntry(value).folder };
  }

  private *entries(): Generator<CatalogueEntry> {
    for (const { value } of this.indexes.range({})) yield decodeEntry(value);
  }

  /** The public figures of an index. Its date is in its summary, which is read on first access. */
  info(uid: string, entry: CatalogueEntry): IndexInfo {
    return indexInfo(uid, entry, () => this.summary(entry).updatedAt);
  }

  /** The figures of an index (IndexSummaries). */
  summary(entry: CatalogueEntry): IndexSummary {
    return this.figures.of(entry);
  }

  /** Reads summaries that are not cached, for at most this many milliseconds; false when all were read. */
  readSummaries(milliseconds: number): boolean {
    return this.figures.readAhead(this.entries(), milliseconds);
  }

  /** Called after each commit to an index (IndexSummaries). Writer only. */
  summarise(folder: string): void {
    this.figures.outdate(folder);
  }

  /** Whether an index should be merged. Writer only. */
  isMergeDue(folder: string): boolean {
    return this.figures.isMergeDue(folder);
  }

  /** The store of the list of indexes. */
  get instanceStore(): Store {
    return this.instance;
  }

  /** The store of an index; valid until another one is requested, unless it is in use. */
  store(folder: string): Store {
    return this.stores.get(folder);
  }

  tableSizes(uid: string): TableSizes {
    const entry = this.entry(uid);
    return entry === undefined ? {} : this.store(entry.folder).tableSizes();
  }

  newFolder(): string {
    const folder = randomUUID();
    markUnnamed(this.path(folder));
    return folder;
  }

  abandon(folder: string): void {
    if (existsSync(this.path(folder))) markUnnamed(this.path(folder), false);
  }

  /** Changes the list of indexes in one atomic write that stores the idempotency record of the work. */
  change(work: (rows: EntryRows) => void, record?: IdempotencyRecord): void {
    const named = this.instance.transaction((transaction) => {
      const rows = new CatalogueRows(transaction);
      work(rows);
      if (record !== undefined) transaction.put(RECEIPT_TABLE, RECEIPT_KEY, recordBytes(record));
      return rows.named;
    });
    for (const folder of named) unmark(this.path(folder));
  }

  /** An index has this folder now. */
  noteNamed(folder: string): void {
    unmark(this.path(folder));
  }

  /** The record of this work, if it was the last that `change` stored one for. */
  recordOf(idempotencyKey: IdempotencyKey | undefined): IdempotencyRecord | undefined {
    const bytes = idempotencyKey === undefined ? undefined : this.instance.table(RECEIPT_TABLE).get(RECEIPT_KEY);
    const last = bytes === undefined ? undefined : recordFromBytes(bytes);
    return last?.idempotencyKey === idempotencyKey ? last : undefined;
  }

  /** Folders of deleted indexes whose stores are open and not in use here. O(open stores) */
  orphans(): string[] {
    return this.stores.idle.filter((folder) => !existsSync(this.path(folder)));
  }

  /** Closes a store that was opened here. */
  async forget(folder: string): Promise<void> {
    this.figures.forget(folder);
    await this.stores.close(folder);
  }

  /** Removes a folder that no index refers to, although its store may be open here. */
  discard(folder: string): void {
    this.remove(folder);
    // its handle is closed in a moment; the folder is gone, so a failure need not be reported
    this.forget(folder).catch(() => undefined);
  }

  /** Removes a folder. It gets another name first, so that a reader finds it whole or not at all. */
  remove(folder: string): void {
    const path = this.path(folder);
    const removed = folder.endsWith(REMOVED_SUFFIX) ? path : `${path}${REMOVED_SUFFIX}`;
    rmSync(removed, { recursive: true, force: true });
    if (path === removed) return;
    try {
      renameSync(path, removed);
    } catch (error) {
      // another thread of the process may have removed it meanwhile
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    rmSync(removed, { recursive: true, force: true });
  }

  /**
   * Removes folders that a crash left between the two writes of a creation or deletion. All others are kept, whether or
   * not the list names them, and everything is kept while the list has never named an index: it may be a new one in the
   * place of the right one. Writer only.
   */
  sweep(): void {
    if (this.instance.tableSizes()[CATALOGUE_TABLE] !== undefined) this.removeUnnamed();
  }

  /** Removes folders that a crash left, whether or not the list has ever named an index. No writer may be making one. */
  removeUnnamed(): void {
    const used = this.usedFolders();
    for (const folder of indexFolders(this.rootFolder).unnamed) {
      if (used.has(folder)) unmark(this.path(folder));
      else this.remove(folder);
    }
  }

  /** Paths of folders that no index has, and that no crash explains. */
  unknownFolders(): string[] {
    const used = this.usedFolders();
    return indexFolders(this.rootFolder)
      .kept.filter((folder) => !used.has(folder))
      .map((folder) => this.path(folder));
  }

  size(): { diskBytes: number; usedBytes: number } {
    const total = { ...this.instance.size() };
    for (const { value } of this.indexes.range({})) {
      const { diskBytes, usedBytes } = this.sizeOf(decodeEntry(value));
      total.diskBytes += diskBytes;
      total.usedBytes += usedBytes;
    }
    return total;
  }

  sizeOf(entry: CatalogueEntry): { readonly diskBytes: number; readonly usedBytes: number } {
    const { diskBytes = this.diskBytesOf(entry.folder), usedBytes } = this.summary(entry);
    return { diskBytes, usedBytes };
  }

  /** For summaries of earlier releases, which lack it. */
  private diskBytesOf(folder: string): number {
    return (statSync(join(this.path(folder), 'data.mdb'), { throwIfNoEntry: false })?.blocks ?? 0) * 512;
  }

  async close(): Promise<void> {
    this.figures.write();
    await this.stores.closeAll();
    await this.instance.close();
  }

  private usedFolders(): Set<string> {
    const folders = new Set<string>();
    for (const { value } of this.indexes.range({})) folders.add(decodeEntry(value).folder);
    return folders;
  }

  path(folder: string): string {
    return join(this.rootFolder, 'indexes', folder);
  }
}

/** Rows of the catalogue inside one write. */
class CatalogueRows implements EntryRows {
  private readonly transaction: WriteTransaction;
  /** Folders of the rows that were written. */
  readonly named = new Set<string>();

  constructor(transaction: WriteTransaction) {
    this.transaction = transaction;
  }

  get(uid: string): CatalogueEntry | undefined {
    const bytes = this.transaction.get(CATALOGUE_TABLE, uidKey(uid));
    return bytes === undefined ? undefined : decodeEntry(bytes);
  }

  put(uid: string, entry: CatalogueEntry): void {
    this.named.add(entry.folder);
    this.transaction.put(CATALOGUE_TABLE, uidKey(uid), Buffer.from(JSON.stringify(entry), 'utf8'));
  }

  delete(uid: string): void {
    this.transaction.delete(CATALOGUE_TABLE, uidKey(uid));
  }
}

function uidKey(uid: string): Uint8Array {
  return Buffer.from(uid, 'utf8');
}

function decodeEntry(bytes: Uint8Array): CatalogueEntry {
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as CatalogueEntry;
}

/** A record as stored: the key keeps the name of the first release. */
function recordBytes({ idempotencyKey, answer }: IdempotencyRecord): Buffer {
  return Buffer.from(JSON.stringify({ workId: idempotencyKey, answer }));
}
function recordFromBytes(bytes: Uint8Array): IdempotencyRecord {
  const { workId, answer } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { workId: string; answer: unknown };
  return { idempotencyKey: workId, answer };
}
