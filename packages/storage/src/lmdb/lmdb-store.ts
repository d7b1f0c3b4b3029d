import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { faultPoint } from '@fossick/base';
import type { Transaction } from 'lmdb';
import type { Durability, Entry, RangeOptions, Snapshot, Store, Table, WriteTransaction } from '../store.js';
import { commitCounter } from './commit-counter.js';
import { copyRows } from './copy-rows.js';
import { markDamage } from './damage-mark.js';
import { Environment } from './environment.js';
import { checkSpareDescriptors } from './free-descriptors.js';
import { OpenTables } from './open-tables.js';
import { type Bytes, deleteKeys, readRange } from './range.js';
import { beginReading } from './read-transaction.js';
import { reserveSpace } from './reserved-space.js';
import { RowSums, sealed } from './row-sums.js';
import { SharedFlush } from './shared-flush.js';
import { storeError } from './store-error.js';
import { DATA_FILE, walkOpenStore } from './store-file.js';
import { type SnapshotRows, StoredSnapshot } from './stored-snapshot.js';
import { noteOpening } from './unwalked-mark.js';

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

/** Opens a store that is not known to be damaged. Throws what openLmdbStore throws. */
export function open(folder: string, mapBytes?: number, onCommit?: (waitedMs: number) => void): Store {
  faultPoint('store.open');
  noteOpening(folder);
  reserveSpace(folder);
  checkSpareDescriptors();
  try {
    return new LmdbStore(new Environment(folder, mapBytes), folder, onCommit);
  } catch (error) {
    throw storeError(error, folder, () => damageOf(folder));
  }
}

class LmdbStore implements Store {
  private readonly environment: Environment;
  private readonly folder: string;
  private readonly onCommit: ((waitedMs: number) => void) | undefined;
  private readonly tables: OpenTables;
  private readonly commits: ReturnType<typeof commitCounter>;
  private readonly flushes: SharedFlush;
  private isWriting = false;
  private readonly sums: RowSums;
  /** Cached sizes of tables: a batch reads them twice and its index's summary once, each within one commit. */
  private lastSizes: { readonly commits: number; readonly sizes: Readonly<Record<string, number>> } | undefined;
  /** Whether rows have checksums; undefined until the first row. */
  private hasSums: boolean | undefined;

  constructor(environment: Environment, folder: string, onCommit: ((waitedMs: number) => void) | undefined) {
    this.environment = environment;
    this.folder = folder;
    this.onCommit = onCommit;
    this.commits = commitCounter(environment.root);
    this.flushes = new SharedFlush(environment.root);
    this.sums = new RowSums(folder);
    this.tables = new OpenTables(environment, this.commits.count);
    // A table cannot be opened while another is being read, so all existing ones are opened now.
    this.openAll();
  }

  table(name: string): Table {
    const fresh = (): Bytes | undefined => {
      if (this.isWriting) return this.tables.forWriting(name);
      if (this.commits.hasMoved()) this.environment.root.resetReadTxn();
      return this.existing(name);
    };
    const stored = this.guarded((key: Uint8Array) => (key.length === 0 ? undefined : fresh()?.getBinaryFast(key)));
    return {
      get: (key) => this.copied(name, key, stored(key)),
      read: (key, use) => this.lent(name, key, stored(key), use),
      has: this.guarded((key) => key.length > 0 && fresh()?.doesExist(key) === true),
      range: (options) => ({ [Symbol.iterator]: () => this.range(name, fresh(), options) }),
      count: () => (fresh()?.getStats() as { entryCount: number } | undefined)?.entryCount ?? 0,
    };
  }

  transaction<T>(work: (txn: WriteTransaction) => T, durability: Durability = 'now'): T {
    if (this.isWriting) throw new Error('a transaction is already running');
    const hadSums = this.hasSums;
    this.beginWrite();
    let isCommitted = false;
    let writtenAt = 0;
    try {
      const flags = durability === 'now' ? COMMIT_FLAGS : COMMIT_FLAGS | NO_META_SYNC;
      const result = this.environment.root.transactionSync(() => {
        const answer = work(this.writes());
        faultPoint('store.commit');
        writtenAt = performance.now();
        return answer;
      }, flags);
      isCommitted = true;
      this.commits.advance();
      this.onCommit?.(performance.now() - writtenAt);
      faultPoint('store.committed');
      return result;
    } catch (error) {
      throw this.described(error);
    } finally {
      this.tables.endWrite(isCommitted);
      this.isWriting = false;
      if (!isCommitted) this.hasSums = hadSums;
    }
  }

