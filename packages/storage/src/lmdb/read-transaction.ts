import type { Transaction } from 'lmdb';
import type { commitCounter } from './commit-counter.js';
import type { Root } from './environment.js';
import type { OpenTables } from './open-tables.js';
import type { Bytes } from './range.js';

/** A read transaction of the last commit, and the tables of that commit. `transaction.done()` ends it. */
export interface ReadTransaction {
  readonly transaction: Transaction;
  readonly open: ReadonlyMap<string, Bytes>;
}

/**
 * Begins a read transaction of the last commit. Of its tables those are opened that are named, all when none is. A table has to be open
 * before the transaction begins that reads it: where one was made in between, another transaction is begun.
 */
export function beginReading(
  root: Root,
  tables: OpenTables,
  commits: ReturnType<typeof commitCounter>,
  names: readonly string[] | undefined,
): ReadTransaction {
  for (;;) {
    if (commits.hasMoved()) root.resetReadTxn();
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
