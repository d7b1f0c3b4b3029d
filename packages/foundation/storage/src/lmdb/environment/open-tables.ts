import type { Transaction } from 'lmdb';
import type { CommitCounter } from './commit-counter.js';
import type { Environment } from './environment.js';
import type { Bytes } from './range.js';
import { sharedBuffer } from './shared-buffer.js';

/** A thread that holds the lock longer than this is dead. */
const OPENING_MAX_MS = 10_000;
const WAIT_MS = 1;

/**
 * The tables of one handle. LMDB numbers the open tables of a process, and only one thread at a time may assign a
 * number: until the transaction that opened a table ends, other threads would assign the same number to another table.
 * So opening a table takes a lock, and holds it to the end of its transaction if that is a write transaction.
 */
export class OpenTables {
  private readonly environment: Environment;
  private readonly commits: Pick<CommitCounter, 'count'>;
  private readonly tables = new Map<string, Bytes>();
  /** Names of tables that did not exist, with the commit count at that time. */
  private readonly absent = new Map<string, number>();
  private readonly lock: Int32Array;
  private openedByWrite: string[] | undefined;
  /** The last result of `allKnown`, for the identical list of names. */
  private lastKnown: { readonly names: readonly string[]; readonly open: ReadonlyMap<string, Bytes> } | undefined;
  /** Ranges and snapshots of this handle in progress. */
  readingCount = 0;

  constructor(environment: Environment, commits: Pick<CommitCounter, 'count'>) {
    this.environment = environment;
    this.commits = commits;
    this.lock = new Int32Array(sharedBuffer(environment.root, 'opening', 4));
  }

  /** Names of the existing tables, as of a transaction when given, in byte order. */
  namesIn(transaction?: Transaction): string[] {
    // LMDB ends the names with a zero byte
    return [...this.environment.root.getKeys(transaction === undefined ? {} : { transaction })].map((name) =>
      Buffer.from(name.subarray(0, -1)).toString('utf8'),
    );
  }

  /** Whether a table of that name exists as of a transaction. */
  isIn(name: string, transaction: Transaction): boolean {
    return (this.environment.root as Bytes).getBinaryFast(Buffer.from(`${name}\0`), { transaction }) !== undefined;
  }

  /** The table, if it is open. */
  known(name: string): Bytes | undefined {
    return this.tables.get(name);
  }

  /** All these tables by name, if all of them are open; returns the same map as long as no table is closed. */
  allKnown(names: readonly string[], always: string): ReadonlyMap<string, Bytes> | undefined {
    if (this.lastKnown?.names === names) return this.lastKnown.open;
    const open = new Map<string, Bytes>();
    for (const name of [...names, always]) {
      const table = this.tables.get(name);
      if (table === undefined) return undefined;
      open.set(name, table);
    }
    this.lastKnown = { names, open };
    return open;
  }

  /** Opens every existing table; returns their names. */
  openAll(): string[] {
    const names = this.namesIn();
    for (const name of names) this.existing(name);
    return names;
  }

  /** Forgets which tables did not exist. */
  lookAgain(): void {
    this.absent.clear();
  }

  /** The table as readers see it; undefined when no table of that name is committed. */
  existing(name: string): Bytes | undefined {
    const known = this.tables.get(name);
    if (known !== undefined) return known;
    const commits = this.commits.count();
    if (this.absent.get(name) === commits) return undefined;
    const table =
      this.readingCount === 0 ? this.locked(() => this.environment.openForReading(name)) : this.openBehindWriters(name);
    if (table === undefined) this.absent.set(name, commits);
    else this.tables.set(name, table);
    return table;
  }

  /** The table inside the write transaction of this handle; created when it does not exist. */
  forWriting(name: string): Bytes {
    const known = this.tables.get(name);
    if (known !== undefined) return known;
    if (this.openedByWrite === undefined) {
      this.take();
      this.openedByWrite = [];
    }
    const table = this.environment.openForWriting(name, true)!;
    this.openedByWrite.push(name);
    this.tables.set(name, table);
    return table;
  }

  /** Called when a write transaction is over: a table that a rolled back transaction opened has lost its number. */
  endWrite(isCommitted: boolean): void {
    if (this.openedByWrite === undefined) return;
    if (!isCommitted) {
      for (const name of this.openedByWrite) this.tables.delete(name);
      this.lastKnown = undefined;
    }
    this.openedByWrite = undefined;
    this.give();
  }

  clear(): void {
    this.tables.clear();
    this.lastKnown = undefined;
  }

  /**
   * Opens a table in a write transaction, so that reads in progress keep theirs. The lock is taken inside the
   * transaction, as by all writers: otherwise a writer that creates a table would wait for this lock, and this for the
   * writer.
   */
  private openBehindWriters(name: string): Bytes | undefined {
    let isHeld = false;
    try {
      return this.environment.root.transactionSync(() => {
        if (this.openedByWrite === undefined) {
          this.take();
          isHeld = true;
        }
        return this.environment.openForWriting(name, false);
      });
    } finally {
      if (isHeld) this.give();
    }
  }

  private locked<T>(work: () => T): T {
    if (this.openedByWrite !== undefined) return work();
    this.take();
    try {
      return work();
    } finally {
      this.give();
    }
  }

  private take(): void {
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    const endMs = performance.now() + OPENING_MAX_MS;
    while (Atomics.compareExchange(this.lock, 0, 0, 1) !== 0 && performance.now() < endMs)
      Atomics.wait(sleeper, 0, 0, WAIT_MS);
  }

  private give(): void {
    Atomics.store(this.lock, 0, 0);
  }
}
