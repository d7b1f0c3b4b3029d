import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { faultPoint } from '@fossick/base';
import { flushFolder } from '@fossick/base/durable-names';
import type { Transaction } from 'lmdb';
import type { BeforeCommit } from '../changes/change-set.js';
import { recordedWork } from '../changes/record-changes.js';
import type { Durability, Entry, RangeOptions, Snapshot, Store, Table, WriteTransaction } from '../store.js';
import { copyRows } from './copy-rows.js';
import { LOST } from './environment/commit-counter.js';
import { EnvironmentHandle } from './environment/environment-handle.js';
import { checkSpareDescriptors } from './environment/free-descriptors.js';
import { isRefused, lostError } from './environment/lost-stores.js';
import { type Bytes, deleteKeys, readRange } from './environment/range.js';
import { beginReading } from './environment/read-transaction.js';
import { markDamage } from './file/damage-mark.js';
import { makeDataFile, reserveSpace } from './file/reserved-space.js';
import { RowSums, sealed } from './file/row-sums.js';
import { DATA_FILE, walkOpenStore } from './file/store-file.js';
import { noteOpening } from './file/unwalked-mark.js';
import { storeError } from './store-error.js';
import { type SnapshotRows, StoredSnapshot } from './stored-snapshot.js';

/** Abortable and committed when it returns; also flushed, because overlappingSync is off. */
const COMMIT_FLAGS = 3;
/**
 * LMDB's own flag: pages are flushed, but the page that refers to them only with the next commit. The file stays
 * consistent.
 */
const NO_META_SYNC = 0x40000;
/**
 * A table without rows, created with the first table: its presence says that all rows of the store have checksums
 * (row-sums.ts). Stores of earlier releases lack it.
 */
export const SUMS_TABLE = 'crc32';
/**
 * How long an error may make its thread search the file for its cause, in milliseconds: as long as a start takes for
 * all stores.
 */
const DAMAGE_LOOK_MS = 3_000;

/** Checks an open store after an error of LMDB; damage is marked for the next opening. O(bytes) */
function damageOf(folder: string): string | undefined {
  const untilMs = performance.now() + DAMAGE_LOOK_MS;
  const damage = walkOpenStore(folder, { sumsTable: SUMS_TABLE, untilMs });
  if (damage !== undefined) markDamage(folder, damage);
  return damage;
}

/** What a store asks and tells about its commits; see LmdbStoreOptions. */
export interface CommitHooks {
  readonly onCommit?: (waitedMs: number) => void;
  readonly beforeCommit?: BeforeCommit;
}

/** Opens a store that is not known to be damaged. Throws what openLmdbStore throws. */
export function open(folder: string, mapBytes?: number, hooks: CommitHooks = {}): Store {
  faultPoint('store.open');
  noteOpening(folder);
  reserveSpace(folder);
  const isNew = makeDataFile(folder);
  checkSpareDescriptors();
  try {
    const store = new LmdbStore(new EnvironmentHandle(folder, mapBytes), hooks);
    if (isNew) flushOrClose(folder, store);
    return store;
  } catch (error) {
    if (isRefused(error)) throw lostError(folder);
    throw storeError(error, folder, () => damageOf(folder), false);
  }
}

function flushOrClose(folder: string, store: Store): void {
  try {
    flushFolder(folder);
  } catch (error) {
    void store.close();
    throw error;
  }
}

class LmdbStore implements Store {
  private readonly handle: EnvironmentHandle;
  private readonly folder: string;
  private readonly hooks: CommitHooks;
  private readonly sums: RowSums;
  /** Cached sizes of tables: a batch reads them twice and its index's summary once, each within one commit. */
  private lastSizes: { readonly commits: number; readonly sizes: Readonly<Record<string, number>> } | undefined;
  /** Whether rows have checksums; undefined until the first row. */
  private hasSums: boolean | undefined;

  constructor(handle: EnvironmentHandle, hooks: CommitHooks) {
    this.handle = handle;
    this.folder = handle.folder;
    this.hooks = hooks;
    this.sums = new RowSums(handle.folder);
  }

  table(name: string): Table {
    const fresh = (): Bytes | undefined => {
      const { handle } = this;
      if (handle.isWriting) return handle.tables.forWriting(name);
      handle.expectOpen();
      if (handle.commits.hasMoved()) handle.environment.root.resetReadTxn();
      return this.existing(name);
    };
    const stored = this.guarded((key: Uint8Array) => (key.length === 0 ? undefined : fresh()?.getBinaryFast(key)));
    return {
      get: (key) => this.copied(name, key, stored(key)),
      read: (key, use) => this.lent(name, key, stored(key), use),
      has: this.guarded((key) => key.length > 0 && fresh()?.doesExist(key) === true),
      range: (options) => ({ [Symbol.iterator]: () => this.range(name, this.checked(fresh), options) }),
      count: () => this.checked(() => (fresh()?.getStats() as { entryCount: number } | undefined)?.entryCount ?? 0),
    };
  }

