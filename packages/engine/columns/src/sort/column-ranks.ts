import type { SortEntry } from '@fossick/filter';
import type { Bitmap } from '@fossick/kernel';
import { columnReaders } from '../column-readers.js';
import type { ColumnView } from '../port.js';
import { SortedGroups } from '../reading/sorted-groups.js';

/** By docid: the rank of the document's bucket in the order of a sort entry; documents without a value share the last rank. */
export type ColumnRanks = Uint32Array;
const UNRANKED = 0xffff_ffff;

/**
 * Ranks of the documents of the universe by one field: numbers, then strings, then documents without a value. A document with several
 * values is ranked by the first of them in the order. O(documents of the universe * log of them + their values * segments).
 */
export function columnRanks(
  view: ColumnView,
  universe: Bitmap,
  { field, direction }: Extract<SortEntry, { kind: 'field' }>,
): ColumnRanks {
  const ranks: ColumnRanks = new Uint32Array(view.bitCount).fill(UNRANKED);
  let rank = 0;
  new SortedGroups(columnReaders(view, field), universe, direction === 'desc').eachValue((lists) => {
    for (const docs of lists) for (const doc of docs) ranks[doc] = rank;
    rank += 1;
    return true;
  });
  return ranks;
}
