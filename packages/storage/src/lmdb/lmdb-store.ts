import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ApiError, faultPoint } from '@fossick/base';
import type { Transaction } from 'lmdb';
import { flushFolder } from '../durable-files.js';
import type { Durability, Entry, RangeOptions, Snapshot, Store, Table, WriteTransaction } from '../store.js';
import { commitCounter } from './commit-counter.js';
import { copyRows } from './copy-rows.js';
import { markDamage } from './damage-mark.js';
import { Environment } from './environment.js';
import { OpenTables } from './open-tables.js';
import type { Walked } from './page-walk.js';
import { type Bytes, deleteKeys, readRange } from './range.js';
import { beginReading } from './read-transaction.js';
import { RowSums, sealed } from './row-sums.js';
import { SharedFlush } from './shared-flush.js';
import { checkSpareDescriptors } from './spare-descriptors.js';
import { storeError } from './store-error.js';
import { DATA_FILE, inspectStoreFile, lacksFreeList, walkOpenStore, walkStoreFile } from './store-file.js';
import { makeRoom } from './store-room.js';
import { markUnwalked, noteOpening, readUnwalked } from './unwalked-mark.js';

export interface LmdbStoreOptions {
  /** Created with its parents when missing; holds data.mdb and lock.mdb. */
  readonly folder: string;
  /** Address space for the file at first, which grows with it; not memory, not disk. */
  readonly mapBytes?: number;
  /** Told after each commit how many milliseconds passed between the last write of its rows and its return: what the disk took. */
  readonly onCommit?: (waitedMs: number) => void;
}

/** Abortable, committed when it returns; flushed too, because overlappingSync is off. */
const COMMIT_FLAGS = 3;
/** LMDB's own flag: pages are flushed, the page that names them only with the next commit. The file stays whole. */
const NO_META_SYNC = 0x40000;
const MENDED_SUFFIX = '.mended';
/** A table without rows, made with the first: all rows of the store have sums (row-sums.ts). Stores of earlier releases lack it. */
const SUMS_TABLE = 'crc32';
/** How long an error may make its thread look at the file for its cause: what a start takes for all stores. */
const DAMAGE_LOOK_MS = 3_000;
/** Unexpected ends of processes in a row that make a store suspect which each of them had open: as many attempts as a task has. */
const SUSPECT_DEATHS = 3;
/** So many times a suspect store is looked at to its end. An operator may lose patience with the first. */
const LONG_LOOKS = 2;

/**
 * Opens (or creates) the store of a folder. Any number of worker threads of one process may open the same folder:
 * writers wait for one another, readers never wait, not even to open it, and see the last commit of any of them. Throws
 * ApiError invalid_store_file for a file that cannot be read, and with the system's `code` when there is no room or no
 * file descriptor left.
 */
export function openLmdbStore(options: LmdbStoreOptions): Store {
  const { folder, mapBytes, onCommit } = options;
  mkdirSync(folder, { recursive: true });
  mendStore(folder);
  return open(folder, mapBytes, onCommit);
}

/**
 * Brings the store of a folder into order that an earlier release compacted (`lacksFreeList`), which nobody may have open. Answers
 * whether there was something to do. Throws like openLmdbStore. Two reads, O(bytes) when something is to be done.
 */
export function mendStore(folder: string): boolean {
  const { head, damage } = inspectStoreFile(folder);
  if (damage !== undefined) throw damaged(folder, damage);
  if (head === undefined || !lacksFreeList(head)) return false;
  const mended = `${folder}${MENDED_SUFFIX}`;
  rmSync(mended, { recursive: true, force: true });
  const store = open(folder);
  try {
    store.snapshot((snapshot) => {
      for (const _ of copyRows(snapshot, mended, open));
    });
  } finally {
    void store.close();
  }
  renameSync(join(mended, DATA_FILE), join(folder, DATA_FILE));
  flushFolder(folder);
  rmSync(mended, { recursive: true, force: true });
  flushFolder(dirname(folder));
  return true;
}

/** What looking at a store before it is opened came to. */
export interface StoreCheck {
  /** It was compacted by an earlier release and has been written again (mendStore). */
  readonly isMended: boolean;
  /** False when time was up before all of it was looked at. */
  readonly isWhole: boolean;
  /** Processes in a row that ended unexpectedly while they had it open, for which it was looked at to its end; 0 when there was no such reason. */
  readonly suspectedFor: number;
}

