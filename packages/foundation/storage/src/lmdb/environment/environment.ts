import type { RootDatabase } from 'lmdb';
import * as lmdb from 'lmdb';
import type { Bytes } from './range.js';

/**
 * Address space that a file is first mapped into, which takes neither memory nor disk. A file that outgrows it is
 * mapped again, into twice what it needs.
 */
const MAP_BYTES_FIRST = 4 * 2 ** 30;
const TABLES_MAX = 32;
const TABLE_OPTIONS = { keyEncoding: 'binary', encoding: 'binary', cache: false } as const;

/**
 * Every table that lmdb-js ever opened in this thread, by name; its type declarations omit it. Nothing reads this map,
 * but its entries are never collected, some 100 KiB per store, even when closed. So it is emptied.
 */
const { allDbs: everOpened } = lmdb as typeof lmdb & { readonly allDbs: Map<string, unknown> };

export type Root = RootDatabase<Uint8Array, Uint8Array>;

/** How lmdb-js opens a table; its type declarations omit this. */
interface Opener {
  transactionSync<T>(work: () => T, flags?: number): T;
  resetReadTxn(): void;
  ensureReadTxn(): void;
  close(): unknown;
}

/** The classes of one environment: the root (the list of tables) and the tables are instances. */
interface HandleClass {
  new (name: string | null, options: object): Root;
  readonly prototype: Opener;
}

/**
 * One handle of an LMDB environment. lmdb-js opens tables, including the list of tables, in a write transaction, and so
 * waits for any other thread's write, which takes seconds for a large batch. Here they are opened in a read
 * transaction, as lmdb-js does for read-only environments; OpenTables ensures that only one thread at a time does so.
 */
export class Environment {
  readonly root: Root;
  private readonly opener: Opener;
  private readonly writing: Opener['transactionSync'];

  constructor(folder: string, mapBytes = MAP_BYTES_FIRST) {
    // the declarations of lmdb-js leave out what its classes are made by
    const Handle = lmdb.openAsClass<Uint8Array, Uint8Array>({
      path: folder,
      noSubdir: false, // a dot in the folder's name must not turn it into a file
      maxDbs: TABLES_MAX,
      mapSize: mapBytes,
      remapChunks: false,
      overlappingSync: false,
      compression: false,
      ...TABLE_OPTIONS,
    }) as unknown as HandleClass;
    this.opener = Handle.prototype;
    this.writing = this.opener.transactionSync;
    try {
      this.root = this.reading(() => new Handle(null, { ...TABLE_OPTIONS, create: false, isRoot: true }));
    } catch (error) {
      // lmdb-js has counted this thread among those that have the environment open, and nobody else could close it
      this.opener.close.call({ isRoot: true });
      throw error;
    }
    everOpened.clear();
  }

  /**
   * The table, undefined when there is none. This handle must not be in the middle of a read: it would lose its
   * transaction.
   */
  openForReading(name: string): Bytes | undefined {
    return this.reading(() => this.open(name, false));
  }

  /** The same in a write transaction, also within a running one; reads in progress continue. */
  openForWriting(name: string, create: boolean): Bytes | undefined {
    // what is being read keeps its transaction, which opening a table would end
    this.root.resetReadTxn();
    return this.open(name, create);
  }

  private open(name: string, create: boolean): Bytes | undefined {
    const table = this.root.openDB<Uint8Array, Uint8Array>(name, { ...TABLE_OPTIONS, create } as never);
    everOpened.clear();
    return table as Bytes | undefined;
  }

  private reading<T>(work: () => T): T {
    this.opener.transactionSync = function <R>(this: Opener, openTable: () => R): R {
      this.resetReadTxn();
      this.ensureReadTxn();
      return openTable();
    };
    try {
      return work();
    } finally {
      this.opener.transactionSync = this.writing;
    }
  }
}
