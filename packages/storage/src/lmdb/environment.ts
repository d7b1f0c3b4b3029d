import type { RootDatabase } from 'lmdb';
import * as lmdb from 'lmdb';
import type { Bytes } from './range.js';

/** Address space a file is first mapped into: no memory, no disk. A file that outgrows it is mapped again, into twice what it needs. */
const MAP_BYTES_FIRST = 4 * 2 ** 30;
const TABLES_MAX = 32;
const TABLE_OPTIONS = { keyEncoding: 'binary', encoding: 'binary', cache: false } as const;

/**
 * Every table that lmdb-js has ever opened in this thread, by name; its type declarations leave it out. Nothing reads it, and what it names
 * is never collected, closed or not: some 100 KiB for each store. So it is emptied.
 */
const { allDbs: everOpened } = lmdb as unknown as { readonly allDbs: Map<string, unknown> };

export type Root = RootDatabase<Uint8Array, Uint8Array>;

/** How lmdb-js opens a table; what its type declarations leave out. */
interface Opener {
  transactionSync<T>(work: () => T, flags?: number): T;
  resetReadTxn(): void;
  ensureReadTxn(): void;
}

/** Of one environment; its instances are the list of tables and the tables. */
interface HandleClass {
  new (name: string | null, options: object): Root;
  readonly prototype: Opener;
}

/**
 * One handle of an LMDB environment. lmdb-js opens tables, the list of tables among them, in a write transaction, and so behind
 * whatever another thread is writing, which takes seconds for a large batch. Here they are opened in a read transaction, as it does
 * itself for environments that are read only; OpenTables sees to it that one thread at a time does so.
 */
export class Environment {
  readonly root: Root;
  private readonly opener: Opener;
  private readonly writing: Opener['transactionSync'];

  constructor(folder: string, mapBytes = MAP_BYTES_FIRST) {
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
    this.root = this.reading(() => new Handle(null, { ...TABLE_OPTIONS, create: false, isRoot: true }));
    everOpened.clear();
  }

  /** The table, undefined when there is none. No reading of this handle may be under way: it would lose its transaction. */
  openForReading(name: string): Bytes | undefined {
    return this.reading(() => this.open(name, false));
  }

  /** The same by a write transaction, within one that is under way too; any reading goes on. */
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
