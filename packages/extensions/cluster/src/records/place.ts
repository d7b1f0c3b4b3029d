import { composeKey, readU32, readU64, type Store, text, u32, u64, type WriteTransaction } from '@fossick/storage';

/** A table of each store that follows a log. It has one row, the place. */
const TABLE = 'replica';
const KEY = composeKey(text('place'));

/**
 * How much of a log a store contains: all that concerns it up to the first `count` records of the entry at `position`.
 */
export interface Place {
  readonly position: number;
  readonly count: number;
}

/** Writes the place of a store together with the rows that made it. */
export function putPlace(txn: WriteTransaction, { position, count }: Place): void {
  txn.put(TABLE, KEY, composeKey(u64(BigInt(position)), u32(count)));
}

/** The place of a store; that before the first entry when it has none. */
export function placeOf(store: Pick<Store, 'table'> | undefined): Place {
  const bytes = store?.table(TABLE).get(KEY);
  if (bytes === undefined) return { position: 0, count: 0 };
  return { position: Number(readU64(bytes)), count: readU32(bytes.subarray(8)) };
}

/** Whether a store at `place` has the record that leads to `next`. */
export function hasReached(place: Place, next: Place): boolean {
  return place.position > next.position || (place.position === next.position && place.count >= next.count);
}
