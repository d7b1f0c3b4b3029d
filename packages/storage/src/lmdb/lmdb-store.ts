import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import type { Durability, Store, Table, WriteTransaction } from '../store.js';
import { commitCounter } from './commit-counter.js';
import { type Bytes, readRange } from './range.js';

export interface LmdbStoreOptions {
  /** Created with its parents when missing; holds data.mdb and lock.mdb. */
  readonly folder: string;
  /** Address space reserved for the file and so its largest size; not memory, not disk. */
  readonly mapBytes?: number;
}

const MAP_BYTES_DEFAULT = 64 * 2 ** 30;
const TABLES_MAX = 32;
/** Abortable, committed when it returns; flushed too, because overlappingSync is off. */
const COMMIT_FLAGS = 3;
/** LMDB's own flag: pages are flushed, the page that names them only with the next commit. The file stays whole. */
const NO_META_SYNC = 0x40000;
const TABLE_OPTIONS = { keyEncoding: 'binary', encoding: 'binary', cache: false } as const;

/**
 * Opens (or creates) the store of a folder. Any number of worker threads of one process may open the same folder:
 * writers wait for one another, readers never wait and see the last commit of any of them. Throws what lmdb throws
 * when the folder cannot be used.
 */
export function openLmdbStore(options: LmdbStoreOptions): Store {
  mkdirSync(options.folder, { recursive: true });
  const root = open<Uint8Array, Uint8Array>({
    path: options.folder,
    noSubdir: false, // a dot in the folder's name must not turn it into a file
    maxDbs: TABLES_MAX,
    mapSize: options.mapBytes ?? MAP_BYTES_DEFAULT,
    remapChunks: false,
    overlappingSync: false,
    compression: false,
    ...TABLE_OPTIONS,
  });
  return new LmdbStore(root, options.folder);
}

class LmdbStore implements Store {
  private readonly tables = new Map<string, Bytes>();
  private readonly commits: ReturnType<typeof commitCounter>;
  private isWriting = false;

  constructor(
    private readonly root: RootDatabase<Uint8Array, Uint8Array>,
    private readonly folder: string,
  ) {
    this.commits = commitCounter(root);
    // Opening a table takes the writer's lock for a moment: do it now for those that exist, so that reads never wait.
    for (const name of [...root.getKeys()]) this.open(Buffer.from(name).toString('utf8'));
  }

  table(name: string): Table {
    const fresh = (): Bytes => {
      const table = this.open(name);
      if (!this.isWriting && this.commits.hasMoved()) this.root.resetReadTxn();
      return table;
    };
    return {
      get: (key) => (key.length === 0 ? undefined : copied(fresh().getBinaryFast(key))),
      read: (key, use) => {
        const bytes = key.length === 0 ? undefined : fresh().getBinaryFast(key);
        return bytes === undefined ? undefined : use(exact(bytes));
      },
      has: (key) => key.length > 0 && fresh().doesExist(key),
      range: (options) => ({ [Symbol.iterator]: () => readRange(fresh(), options) }),
      count: () => (fresh().getStats() as { entryCount: number }).entryCount,
    };
  }

  transaction<T>(work: (txn: WriteTransaction) => T, durability: Durability = 'now'): T {
    if (this.isWriting) throw new Error('a transaction is already running');
    const knownNames = new Set(this.tables.keys());
    this.isWriting = true;
    try {
      const flags = durability === 'now' ? COMMIT_FLAGS : COMMIT_FLAGS | NO_META_SYNC;
      const result = this.root.transactionSync(() => work(this.writes()), flags);
      this.commits.advance();
      return result;
    } catch (error) {
      // A table created in a transaction that is rolled back is gone with it, and its handle is void.
      for (const name of this.tables.keys()) if (!knownNames.has(name)) this.tables.delete(name);
      throw error;
    } finally {
      this.isWriting = false;
    }
  }

  size(): { readonly diskBytes: number; readonly usedBytes: number } {
    const pageCounts = [this.root as Bytes, ...this.tables.values()].map((table) => {
      const stats = table.getStats() as TableStats;
      return {
        pages: stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages,
        bytes: stats.pageSize,
      };
    });
    const usedBytes = pageCounts.reduce((sum, { pages, bytes }) => sum + pages * bytes, 0);
    return { diskBytes: statSync(join(this.folder, 'data.mdb')).blocks * 512, usedBytes };
  }

  async copyTo(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    await this.root.backup(folder, true);
  }

  async close(): Promise<void> {
    this.tables.clear();
    await this.root.close();
  }

  private open(name: string): Bytes {
    let table = this.tables.get(name);
    if (table === undefined) {
      table = this.root.openDB<Uint8Array, Uint8Array>(name, TABLE_OPTIONS);
      this.tables.set(name, table);
    }
    return table;
  }

  private writes(): WriteTransaction {
    const keysOf = (table: Bytes, start?: Uint8Array, end?: Uint8Array): Uint8Array[] => {
      const keys: Uint8Array[] = [];
      const bounds = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
      for (const entry of readRange(table, bounds)) keys.push(entry.key);
      return keys;
    };
    return {
      get: (name, key) => copied(this.open(name).getBinaryFast(key)),
      put: (name, key, value) => {
        if (key.length === 0) throw new RangeError('an empty key');
        this.open(name).putSync(key, value);
      },
      delete: (name, key) => {
        this.open(name).removeSync(key);
      },
      deleteRange: (name, start, end) => {
        const table = this.open(name);
        for (const key of keysOf(table, start, end)) table.removeSync(key);
      },
      clear: (name) => {
        const table = this.open(name);
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

/** lmdb-js hands out views of pages or of a reused buffer: whoever keeps a value needs bytes of its own. */
function copied(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes === undefined ? undefined : exact(bytes).slice();
}

/** The reused buffer is longer than its value, and only its `length` tells: a plain view of the value is made. */
function exact(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
