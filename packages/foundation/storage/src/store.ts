/** One ordered map of byte keys to byte values inside a store. Keys compare as unsigned bytes. */
export interface Table {
  get(key: Uint8Array): Uint8Array | undefined;
  /**
   * The result of `use` for the value, or undefined when there is none. The bytes belong to the store and are not
   * copied: they are valid until `use` returns, must not be kept or written to, and `use` must not read the store.
   */
  read<T>(key: Uint8Array, use: (value: Uint8Array) => T): T | undefined;
  /**
   * Announces reads of these keys. A store that fetches its rows then throws once for all that are missing; others have no
   * such method.
   */
  readonly need?: (keys: readonly Uint8Array[]) => void;
  has(key: Uint8Array): boolean;
  /** Entries with start <= key < end in key order (or reversed), at most `limit`. Absent bounds are open. */
  range(options: RangeOptions): Iterable<Entry>;
  count(): number;
}
export interface RangeOptions {
  readonly start?: Uint8Array;
  readonly end?: Uint8Array;
  readonly reverse?: boolean;
  readonly limit?: number;
}
export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}
/** Reads of one commit. */
export interface Snapshot {
  /** Names of its tables, in byte order: all of them, or those that were requested. */
  readonly tableNames: readonly string[];
  table(name: string): Pick<Table, 'get' | 'read' | 'need' | 'range'>;
}
/** Writes inside a transaction; a table named here is created on first use. */
export interface WriteTransaction {
  put(table: string, key: Uint8Array, value: Uint8Array): void;
  delete(table: string, key: Uint8Array): void;
  /**
   * Deletes the first `limit` entries with start <= key < end; returns how many there were. O(keys): no value is read.
   */
  deleteRange(table: string, start: Uint8Array, end: Uint8Array, limit?: number): number;
  /** O(pages). */
  clear(table: string): void;
  get(table: string, key: Uint8Array): Uint8Array | undefined;
}
/**
 * When a commit survives a power cut: as soon as its transaction returns, or with the next commit that does (`later`),
 * which saves a wait for the disk. Commits are never lost out of order, and none is lost when only the process dies.
 */
export type Durability = 'now' | 'later';

/**
 * An ordered, durable map from keys to bytes. Writers on several threads are serialised; readers never wait and see the
 * last commit.
 */
export interface Store {
  table(name: string): Table;
  /**
   * Runs `work` in one atomic write transaction; durable when it returns unless `durability` is `later`. An exception
   * rolls everything back and is rethrown.
   */
  transaction<T>(work: (txn: WriteTransaction) => T, durability?: Durability): T;
  /**
   * Resolves once every commit before the call survives a power cut, which commits of durability `later` do not by
   * themselves. Blocks no thread; calls during a flush share the next one.
   */
  flush(): Promise<void>;
  /** Bytes on disk (allocated) and bytes of live pages. */
  size(): { readonly diskBytes: number; readonly usedBytes: number };
  /**
   * Bytes of the live pages of each table as of the last commit, by name, in byte order. Some microseconds per table.
   */
  tableSizes(): Readonly<Record<string, number>>;
  /**
   * Runs `work` over the last commit, however long it takes and whatever is written meanwhile; a returned promise is
   * awaited. Pages of this commit are not reused until then, so the file grows while others write: bound the time of
   * long work. Naming the tables to read saves opening all of them; no others can be read then. Meanwhile nothing else
   * on this handle may read a table for the first time, unless it can wait for a writer.
   */
  snapshot<T>(work: (snapshot: Snapshot) => T, tables?: readonly string[]): T;
  /**
   * Writes a copy of one commit, without free pages, into a folder that does not exist yet. When the promise resolves,
   * the copy was read, compared and written to, and is on disk. Other work of this thread runs in between. O(bytes)
   */
  copyTo(folder: string): Promise<void>;
  /**
   * The number of commits by all handles of this process: while it is unchanged, so is every row. It is increased after
   * the commit. O(1)
   */
  readonly commitCount: number;
  /** True during a range, a snapshot, a transaction or a flush of this handle: it must not be closed then. */
  readonly isBusy: boolean;
  /** Nothing may be read through this handle afterwards. Done when the call returns, unless a flush is running. */
  close(): Promise<void>;
}