  transaction<T>(work: (txn: WriteTransaction) => T, durability: Durability = 'now'): T {
    const { handle } = this;
    if (handle.isWriting) throw new Error('a transaction is already running');
    handle.expectOpen();
    const hadSums = this.hasSums;
    this.checked(() => this.beginWrite());
    let isCommitted = false;
    let writtenAt = 0;
    try {
      const flags = durability === 'now' ? COMMIT_FLAGS : COMMIT_FLAGS | NO_META_SYNC;
      const result = handle.environment.root.transactionSync(() => {
        // another thread may have lost it while this one waited; lmdb-js has begun nothing then
        if (handle.isLost) throw lostError(this.folder);
        const { beforeCommit } = this.hooks;
        const answer =
          beforeCommit === undefined
            ? work(writesOf(this.handle, this.hasSums === true, this.copied))
            : recordedWork(writesOf(this.handle, this.hasSums === true, this.copied), work, durability, beforeCommit);
        faultPoint('store.commit');
        writtenAt = performance.now();
        return answer;
      }, flags);
      isCommitted = true;
      handle.commits.advance();
      this.hooks.onCommit?.(performance.now() - writtenAt);
      faultPoint('store.committed');
      return result;
    } catch (error) {
      if (!isCommitted) handle.noteLoss(error);
      throw this.described(error);
    } finally {
      handle.tables.endWrite(isCommitted);
      handle.isWriting = false;
      if (!isCommitted) this.hasSums = hadSums;
    }
  }

  snapshot<T>(work: (snapshot: Snapshot) => T, tables?: readonly string[]): T {
    const { transaction, open } = this.checked(() => {
      const { environment, tables: all, commits } = this.expectOpen();
      return beginReading(environment.root, all, commits, tables, SUMS_TABLE);
    });
    const held = this.handle.tables;
    if (open.size > 0) this.hasSums ??= open.has(SUMS_TABLE);
    held.readingCount += 1;
    const end = (): void => {
      held.readingCount -= 1;
      transaction.done();
    };
    let result: T;
    try {
      result = work(new StoredSnapshot(this.snapshotRows, open, transaction, SUMS_TABLE));
    } catch (error) {
      end();
      throw this.described(error);
    }
    if (result instanceof Promise)
      return result.finally(end).catch((error: unknown) => {
        throw this.described(error);
      }) as T;
    end();
    return result;
  }

  async flush(): Promise<void> {
    const flushed = this.checked(() => this.expectOpen().flush());
    await flushed.catch((error: unknown) => {
      throw this.described(error);
    });
  }

  size(): { readonly diskBytes: number; readonly usedBytes: number } {
    const sizes = Object.values(this.tableSizes());
    const rootBytes = this.checked(() => pageBytes(this.expectOpen().environment.root as Bytes));
    const usedBytes = sizes.reduce((sum, bytes) => sum + bytes, rootBytes);
    return { diskBytes: statSync(join(this.folder, DATA_FILE)).blocks * 512, usedBytes };
  }

  tableSizes(): Readonly<Record<string, number>> {
    // read before the sizes: a commit in between is noticed the next time
    const { commits, environment, tables } = this.expectOpen();
    const count = commits.count();
    if (this.lastSizes?.commits === count) return this.lastSizes.sizes;
    if (commits.hasMoved()) environment.root.resetReadTxn();
    const sizes = this.checked(() => sizesOf(tables));
    this.lastSizes = { commits: count, sizes };
    return sizes;
  }

