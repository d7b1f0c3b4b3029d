import type { Transaction } from 'lmdb';
import type { CommitCounter } from './commit-counter.js';
import type { Root } from './environment.js';
import type { OpenTables } from './open-tables.js';
import type { Bytes } from './range.js';

/** A read transaction of the last commit, and the tables of that commit. `transaction.done()` ends it. */
export interface ReadTransaction {
  readonly transaction: Transaction;
  readonly open: ReadonlyMap<string, Bytes>;
}

/**
 * Begins a read transaction of the last commit. Opens the named tables and `always`, or all tables when none is named.
 * A table must be open before the transaction that reads it begins: if one was created in between, another transaction
 * is begun.
 */
export function beginReading(
  root: Root,
  tables: OpenTables,
  commits: CommitCounter,
  wanted: readonly string[] | undefined,
  always: string,
): ReadTransaction {
  for (;;) {
    if (commits.hasMoved()) root.resetReadTxn();
    // most transactions read tables that were open already
    const known = wanted === undefined ? undefined : tables.allKnown(wanted, always);
    if (known !== undefined) return { transaction: root.useReadTransaction(), open: known };
    const names = wanted === undefined ? undefined : [...wanted, always];
    for (const name of names ?? tables.namesIn()) tables.existing(name);
    const transaction = root.useReadTransaction();
    const open = new Map<string, Bytes>();
    let isMissing = false;
    for (const name of names ?? tables.namesIn(transaction)) {
      const table = tables.known(name);
      if (table !== undefined) open.set(name, table);
      else if (tables.isIn(name, transaction)) isMissing = true;
    }
    if (!isMissing) return { transaction, open };
    transaction.done();
    root.resetReadTxn();
    tables.lookAgain();
  }
}