  snapshot<T>(work: (snapshot: Snapshot) => T, tables?: readonly string[]): T {
    const { transaction, open } = beginReading(this.environment.root, this.tables, this.commits, tables, SUMS_TABLE);
    if (open.size > 0) this.hasSums ??= open.has(SUMS_TABLE);
    this.tables.readingCount += 1;
    const end = (): void => {
      this.tables.readingCount -= 1;
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

  flush(): Promise<void> {
    return this.flushes.flush();
  }

  size(): { readonly diskBytes: number; readonly usedBytes: number } {
    const sizes = Object.values(this.tableSizes());
    const usedBytes = sizes.reduce((sum, bytes) => sum + bytes, pageBytes(this.environment.root as Bytes));
    return { diskBytes: statSync(join(this.folder, DATA_FILE)).blocks * 512, usedBytes };
  }

  tableSizes(): Readonly<Record<string, number>> {
    // read before the sizes: a commit in between is noticed the next time
    const commits = this.commits.count();
    if (this.lastSizes?.commits === commits) return this.lastSizes.sizes;
    if (this.commits.hasMoved()) this.environment.root.resetReadTxn();
    const sizes: Record<string, number> = {};
    for (const name of this.openAll()) {
      const table = this.tables.existing(name);
      if (table !== undefined) sizes[name] = pageBytes(table);
    }
    this.lastSizes = { commits, sizes };
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
    return this.commits.count();
  }

  get isBusy(): boolean {
    return this.isWriting || this.tables.readingCount > 0 || this.flushes.isRunning;
  }

  async close(): Promise<void> {
    if (this.flushes.isRunning) await this.flushes.idle();
    this.tables.clear();
    await this.environment.root.close();
  }

  /** A lookup of one key whose errors are converted. */
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
    const described = storeError(error, this.folder, () => damageOf(this.folder));
    // A read that met a wrong page fails from then on, and all reads of a handle share one transaction until the next
    // commit
    if (described !== error && !this.isWriting) this.environment.root.resetReadTxn();
    return described;
  }

  /** A store without tables gets checksums with its first rows; one that has rows without them stays without. */
  private beginWrite(): void {
    this.hasSums ??= this.openAll().length === 0 || this.tables.existing(SUMS_TABLE) !== undefined;
    this.isWriting = true;
  }

  /** The table as readers see it. */
  private existing(name: string): Bytes | undefined {
    const table = this.tables.existing(name);
    // the table of checksums is created with the first table, or never
    if (table !== undefined) this.hasSums ??= this.tables.existing(SUMS_TABLE) !== undefined;
    return table;
  }

  /** lmdb-js returns views of pages or of a reused buffer, so a value that is kept must be copied. */
  private copied(name: string, key: Uint8Array, bytes: Uint8Array | undefined): Uint8Array | undefined {
    if (bytes === undefined) return undefined;
    return (this.hasSums === true ? this.sums.open(name, key, exact(bytes)) : exact(bytes)).slice();
  }

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

  /** Opens every existing table; returns their names. */
  private openAll(): string[] {
    const names = this.tables.namesIn();
    for (const name of names) this.tables.existing(name);
    return names.filter((name) => name !== SUMS_TABLE);
  }

  private *range(
    name: string,
    table: Bytes | undefined,
    options: RangeOptions,
    transaction?: Transaction,
  ): Generator<Entry> {
    if (table === undefined) return;
    this.tables.readingCount += 1;
    try {
      for (const entry of readRange(table, options, transaction)) {
        if (this.hasSums !== true) yield entry;
        else yield { key: entry.key, value: this.sums.open(name, entry.key, entry.value) };
      }
    } catch (error) {
      throw this.described(error);
    } finally {
      this.tables.readingCount -= 1;
    }
  }

  private writes(): WriteTransaction {
    const hasSums = this.hasSums === true;
    const open = (name: string): Bytes => {
      if (hasSums) this.tables.forWriting(SUMS_TABLE);
      return this.tables.forWriting(name);
    };
    return {
      get: (name, key) => (key.length === 0 ? undefined : this.copied(name, key, open(name).getBinaryFast(key))),
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
}

interface TableStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
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
