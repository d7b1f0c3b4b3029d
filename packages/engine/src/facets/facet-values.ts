import type { Ptr } from '@fossick/kernel';
import type { IndexView } from '../view/index-view.js';
import { type ColumnParts, isSpelledByDocument, spellingAt, textAt } from './column-format.js';
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
  readonly candidates: Ptr;
  /** Ascending, counts above 0. */
  readonly numbers: readonly CountedNumber[];
  /** In byte order, counts above 0. */
  readonly strings: readonly CountedString[];
}

/** Counts of every value of the field among the candidates. O(documents of the field + values log segments). */
export function countFacet(view: IndexView, candidates: Ptr, field: string): FacetCounts {
  const columns = openColumns(view, field);
  const candidateCount = view.kernel.count(candidates);
  const numbers = new Map<number, number>();
  const strings: GroupCounts[] = [];
  for (const open of columns) {
    const mark = view.kernel.mark();
    const [live, share] = shareOf(view, open, candidates, candidateCount);
    const ofNumbers = groupCounts(view, live, share, open.numbers, open.column.numberOffsets);
    ofNumbers.groups.forEach((group, at) => {
      const value = open.column.numbers[group]!;
      numbers.set(value, (numbers.get(value) ?? 0) + ofNumbers.counts[at]!);
    });
    strings.push(groupCounts(view, live, share, open.strings, open.column.stringOffsets));
    view.kernel.release(mark);
  }
  const sorted = [...numbers].map(([value, count]) => ({ value, count })).sort((a, b) => a.value - b.value);
  return { columns, candidates, numbers: sorted, strings: mergeCounts(columns, strings) };
}

/** Of each column, how many candidates have the value of each string group. */
export type StringCounts = readonly Uint32Array[];

/** Counts of all string values of a field's columns among the candidates. O(documents of the field). */
export function countStrings(view: IndexView, columns: readonly OpenColumn[], candidates: Ptr): StringCounts {
  const candidateCount = view.kernel.count(candidates);
  return columns.map((open) => {
    const mark = view.kernel.mark();
    const [live, share] = shareOf(view, open, candidates, candidateCount);
    const { groups, counts } = groupCounts(view, live, share, open.strings, open.column.stringOffsets);
    view.kernel.release(mark);
    if (groups.length === open.strings.count) return counts;
    const all = new Uint32Array(open.strings.count);
    groups.forEach((group, at) => {
      all[group] = counts[at]!;
    });
    return all;
  });
}

/** The candidates that live in the column's segment, and how many of its documents they are. */
function shareOf(
  view: IndexView,
  open: OpenColumn,
  candidates: Ptr,
  candidateCount: number,
): readonly [live: Ptr, share: 'all' | 'few' | 'many'] {
  const isAll = candidateCount === view.documentCount && open.segment.dead === 0;
  const share = isAll ? 'all' : candidateCount * FEW_SHARE < open.column.exists.length ? 'few' : 'many';
  return [liveIn(view, candidates, open.segment), share];
}

/** So many times fewer candidates than documents with the field are counted by their own groups. */
const FEW_SHARE = 4;

/** Groups with a document among the candidates, ascending, and how many each. */
interface GroupCounts {
  readonly groups: Uint32Array;
  readonly counts: Uint32Array;
}

function groupCounts(
  view: IndexView,
  live: Ptr,
  share: 'all' | 'few' | 'many',
  table: GroupTable,
  offsets: Uint32Array,
): GroupCounts {
  const { kernel } = view;
  if (table.count === 0) return { groups: new Uint32Array(0), counts: new Uint32Array(0) };
  const turned = share === 'few' ? table.byDocument() : null;
  if (turned !== null) {
    const [groups, counts] = kernel.countByDocument(live, turned);
    return { groups, counts };
  }
  if (share === 'all') return everyGroup(offsets);
  const counts = kernel.scratch(table.count * 4);
  kernel.countGroups(live, table.offsets, table.docs, table.count, counts);
  return presentGroups(kernel.readU32(counts, table.count));
}

