import type { Transaction } from 'lmdb';
import type { Entry, RangeOptions, Snapshot, Table } from '../store.js';
import type { Bytes } from './environment/range.js';

/** How a store reads its tables: values are verified, errors converted. */
export interface SnapshotRows {
  readonly copied: (name: string, key: Uint8Array, bytes: Uint8Array | undefined) => Uint8Array | undefined;
  readonly lent: <T>(
    name: string,
    key: Uint8Array,
    bytes: Uint8Array | undefined,
    use: (value: Uint8Array) => T,
  ) => T | undefined;
  readonly range: (
    name: string,
    table: Bytes | undefined,
    bounds: RangeOptions,
    transaction: Transaction,
  ) => Iterator<Entry>;
  readonly described: (error: unknown) => unknown;
}

type ReadTable = Pick<Table, 'get' | 'read' | 'range'>;

/** The reads of one transaction. Every search begins one, so table objects are created on demand. */
export class StoredSnapshot implements Snapshot {
  private readonly rows: SnapshotRows;
  private readonly open: ReadonlyMap<string, Bytes>;
  private readonly transaction: Transaction;
  private readonly hidden: string;
  private readonly tables = new Map<string, ReadTable>();

  /** @param hidden a table that is left out of its names */
  constructor(rows: SnapshotRows, open: ReadonlyMap<string, Bytes>, transaction: Transaction, hidden: string) {
    this.rows = rows;
    this.open = open;
    this.transaction = transaction;
    this.hidden = hidden;
  }

  get tableNames(): readonly string[] {
    return [...this.open.keys()].filter((name) => name !== this.hidden);
  }

  table(name: string): ReadTable {
    let table = this.tables.get(name);
    if (table === undefined) {
      table = new SnapshotTable(this.rows, name, this.open.get(name), this.transaction);
      this.tables.set(name, table);
    }
    return table;
  }
}

/** A table as of a transaction; empty where it did not exist. */
class SnapshotTable implements ReadTable {
  private readonly rows: SnapshotRows;
  private readonly name: string;
  private readonly stored: Bytes | undefined;
  private readonly options: { readonly transaction: Transaction };

  constructor(rows: SnapshotRows, name: string, stored: Bytes | undefined, transaction: Transaction) {
    this.rows = rows;
    this.name = name;
    this.stored = stored;
    this.options = { transaction };
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.rows.copied(this.name, key, this.bytesOf(key));
  }

  read<T>(key: Uint8Array, use: (value: Uint8Array) => T): T | undefined {
    return this.rows.lent(this.name, key, this.bytesOf(key), use);
  }

  range(bounds: RangeOptions): Iterable<Entry> {
    const { rows, name, stored, options } = this;
    return { [Symbol.iterator]: () => rows.range(name, stored, bounds, options.transaction) };
  }

  private bytesOf(key: Uint8Array): Uint8Array | undefined {
    if (key.length === 0) return undefined;
    try {
      return this.stored?.getBinaryFast(key, this.options);
    } catch (error) {
      throw this.rows.described(error);
    }
  }
}