  async copyTo(folder: string): Promise<void> {
    try {
      await this.snapshot(async (snapshot) => {
        for (const _ of copyRows(snapshot, folder, open)) await new Promise((resolve) => setImmediate(resolve));
      });
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get commitCount(): number {
    return this.handle.commits.count();
  }

  get isBusy(): boolean {
    return this.handle.isBusy;
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /** The environment, opened anew if it was lost. Throws ApiError store_unavailable. */
  private expectOpen(): EnvironmentHandle {
    this.handle.expectOpen();
    return this.handle;
  }

  /** A read whose errors are converted. */
  private checked<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.described(error);
    }
  }

  /** The same for lookups of one key. */
  private guarded<T>(look: (key: Uint8Array) => T): (key: Uint8Array) => T {
    return (key) => {
      try {
        return look(key);
      } catch (error) {
        throw this.described(error);
      }
    };
  }

  /** How snapshots read rows. */
  private readonly snapshotRows: SnapshotRows = {
    copied: (name, key, bytes) => this.copied(name, key, bytes),
    lent: (name, key, bytes, use) => this.lent(name, key, bytes, use),
    range: (name, table, bounds, transaction) => this.range(name, table, bounds, transaction),
    described: (error) => this.described(error),
  };

  /** Converts an error of lmdb-js to one that callers know. */
  private described(error: unknown): unknown {
    if (isRefused(error)) {
      this.handle.lose();
      return lostError(this.folder);
    }
    const described = storeError(error, this.folder, () => damageOf(this.folder), this.handle.isWriting);
    // A read that met a wrong page fails from then on, and all reads of a handle share one transaction until the next
    // commit
    const { environment, isLost, isWriting } = this.handle;
    if (described !== error && !isWriting && !isLost) environment.root.resetReadTxn();
    return described;
  }

  /** A store without tables gets checksums with its first rows; one that has rows without them stays without. */
  private beginWrite(): void {
    this.hasSums ??=
      this.handle.tables.openAll().every((name) => name === SUMS_TABLE) || hasTable(this.handle, SUMS_TABLE);
    this.handle.isWriting = true;
  }

  /** The table as readers see it. */
  private existing(name: string): Bytes | undefined {
    const table = this.handle.tables.existing(name);
    // the table of checksums is created with the first table, or never
    if (table !== undefined) this.hasSums ??= hasTable(this.handle, SUMS_TABLE);
    return table;
  }

  /** lmdb-js returns views of pages or of a reused buffer, so a value that is kept must be copied. */
  private readonly copied: CopyValue = (name, key, bytes) => {
    if (bytes === undefined) return undefined;
    return (this.hasSums === true ? this.sums.open(name, key, exact(bytes)) : exact(bytes)).slice();
  };

  /** The result of `use` for the value, uncopied. */
  private lent<T>(
    name: string,
    key: Uint8Array,
    bytes: Uint8Array | undefined,
    use: (value: Uint8Array) => T,
  ): T | undefined {
    if (bytes === undefined) return undefined;
    return use(this.hasSums === true ? this.sums.openOnce(name, key, exact(bytes)) : exact(bytes));
  }

  private *range(
    name: string,
    table: Bytes | undefined,
    options: RangeOptions,
    transaction?: Transaction,
  ): Generator<Entry> {
    if (table === undefined) return;
    const { commits, tables } = this.handle;
    tables.readingCount += 1;
    try {
      for (const entry of readRange(table, options, transaction)) {
        // a copy or a merge must not hold a lost environment until its end
        if (commits.state() === LOST) throw lostError(this.folder);
        if (this.hasSums !== true) yield entry;
        else yield { key: entry.key, value: this.sums.open(name, entry.key, entry.value) };
      }
    } catch (error) {
      throw this.described(error);
    } finally {
      tables.readingCount -= 1;
    }
  }
}

/** A copy of a value as lmdb-js returns it, checked. */
type CopyValue = (name: string, key: Uint8Array, bytes: Uint8Array | undefined) => Uint8Array | undefined;

/** The running write transaction of a store. */
function writesOf({ tables }: EnvironmentHandle, hasSums: boolean, copied: CopyValue): WriteTransaction {
  const open = (name: string): Bytes => {
    if (hasSums) tables.forWriting(SUMS_TABLE);
    return tables.forWriting(name);
  };
  return {
    get: (name, key) => (key.length === 0 ? undefined : copied(name, key, open(name).getBinaryFast(key))),
    put: (name, key, value) => {
      if (key.length === 0) throw new RangeError('an empty key');
      open(name).putSync(key, hasSums ? sealed(key, value) : value);
    },
    delete: (name, key) => {
      if (key.length > 0) open(name).removeSync(key);
    },
    deleteRange: (name, start, end, limit) => deleteKeys(open(name), start, end, limit),
    clear: (name) => open(name).clearSync(),
  };
}

const hasTable = ({ tables }: EnvironmentHandle, name: string): boolean => tables.existing(name) !== undefined;

interface TableStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

function sizesOf(tables: EnvironmentHandle['tables']): Readonly<Record<string, number>> {
  const sizes: Record<string, number> = {};
  for (const name of tables.openAll()) {
    const table = tables.existing(name);
    if (table !== undefined && name !== SUMS_TABLE) sizes[name] = pageBytes(table);
  }
  return sizes;
}

function pageBytes(table: Bytes): number {
  const stats = table.getStats() as TableStats;
  return (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages) * stats.pageSize;
}

/**
 * The reused buffer is longer than its value, and `length` gives the size of the value: makes a plain view of the
 * value.
 */
function exact(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
