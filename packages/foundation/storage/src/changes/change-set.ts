import type { Durability, WriteTransaction } from '../store.js';

/** A row that was written. */
export interface Put {
  readonly kind: 'put';
  readonly table: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}
export interface Delete {
  readonly kind: 'delete';
  readonly table: string;
  readonly key: Uint8Array;
}
/** The first `limit` rows with start <= key < end were deleted; all of them when there is no limit. */
export interface DeleteRange {
  readonly kind: 'deleteRange';
  readonly table: string;
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  readonly limit?: number;
}
export interface Clear {
  readonly kind: 'clear';
  readonly table: string;
}
export type Change = Put | Delete | DeleteRange | Clear;

/**
 * What one transaction wrote, in order: rows as callers see them, without checksums, so that a store of another kind or
 * on another machine has equal rows after the same change sets. A table that was created and got no row is not part of it.
 */
export type ChangeSet = readonly Change[];

/**
 * Called inside a transaction, after its work and before its commit, with what the work wrote; not called when that is
 * nothing. An exception rolls everything back and is thrown by the transaction. It must be done when it returns: its
 * type admits no promise. What it writes through `txn` is committed with the rest and is not part of any change set.
 */
export type BeforeCommit = (changes: ChangeSet, durability: Durability, txn: WriteTransaction) => undefined;

/** Repeats a change set inside a transaction. The rows before it must be those that the recorded one found. O(rows) */
export function applyChanges(txn: WriteTransaction, changes: Iterable<Change>): void {
  for (const change of changes) {
    switch (change.kind) {
      case 'put':
        txn.put(change.table, change.key, change.value);
        break;
      case 'delete':
        txn.delete(change.table, change.key);
        break;
      case 'deleteRange':
        txn.deleteRange(change.table, change.start, change.end, change.limit);
        break;
      case 'clear':
        txn.clear(change.table);
        break;
    }
  }
}
