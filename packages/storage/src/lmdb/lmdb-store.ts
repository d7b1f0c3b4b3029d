import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ApiError, faultPoint } from '@fossick/base';
import type { Transaction } from 'lmdb';
import { flushFolder } from '../durable-files.js';
import type { Durability, Entry, RangeOptions, Snapshot, Store, Table, WriteTransaction } from '../store.js';
import { commitCounter } from './commit-counter.js';
import { copyRows } from './copy-rows.js';
import { Environment } from './environment.js';
import { OpenTables } from './open-tables.js';
import { type Bytes, readRange } from './range.js';
import { SharedFlush } from './shared-flush.js';
import { checkSpareDescriptors } from './spare-descriptors.js';
import { storeError } from './store-error.js';
import { DATA_FILE, inspectStoreFile, lacksFreeList } from './store-file.js';
import { makeRoom } from './store-room.js';

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
  if (damage !== undefined)
    throw new ApiError('invalid_store_file', `The file ${join(folder, DATA_FILE)} is damaged: ${damage}.`);
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

function open(folder: string, mapBytes?: number, onCommit?: (waitedMs: number) => void): Store {
  faultPoint('store.open');
  makeRoom(folder);
  checkSpareDescriptors();
  try {
    return new LmdbStore(new Environment(folder, mapBytes), folder, onCommit);
  } catch (error) {
    throw storeError(error, folder);
  }
}

class LmdbStore implements Store {
  private readonly tables: OpenTables;
  private readonly commits: ReturnType<typeof commitCounter>;
  private readonly flushes: SharedFlush;
  private isWriting = false;

  constructor(
    private readonly environment: Environment,
    private readonly folder: string,
    private readonly onCommit: ((waitedMs: number) => void) | undefined,
  ) {
    this.commits = commitCounter(environment.root);
    this.flushes = new SharedFlush(environment.root);
    this.tables = new OpenTables(environment, this.commits.count);
    // A table cannot be opened while another is being read: those that exist are opened now.
    this.openAll();
  }

  table(name: string): Table {
    const fresh = (): Bytes | undefined => {
      if (this.isWriting) return this.tables.forWriting(name);
      if (this.commits.hasMoved()) this.environment.root.resetReadTxn();
      return this.tables.existing(name);
    };
    const stored = (key: Uint8Array): Uint8Array | undefined =>
      key.length === 0 ? undefined : fresh()?.getBinaryFast(key);
    return {
      get: (key) => copied(stored(key)),
      read: (key, use) => {
        const bytes = stored(key);
        return bytes === undefined ? undefined : use(exact(bytes));
      },
      has: (key) => key.length > 0 && fresh()?.doesExist(key) === true,
      range: (options) => ({ [Symbol.iterator]: () => this.range(fresh(), options) }),
      count: () => (fresh()?.getStats() as { entryCount: number } | undefined)?.entryCount ?? 0,
    };
  }

  transaction<T>(work: (txn: WriteTransaction) => T, durability: Durability = 'now'): T {
    if (this.isWriting) throw new Error('a transaction is already running');
    this.isWriting = true;
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
      throw storeError(error, this.folder);
    } finally {
      this.tables.endWrite(isCommitted);
      this.isWriting = false;
    }
  }

  snapshot<T>(work: (snapshot: Snapshot) => T): T {
    const { root } = this.environment;
    root.resetReadTxn();
    // a table that is made in between is none of this commit's
    const tableNames = this.openAll();
    const transaction = root.useReadTransaction();
    this.tables.readingCount += 1;
    const end = (): void => {
      this.tables.readingCount -= 1;
      transaction.done();
    };
    let result: T;
    try {
      result = work({ tableNames, table: (name) => this.snapshotTable(name, transaction) });
    } catch (error) {
      end();
      throw error;
    }
    if (result instanceof Promise) return result.finally(end) as T;
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

  /** Opens every table there is; answers their names. */
  private openAll(): string[] {
    // LMDB ends the names with a zero byte
    const names = [...this.environment.root.getKeys()].map((name) =>
      Buffer.from(name.subarray(0, -1)).toString('utf8'),
    );
    for (const name of names) this.tables.existing(name);
    return names;
  }

  private snapshotTable(name: string, transaction: Transaction): Pick<Table, 'get' | 'range'> {
    const table = this.tables.existing(name);
    return {
      get: (key) => (key.length === 0 ? undefined : table?.get(key, { transaction })),
      range: (options) => ({ [Symbol.iterator]: () => this.range(table, options, transaction) }),
    };
  }

  private *range(table: Bytes | undefined, options: RangeOptions, transaction?: Transaction): Generator<Entry> {
    if (table === undefined) return;
    this.tables.readingCount += 1;
    try {
      yield* readRange(table, options, transaction);
    } finally {
      this.tables.readingCount -= 1;
    }
  }

  private writes(): WriteTransaction {
    const keysOf = (table: Bytes, start?: Uint8Array, end?: Uint8Array): Uint8Array[] => {
      const keys: Uint8Array[] = [];
      const bounds = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
      for (const entry of readRange(table, bounds)) keys.push(entry.key);
      return keys;
    };
    const tables = this.tables;
    return {
      get: (name, key) => copied(tables.forWriting(name).getBinaryFast(key)),
      put: (name, key, value) => {
        if (key.length === 0) throw new RangeError('an empty key');
        tables.forWriting(name).putSync(key, value);
      },
      delete: (name, key) => {
        tables.forWriting(name).removeSync(key);
      },
      deleteRange: (name, start, end) => {
        const table = tables.forWriting(name);
        for (const key of keysOf(table, start, end)) table.removeSync(key);
      },
      clear: (name) => {
        const table = tables.forWriting(name);
        for (const key of keysOf(table)) table.removeSync(key);
      },
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

/** lmdb-js hands out views of pages or of a reused buffer: whoever keeps a value needs bytes of its own. */
function copied(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes === undefined ? undefined : exact(bytes).slice();
}

/** The reused buffer is longer than its value, and only its `length` tells: a plain view of the value is made. */
function exact(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