/** When to give up, and whether the process that had the database last ended unexpectedly. */
export interface StoreLook {
  /** By performance.now(). */
  readonly untilMs: number;
  readonly isAfterDeath?: boolean;
}

/**
 * Looks at all of the store of a folder which nobody has open, until time is up; what is damaged is marked, and refused by every opening
 * until a later look finds it whole. A wrong page may end a process without a word: a store that several in a row did not outlive is looked
 * at to its end, however long that takes, and is taken for damaged when nobody lives to see that end. Throws ApiError invalid_store_file.
 * O(bytes)
 */
export function checkStore(folder: string, { untilMs, isAfterDeath = false }: StoreLook): StoreCheck {
  const deaths = isAfterDeath ? deathsWith(folder) : 0;
  const isSuspect = deaths >= SUSPECT_DEATHS;
  // written before, for this process may not live to see the end of a look without an end
  if (isSuspect) markUnwalked(folder, deaths);
  const look = { sumsTable: SUMS_TABLE, untilMs: isSuspect ? Number.POSITIVE_INFINITY : untilMs };
  const { damage, isWhole } = deaths >= SUSPECT_DEATHS + LONG_LOOKS ? unseen(deaths) : walkStoreFile(folder, look);
  markUnwalked(folder, isWhole ? undefined : deaths);
  if (damage !== undefined || isWhole) markDamage(folder, damage);
  if (damage !== undefined) throw damaged(folder, damage);
  return { isMended: mendStore(folder), isWhole, suspectedFor: isSuspect ? deaths : 0 };
}

/** Processes in a row that had the store open and ended unexpectedly, the last one among them. */
function deathsWith(folder: string): number {
  const { deaths, wasOpened } = readUnwalked(folder) ?? { deaths: 0, wasOpened: false };
  // one that is suspected already is being looked at before anybody opens it
  return wasOpened || deaths >= SUSPECT_DEATHS ? deaths + 1 : deaths;
}

function unseen(deaths: number): Walked {
  const damage =
    `${deaths} processes in a row ended unexpectedly while they had it open or looked at it; ` +
    '`fossick check` looks at all of it';
  return { damage, isWhole: true };
}

/** Looks at a store that is open because of what LMDB said of it; what is damaged is marked for whoever opens it next. O(bytes) */
function damageOf(folder: string): string | undefined {
  const untilMs = performance.now() + DAMAGE_LOOK_MS;
  const damage = walkOpenStore(folder, { sumsTable: SUMS_TABLE, untilMs });
  if (damage !== undefined) markDamage(folder, damage);
  return damage;
}

function damaged(folder: string, damage: string): ApiError {
  return new ApiError('invalid_store_file', `The file ${join(folder, DATA_FILE)} is damaged: ${damage}.`);
}

function open(folder: string, mapBytes?: number, onCommit?: (waitedMs: number) => void): Store {
  faultPoint('store.open');
  noteOpening(folder);
  makeRoom(folder);
  checkSpareDescriptors();
  try {
    return new LmdbStore(new Environment(folder, mapBytes), folder, onCommit);
  } catch (error) {
    throw storeError(error, folder, () => damageOf(folder));
  }
}

