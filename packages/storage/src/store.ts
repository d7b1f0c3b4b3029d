/** One ordered map of byte keys to byte values inside a store. Keys compare as unsigned bytes. */
export interface Table {
  get(key: Uint8Array): Uint8Array | undefined;
  /**
   * What `use` makes of the value, or undefined when there is none. The bytes are the store's own, uncopied: good until `use` returns,
   * not to be kept or written to, and `use` may not read the store.
   */
  read<T>(key: Uint8Array, use: (value: Uint8Array) => T): T | undefined;
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
  /** Names of its tables, in byte order: of all, or of those it was asked for. */
  readonly tableNames: readonly string[];
  table(name: string): Pick<Table, 'get' | 'read' | 'range'>;
}
/** Writes inside a transaction; a table named here is created on first use. */
export interface WriteTransaction {
  put(table: string, key: Uint8Array, value: Uint8Array): void;
  delete(table: string, key: Uint8Array): void;
  /** Deletes start <= key < end, the first `limit` of them; answers how many there were. O(keys): no value is read. */
  deleteRange(table: string, start: Uint8Array, end: Uint8Array, limit?: number): number;
  /** O(pages). */
  clear(table: string): void;
  get(table: string, key: Uint8Array): Uint8Array | undefined;
}
/**
 * When a commit survives a power cut: once its transaction returns, or with the next commit that does (`later`), which spares a write to wait for. Commits
 * never get lost out of order, and the death of the process loses none.
 */
export type Durability = 'now' | 'later';

/**
 * Here is a key, give me bytes, durably. Writers on several threads are serialised; readers never wait and see the
 * last commit.
 */
export interface Store {
  table(name: string): Table;
  /**
   * Runs `work` in one atomic write transaction; durable when it returns unless `durability` is `later`. An exception
   * rolls all of it back and is rethrown.
   */
  transaction<T>(work: (txn: WriteTransaction) => T, durability?: Durability): T;
  /**
   * Resolves once all that was committed before the call survives a power cut, which commits of the durability `later` do not by
   * themselves. Blocks no thread; calls that come while the disk works share the next wait.
   */
  flush(): Promise<void>;
  /** Bytes on disk (allocated) and bytes of live pages. */
  size(): { readonly diskBytes: number; readonly usedBytes: number };
  /** Bytes of the live pages of each table as of the last commit, by name, in byte order. Some microseconds a table. */
  tableSizes(): Readonly<Record<string, number>>;
  /**
   * Runs `work` over the last commit, however long it takes and whatever is written meanwhile; a promise it answers is waited for. Pages
   * that this commit needs are not used again until then, so the file grows while others write: whoever may take long bounds its time.
   * Who names the tables it reads, which are all it can read then, spares a look for others. Nothing else of this handle may read
   * a table for the first time meanwhile, unless it can wait for who is writing.
   */
  snapshot<T>(work: (snapshot: Snapshot) => T, tables?: readonly string[]): T;
  /**
   * Writes a copy of one commit into a folder that is not there yet, without free pages. The copy was read, compared and written to
   * when the promise resolves, and is on disk. Other work of this thread gets its turn in between. O(bytes).
   */
  copyTo(folder: string): Promise<void>;
  /** How many commits there were, of all handles in this process: while it stays as it is, so does every row. It moves behind the commit. O(1) */
  readonly commitCount: number;
  /** True in the middle of a range, a snapshot, a transaction or a flush of this handle: it is not to be closed then. */
  readonly isBusy: boolean;
  /** Nothing of this handle may be read after that. Done when the call returns, unless a flush is under way. */
  close(): Promise<void>;
}
