import type { Durability, WriteTransaction } from '../store.js';
import type { BeforeCommit, Change } from './change-set.js';

/** Short keys and values are copied into shared blocks of this size: a buffer for each would cost more than its bytes. */
const BLOCK_BYTES = 64 << 10;

/** Runs the work of a transaction, and asks `beforeCommit` if it wrote anything. Throws what either throws. O(bytes) */
export function recordedWork<T>(
  txn: WriteTransaction,
  work: (txn: WriteTransaction) => T,
  durability: Durability,
  beforeCommit: BeforeCommit,
): T {
  const changes: Change[] = [];
  const result = work(recording(txn, changes));
  if (changes.length > 0) beforeCommit(changes, durability, txn);
  return result;
}

/** The same transaction, whose writes are also appended to `changes`. Copies keys and values: callers reuse theirs. */
function recording(txn: WriteTransaction, changes: Change[]): WriteTransaction {
  const copied = copier();
  return {
    get: txn.get,
    put: (table, key, value) => {
      txn.put(table, key, value);
      changes.push({ kind: 'put', table, key: copied(key), value: copied(value) });
    },
    delete: (table, key) => {
      txn.delete(table, key);
      if (key.length > 0) changes.push({ kind: 'delete', table, key: copied(key) });
    },
    deleteRange: (table, start, end, limit) => {
      const count = txn.deleteRange(table, start, end, limit);
      const bounds = { kind: 'deleteRange', table, start: copied(start), end: copied(end) } as const;
      // a limit that was not reached is no part of what happened
      if (count > 0) changes.push(count === limit ? { ...bounds, limit } : bounds);
      return count;
    },
    clear: (table) => {
      txn.clear(table);
      changes.push({ kind: 'clear', table });
    },
  };
}

function copier(): (bytes: Uint8Array) => Uint8Array {
  let block = new Uint8Array(0);
  let used = 0;
  return (bytes) => {
    if (bytes.length >= BLOCK_BYTES / 8) return new Uint8Array(bytes);
    if (used + bytes.length > block.length) {
      block = new Uint8Array(BLOCK_BYTES);
      used = 0;
    }
    const copy = block.subarray(used, used + bytes.length);
    copy.set(bytes);
    used += bytes.length;
    return copy;
  };
}
