import type { SortEntry } from '@fossick/filter';
import type { Ptr } from '@fossick/kernel';
import type { IndexView } from '../view/index-view.js';
import { textAt } from './column-format.js';
import { liveIn, type OpenColumn, openColumns } from './open-column.js';

/** By docid: the place of the document's bucket in the order of a sort entry; the same for all without a value, behind every other. */
export type ColumnRanks = Uint32Array;
const UNRANKED = 0xffff_ffff;

type Side = 'numbers' | 'strings';

/**
 * Ranks of the documents of the universe by one field (spec 11 section 10): numbers, then strings, then documents without a value. One of
 * several values stands where the first of them in the order does. O(documents of the field + values * segments).
 */
export function columnRanks(
  view: IndexView,
  universe: Ptr,
  { field, direction }: Extract<SortEntry, { kind: 'field' }>,
): ColumnRanks {
  const ranks: ColumnRanks = new Uint32Array(view.bitCount).fill(UNRANKED);
  const columns = openColumns(view, field);
  const { kernel } = view;
  const mark = kernel.mark();
  const bits = columns.map(({ segment }) => kernel.bits(liveIn(view, universe, segment)));
  kernel.release(mark);
  const step = direction === 'desc' ? -1 : 1;
  let rank = 0;
  for (const side of ['numbers', 'strings'] as const) {
    const at = columns.map((open) => (step === 1 ? 0 : open[side].count - 1));
    for (;;) {
      const first = firstOf(columns, side, at, step);
      if (first < 0) break;
      const value = at[first]!;
      columns.forEach((open, index) => {
        const group = at[index]!;
        const isSame = isGroup(open, side, group) && compare(columns[first]!, value, open, group, side) === 0;
        if (!isSame) return;
        rankGroup(ranks, bits[index]!, open, side, group, rank);
        if (index !== first) at[index] = group + step;
      });
      at[first] = value + step;
      rank += 1;
    }
  }
  return ranks;
}

const isGroup = (open: OpenColumn, side: Side, group: number): boolean => group >= 0 && group < open[side].count;

/** The column that stands at the value that comes first; -1 when all are through. */
function firstOf(columns: readonly OpenColumn[], side: Side, at: readonly number[], step: 1 | -1): number {
  let first = -1;
  for (let index = 0; index < columns.length; index++) {
    if (!isGroup(columns[index]!, side, at[index]!)) continue;
    if (first < 0 || compare(columns[index]!, at[index]!, columns[first]!, at[first]!, side) * step < 0) first = index;
  }
  return first;
}

function compare(left: OpenColumn, leftGroup: number, right: OpenColumn, rightGroup: number, side: Side): number {
  if (side === 'numbers') return left.column.numbers[leftGroup]! - right.column.numbers[rightGroup]!;
  return left === right && leftGroup === rightGroup
    ? 0
    : Buffer.compare(textAt(left.column, leftGroup), textAt(right.column, rightGroup));
}

function rankGroup(
  ranks: ColumnRanks,
  bits: Uint32Array,
  { column }: OpenColumn,
  side: Side,
  group: number,
  rank: number,
): void {
  const [offsets, docs] =
    side === 'numbers' ? [column.numberOffsets, column.numberDocs] : [column.stringOffsets, column.stringDocs];
  for (let entry = offsets[group]!; entry < offsets[group + 1]!; entry++) {
    const doc = docs[entry]!;
    const isWanted = ((bits[doc >>> 5] ?? 0) & (1 << (doc & 31))) !== 0;
    if (isWanted && ranks[doc] === UNRANKED) ranks[doc] = rank;
  }
}