class LmdbStore implements Store {
  private readonly tables: OpenTables;
  private readonly commits: ReturnType<typeof commitCounter>;
  private readonly flushes: SharedFlush;
  private isWriting = false;
  private readonly sums: RowSums;
  /** Whether rows have sums; undefined as long as there are none. */
  private hasSums: boolean | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly folder: string,
    private readonly onCommit: ((waitedMs: number) => void) | undefined,
  ) {
    this.commits = commitCounter(environment.root);
    this.flushes = new SharedFlush(environment.root);
    this.sums = new RowSums(folder);
    this.tables = new OpenTables(environment, this.commits.count);
    // A table cannot be opened while another is being read: those that exist are opened now.
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
      throw this.told(error);
    } finally {
      this.tables.endWrite(isCommitted);
      this.isWriting = false;
      if (!isCommitted) this.hasSums = hadSums;
    }
  }

  snapshot<T>(work: (snapshot: Snapshot) => T, tables?: readonly string[]): T {
    const wanted = tables === undefined ? undefined : [...tables, SUMS_TABLE];
    const { transaction, open } = beginReading(this.environment.root, this.tables, this.commits, wanted);
    if (open.size > 0) this.hasSums ??= open.has(SUMS_TABLE);
    this.tables.readingCount += 1;
    const end = (): void => {
      this.tables.readingCount -= 1;
      transaction.done();
    };
    let result: T;
    try {
      const tableOf = (name: string) => this.snapshotTable(name, open.get(name), transaction);
      const tableNames = [...open.keys()].filter((name) => name !== SUMS_TABLE);
      const readable = new Map(tableNames.map((name) => [name, tableOf(name)]));
      result = work({ tableNames, table: (name) => readable.get(name) ?? tableOf(name) });
    } catch (error) {
      end();
      throw this.told(error);
    }
    if (result instanceof Promise)
      return result.finally(end).catch((error: unknown) => {
        throw this.told(error);
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
    if (this.commits.hasMoved()) this.environment.root.resetReadTxn();
    const sizes: Record<string, number> = {};
    for (const name of this.openAll()) {
      const table = this.tables.existing(name);
      if (table !== undefined) sizes[name] = pageBytes(table);
    }
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

  get isBusy(): boolean {
    return this.isWriting || this.tables.readingCount > 0 || this.flushes.isRunning;
  }

  async close(): Promise<void> {
    if (this.flushes.isRunning) await this.flushes.idle();
    this.tables.clear();
    await this.environment.root.close();
  }

  /** A look at one key whose errors are told. */
  private guarded<T>(look: (key: Uint8Array) => T): (key: Uint8Array) => T {
    return (key) => {
      try {
        return look(key);
      } catch (error) {
        throw this.told(error);
      }
    };
  }

  /** What an error of lmdb-js is to the rest of the house. */
  private told(error: unknown): unknown {
    const told = storeError(error, this.folder, () => damageOf(this.folder));
    // A reading that met a wrong page fails from then on, and all readings of a handle share one until the next commit
    if (told !== error && !this.isWriting) this.environment.root.resetReadTxn();
    return told;
  }

  /** A store without tables gets sums with its first rows; one that has rows without them keeps to that. */
  private beginWrite(): void {
    this.hasSums ??= this.openAll().length === 0 || this.tables.existing(SUMS_TABLE) !== undefined;
    this.isWriting = true;
  }

  /** The table as readers see it. */
  private existing(name: string): Bytes | undefined {
    const table = this.tables.existing(name);
    // with the first table there is the other, or there never will be
    if (table !== undefined) this.hasSums ??= this.tables.existing(SUMS_TABLE) !== undefined;
    return table;
  }

  /** lmdb-js hands out views of pages or of a reused buffer: whoever keeps a value needs bytes of its own. */
  private copied(name: string, key: Uint8Array, bytes: Uint8Array | undefined): Uint8Array | undefined {
    if (bytes === undefined) return undefined;
    return (this.hasSums === true ? this.sums.open(name, key, exact(bytes)) : exact(bytes)).slice();
  }

  /** What `use` makes of the value, uncopied. */
  private lent<T>(
    name: string,
    key: Uint8Array,
    bytes: Uint8Array | undefined,
    use: (value: Uint8Array) => T,
  ): T | undefined {
    if (bytes === undefined) return undefined;
    return use(this.hasSums === true ? this.sums.openOnce(name, key, exact(bytes)) : exact(bytes));
  }

  /** Opens every table there is; answers their names. */
  private openAll(): string[] {
    const names = this.tables.namesIn();
    for (const name of names) this.tables.existing(name);
    return names.filter((name) => name !== SUMS_TABLE);
  }

  private snapshotTable(
    name: string,
    table: Bytes | undefined,
    transaction: Transaction,
  ): Pick<Table, 'get' | 'read' | 'range'> {
    const options = { transaction };
    const stored = this.guarded((key: Uint8Array) =>
      key.length === 0 ? undefined : table?.getBinaryFast(key, options),
    );
    return {
      get: (key) => this.copied(name, key, stored(key)),
      read: (key, use) => this.lent(name, key, stored(key), use),
      range: (bounds) => ({ [Symbol.iterator]: () => this.range(name, table, bounds, transaction) }),
    };
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
      throw this.told(error);
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

/** The reused buffer is longer than its value, and only its `length` tells: a plain view of the value is made. */
function exact(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