/** Every group has all its documents. O(groups) once for a column. */
function everyGroup(offsets: Uint32Array): GroupCounts {
  let found = sizesByOffsets.get(offsets);
  if (found === undefined) {
    const sizes = new Uint32Array(offsets.length - 1);
    for (let group = 0; group < sizes.length; group++) sizes[group] = offsets[group + 1]! - offsets[group]!;
    found = presentGroups(sizes);
    sizesByOffsets.set(offsets, found);
  }
  return found;
}

/** Columns never change. */
const sizesByOffsets = new WeakMap<Uint32Array, GroupCounts>();

function presentGroups(all: Uint32Array): GroupCounts {
  const groups = new Uint32Array(all.length);
  const counts = new Uint32Array(all.length);
  let present = 0;
  for (let group = 0; group < all.length; group++) {
    if (all[group] === 0) continue;
    groups[present] = group;
    counts[present] = all[group]!;
    present += 1;
  }
  return { groups: groups.subarray(0, present), counts: counts.subarray(0, present) };
}

/** One row of all columns' values in byte order. O(values x columns). */
function mergeCounts(columns: readonly OpenColumn[], counted: readonly GroupCounts[]): CountedString[] {
  const merged: CountedString[] = [];
  const at = columns.map(() => 0);
  const textOf = (index: number): Uint8Array | null => {
    const group = counted[index]!.groups[at[index]!];
    return group === undefined ? null : textAt(columns[index]!.column, group);
  };
  const heads = columns.map((_, index) => textOf(index));
  for (;;) {
    let key: Uint8Array | null = null;
    for (const text of heads) if (text !== null && (key === null || Buffer.compare(text, key) < 0)) key = text;
    if (key === null) return merged;
    let count = 0;
    const groups: number[] = [];
    for (let index = 0; index < heads.length; index++) {
      const text = heads[index]!;
      if (text === null || (text !== key && Buffer.compare(text, key) !== 0)) {
        groups.push(-1);
        continue;
      }
      groups.push(counted[index]!.groups[at[index]!]!);
      count += counted[index]!.counts[at[index]!]!;
      at[index] = at[index]! + 1;
      heads[index] = textOf(index);
    }
    merged.push({ key, count, groups });
  }
}

/** The group of a key, -1 where the column has none: documents outside the candidates may hold it too. O(log groups). */
function groupOf(column: ColumnParts, key: Uint8Array): number {
  const group = stringBound(column, key, false);
  return group < column.spellingOf.length && Buffer.compare(textAt(column, group), key) === 0 ? group : -1;
}

/** The spelling of a value where all its documents agree on it; null where they do not. O(columns). */
function onlySpelling(columns: readonly OpenColumn[], groups: readonly number[]): string | null {
  let found: string | null = null;
  for (let index = 0; index < columns.length; index++) {
    const group = groups[index]!;
    if (group < 0) continue;
    const { column } = columns[index]!;
    if (isSpelledByDocument(column, group)) return null;
    const spelling = spellingAt(column, group, column.stringOffsets[group]!);
    if (found !== null && found !== spelling) return null;
    found = spelling;
  }
  return found;
}

/** Tells the original spelling of a value in the lowest of the documents that has it. O(documents of the value) each. */
export function spellerOf(
  view: IndexView,
  documents: Ptr,
  counts: Pick<FacetCounts, 'columns' | 'candidates'>,
): (counted: Pick<CountedString, 'key' | 'groups'>) => string {
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
    const only = onlySpelling(counts.columns, counted.groups);
    if (only !== null && documents === counts.candidates) return only;
    let [lowest, spelling]: [number, string | undefined] = [Infinity, undefined];
    counts.columns.forEach(({ column }, index) => {
      const known = counted.groups[index] ?? -1;
      // What no candidate has in a column is there for documents beyond them alone.
      const group = known >= 0 || documents === counts.candidates ? known : groupOf(column, counted.key);
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
