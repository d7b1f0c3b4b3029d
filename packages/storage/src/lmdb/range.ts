import type { Database, Transaction } from 'lmdb';
import { compareBytes } from '../bytes.js';
import type { Entry, RangeOptions } from '../store.js';

export type Bytes = Database<Uint8Array, Uint8Array>;

/** The least key there is: LMDB has no empty keys. */
const KEY_MIN = Uint8Array.of(0);

/** Entries with start <= key < end, lazily, from one commit, that of `transaction` when given; ends the cursor when abandoned. */
export function* readRange(table: Bytes, options: RangeOptions, transaction?: Transaction): Generator<Entry> {
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  const start = options.start === undefined || options.start.length === 0 ? KEY_MIN : options.start;
  const end = options.end;
  if (end !== undefined && compareBytes(start, end) >= 0) return;
  const bounds =
    options.reverse === true
      ? // Walking down, lmdb's `start` is the upper bound; it is inclusive, so the excluded key is skipped below.
        { reverse: true, ...(end === undefined ? {} : { start: end }), end: start, inclusiveEnd: true }
      : { start, ...(end === undefined ? {} : { end }) };
  for (const { key, value } of table.getRange(transaction === undefined ? bounds : { ...bounds, transaction })) {
    if (end !== undefined && compareBytes(key, end) >= 0) continue;
    yield { key: new Uint8Array(key), value: new Uint8Array(value) };
    left -= 1;
    if (left <= 0) return;
  }
}
