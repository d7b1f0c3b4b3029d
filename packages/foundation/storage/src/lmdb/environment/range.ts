import { compareBytes } from '@fossick/base';
import type { Database, Transaction } from 'lmdb';
import type { Entry, RangeOptions } from '../../store.js';

/** A table, including the parts that its type declarations omit. */
export type Bytes = Database<Uint8Array, Uint8Array> & {
  getBinaryFast(key: Uint8Array, options: { readonly transaction: Transaction }): Uint8Array | undefined;
};

/** The least possible key: LMDB has no empty keys. */
const KEY_MIN = Uint8Array.of(0);

/** Keys read at a time. */
const KEYS_AT_ONCE = 4_096;

/** Deletes at most `limit` entries with start <= key < end within a write transaction; returns how many. */
export function deleteKeys(
  table: Bytes,
  start: Uint8Array,
  end: Uint8Array,
  limit: number = Number.POSITIVE_INFINITY,
): number {
  const from = start.length === 0 ? KEY_MIN : start;
  let count = 0;
  for (;;) {
    const wanted = Math.min(KEYS_AT_ONCE, limit - count);
    if (wanted <= 0 || compareBytes(from, end) >= 0) return count;
    // each read begins at the start, because the keys found before are deleted
    const keys = [...table.getKeys({ start: from, end, limit: wanted })].map((key) => new Uint8Array(key));
    for (const key of keys) table.removeSync(key);
    count += keys.length;
    if (keys.length < wanted) return count;
  }
}

/**
 * Entries with start <= key < end, lazily, from one commit, that of `transaction` when given; closes the cursor when
 * the iteration is abandoned.
 */
export function* readRange(table: Bytes, options: RangeOptions, transaction?: Transaction): Generator<Entry> {
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  const start = options.start === undefined || options.start.length === 0 ? KEY_MIN : options.start;
  const end = options.end;
  if (end !== undefined && compareBytes(start, end) >= 0) return;
  const bounds =
    options.reverse === true
      ? // In descending order lmdb's `start` is the upper bound; it is inclusive, so the excluded key is skipped below.
        { reverse: true, ...(end === undefined ? {} : { start: end }), end: start, inclusiveEnd: true }
      : { start, ...(end === undefined ? {} : { end }) };
  for (const { key, value } of table.getRange(transaction === undefined ? bounds : { ...bounds, transaction })) {
    if (end !== undefined && compareBytes(key, end) >= 0) continue;
    yield { key: new Uint8Array(key), value: new Uint8Array(value) };
    left -= 1;
    if (left <= 0) return;
  }
}
