import type { Ptr } from '@fossick/kernel';
import type { IndexView } from '../view/index-view.js';
import { type ColumnParts, spellingAt, textAt } from './column-format.js';
import { type GroupTable, liveIn, type OpenColumn, openColumns, stringBound } from './open-column.js';

/** A number or string value with the number of candidates that have it. */
export interface CountedNumber {
  readonly value: number;
  readonly count: number;
}
export interface CountedString {
  readonly key: Uint8Array;
  readonly count: number;
  /** The group of each column that has the value, in step with `FacetCounts.columns`; -1 where it is absent. */
  readonly groups: readonly number[];
}
/** Counts of one field over all segments. */
export interface FacetCounts {
  readonly columns: readonly OpenColumn[];
  /** Ascending, counts above 0. */
  readonly numbers: readonly CountedNumber[];
  /** In byte order, counts above 0. */
  readonly strings: readonly CountedString[];
}

/** Counts of every value of the field among the candidates. O(documents of the field + values log segments). */
export function countFacet(view: IndexView, candidates: Ptr, field: string): FacetCounts {
  const columns = openColumns(view, field);
  const numbers = new Map<number, number>();
  const stringCounts: Uint32Array[] = [];
  for (const open of columns) {
    const mark = view.kernel.mark();
    const live = liveIn(view, candidates, open.segment);
    countsOf(view, live, open.numbers).forEach((count, group) => {
      const value = open.column.numbers[group] ?? 0;
      if (count > 0) numbers.set(value, (numbers.get(value) ?? 0) + count);
    });
    stringCounts.push(countsOf(view, live, open.strings));
    view.kernel.release(mark);
  }
  const sorted = [...numbers].map(([value, count]) => ({ value, count })).sort((a, b) => a.value - b.value);
  return { columns, numbers: sorted, strings: mergeCounts(columns, stringCounts) };
}

function countsOf(view: IndexView, live: Ptr, table: GroupTable): Uint32Array {
  if (table.count === 0) return new Uint32Array(0);
  const counts = view.kernel.scratch(table.count * 4);
  view.kernel.countGroups(live, table.offsets, table.docs, table.count, counts);
  return Uint32Array.from(view.kernel.readU32(counts, table.count));
}

function mergeCounts(columns: readonly OpenColumn[], counts: readonly Uint32Array[]): CountedString[] {
  const merged: CountedString[] = [];
  const at = columns.map(() => 0);
  for (;;) {
    let least: Uint8Array | undefined;
    columns.forEach((open, index) => {
      let group = at[index] ?? 0;
      while (group < open.strings.count && counts[index]?.[group] === 0) group += 1;
      at[index] = group;
      if (group >= open.strings.count) return;
      const text = textAt(open.column, group);
      if (least === undefined || Buffer.compare(text, least) < 0) least = text;
    });
    if (least === undefined) return merged;
    const key: Uint8Array = least;
    let count = 0;
    const groups = columns.map((open, index) => {
      const group = at[index] ?? 0;
      if (group >= open.strings.count || Buffer.compare(textAt(open.column, group), key) !== 0) return -1;
      count += counts[index]?.[group] ?? 0;
      at[index] = group + 1;
      return group;
    });
    merged.push({ key, count, groups });
  }
}

/** The group of a key, -1 where the column has none: documents outside the candidates may hold it too. O(log groups). */
function groupOf(column: ColumnParts, key: Uint8Array): number {
  const group = stringBound(column, key, false);
  return group < column.spellingOf.length && Buffer.compare(textAt(column, group), key) === 0 ? group : -1;
}

/** Tells the original spelling of a value in the lowest of the documents that has it. O(documents of the value) each. */
export function spellerOf(view: IndexView, documents: Ptr, counts: FacetCounts): (counted: CountedString) => string {
  const { kernel } = view;
  // The bits are asked thousands of times: one copy out of the kernel costs less than a few calls into it.
  let liveBits: Uint32Array[] | undefined;
  const bitsOf = (index: number): Uint32Array => {
    liveBits ??= counts.columns.map(({ segment }) => {
      const mark = kernel.mark();
      const bits = kernel.bits(liveIn(view, documents, segment));
      kernel.release(mark);
      return bits;
    });
    return liveBits[index]!;
  };
  return (counted) => {
    let [lowest, spelling]: [number, string | undefined] = [Infinity, undefined];
    counts.columns.forEach(({ column }, index) => {
      const known = counted.groups[index] ?? -1;
      const group = known >= 0 ? known : groupOf(column, counted.key);
      if (group < 0) return;
      const bits = bitsOf(index);
      const { stringDocs, stringOffsets } = column;
      const end = stringOffsets[group + 1] ?? 0;
      for (let entry = stringOffsets[group] ?? 0; entry < end; entry++) {
        const doc = stringDocs[entry]!;
        if (doc >= lowest) return;
        if (((bits[doc >>> 5] ?? 0) & (1 << (doc & 31))) === 0) continue;
        lowest = doc;
        spelling = spellingAt(column, group, entry);
        return;
      }
    });
    return spelling ?? Buffer.from(counted.key).toString('utf8');
  };
}
