/** All values of a field side by side, with the counts of candidates: for the order by count, which needs all of them. */

import { type DocId, stepInBudget } from '@fossick/base';
import type { ExactNumber } from '@fossick/documents/stored';
import { GrowingWords } from '../bytes/growing.js';
import type { ColumnView } from '../port.js';
import type { ColumnReader, Side } from '../reading/column-reader.js';
import { ColumnCounts } from '../reading/group-counts.js';
import type { CountedNumber, CountedString, FieldCounts } from './counted-values.js';
import type { TwinValues } from './twin-values.js';

/**
 * Which of several values with the same count are shown where `maxValuesPerFacet` cuts among them.
 *
 * Clients of the protocol see the order of a tree: the values of the index in ascending order are its leaves, every four neighbours make
 * a group, every four groups one of the next level. The tree is walked from its top, the greatest count first; of equal counts the lower
 * level comes first, then the larger value. A group counts the candidates that have any of its values, so that a value stays hidden
 * after a group that counts no more than the value itself: values are ordered by the number of such groups above them, then the larger
 * first.
 *
 * The shape of the tree is the one of an index that was filled by one batch. Where several batches filled it, other servers have a tree
 * that depends on their sizes and order; here the answer depends only on the content of the index.
 */

const GROUP_SHIFT = 2;
/** A level of fewer groups than this is the top level. */
const GROUPS_BELOW_MIN = 20;
/** Up to this many values there is at most one level of groups. */
const ONE_LEVEL_VALUES_MAX = 1_000;

/**
 * The present values (those of some candidate), by index, ascending; a value that is a number and a text is among the numbers; a few words of memory for each value of the index, and
 * no object.
 */
export class ValueTable<Value extends CountedNumber | CountedString> {
  private readonly view: ColumnView;
  private readonly fieldCounts: FieldCounts;
  private readonly side: Side;
  /** The number of candidates with each value. */
  readonly counts: Uint32Array;
  /** The rank of each among all values of the index. */
  private readonly ranks: Uint32Array;
  private readonly columnOf: Uint32Array;
  private readonly groupOf: Uint32Array;
  /** The number of values of the index. */
  private readonly indexCount: number;

  private constructor(view: ColumnView, fieldCounts: FieldCounts, side: Side, merged: MergedGroups, twins: TwinValues) {
    this.view = view;
    this.fieldCounts = fieldCounts;
    this.side = side;
    const present = new GrowingWords();
    const presentCounts = new GrowingWords();
    const { counts } = merged;
    const countOf = (rank: number): number => {
      const count = counts[rank]!;
      if (count === 0 || !twins.isMixed) return count;
      const { column } = fieldCounts.columns[merged.columns[rank]!]!;
      const group = merged.groups[rank]!;
      if (side === 'numbers') return twins.countWithText({ value: column.numberAt(group), count });
      return twins.isNumberToo(column.textAt(group)) ? 0 : count;
    };
    for (let rank = 0; rank < counts.length; rank++) {
      stepInBudget();
      const count = countOf(rank);
      if (count === 0) continue;
      present.push(rank);
      presentCounts.push(count);
    }
    this.ranks = present.from(0);
    this.indexCount = counts.length;
    this.counts = presentCounts.from(0);
    this.columnOf = this.ranks.map((rank) => merged.columns[rank]!);
    this.groupOf = this.ranks.map((rank) => merged.groups[rank]!);
  }

  /** O(values of the index * segments) */
  static ofNumbers(view: ColumnView, counts: FieldCounts, twins: TwinValues): ValueTable<CountedNumber> {
    return new ValueTable(view, counts, 'numbers', mergedNumbers(groupSums(counts, 'numbers')), twins);
  }

  /** O(values of the index * log segments) */
  static ofStrings(view: ColumnView, counts: FieldCounts, twins: TwinValues): ValueTable<CountedString> {
    return new ValueTable(view, counts, 'strings', mergedStrings(groupSums(counts, 'strings')), twins);
  }

  /**
   * All values by count, the greatest first; of equal counts the larger first, or as firstOfTied chooses where `limit` cuts among them.
   * Values after the limit are sorted on demand.
   */
  *byCount(limit: number): Generator<Value, void> {
    const { counts } = this;
    const all = Uint32Array.from(counts.keys());
    const inOrder = (indexes: Uint32Array): Uint32Array => indexes.sort((a, b) => counts[b]! - counts[a]! || b - a);
    if (limit >= counts.length) {
      for (const index of inOrder(all)) yield this.valueAt(index);
      return;
    }
    const least = limit === 0 ? Infinity : counts.toSorted()[counts.length - limit]!;
    const above = inOrder(all.filter((index) => counts[index]! > least));
    const tied = all.filter((index) => counts[index] === least);
    const isCut = above.length + tied.length > limit;
    const chosen = isCut ? firstOfTied(this.presentValues(), tied, limit - above.length) : [...tied].reverse();
    for (const index of above) yield this.valueAt(index);
    for (const index of chosen) yield this.valueAt(index);
    const shown = new Set([...above, ...chosen]);
    for (const index of inOrder(all.filter((one) => !shown.has(one)))) yield this.valueAt(index);
  }

  private valueAt(index: number): Value {
    stepInBudget();
    const column = this.columnAt(index);
    const group = this.groupOf[index]!;
    const count = this.counts[index]!;
    const found: CountedNumber | CountedString =
      this.side === 'numbers'
        ? { value: column.numberAt(group), count }
        : { key: column.textAt(group), count, groups: this.groupsAt(index) };
    return found as Value;
  }

  private columnAt(index: number): ColumnReader {
    return this.fieldCounts.columns[this.columnOf[index]!]!.column;
  }

  /** The group of a value in each column; -1 where the column lacks it. */
  private groupsAt(index: number): number[] {
    const [home, group] = [this.columnAt(index), this.groupOf[index]!];
    const { columns } = this.fieldCounts;
    if (this.side === 'numbers') return columns.map(({ column }) => column.groupOfNumber(home.numberAt(group)));
    const key = home.textAt(group);
    return columns.map(({ column }) => column.groupOfText(key));
  }

  private presentValues(): PresentValues {
    const { columns, candidates } = this.fieldCounts;
    const { kernel } = this.view;
    const isCandidate = ({ segment }: ColumnReader, doc: DocId): boolean =>
      kernel.bitmaps.has(candidates, doc) && (segment.deleted === 0 || !kernel.bitmaps.has(segment.deleted, doc));
    const documents = (index: number): DocId[] =>
      this.groupsAt(index).flatMap((group, at) => {
        const { column } = columns[at]!;
        return group < 0 ? [] : [...column.docsIn(this.side, group)].filter((doc) => isCandidate(column, doc));
      });
    let [latest, latestDocs] = [-1, new Set<DocId>()];
    return {
      counts: this.counts,
      indexValueCount: this.indexCount,
      rankOf: (index) => this.ranks[index]!,
      documentsOf: documents,
      isIn: (index, document) => {
        if (index !== latest) [latest, latestDocs] = [index, new Set(documents(index))];
        return latestDocs.has(document);
      },
    };
  }
}

/** The counts of one column by group, and the number of live documents of each (null: each has some). */
interface GroupSums {
  readonly column: ColumnReader;
  readonly counts: Uint32Array;
  readonly live: Uint32Array | null;
}

function groupSums({ columns }: FieldCounts, side: Side): GroupSums[] {
  return columns.map((own) => {
    const { column } = own;
    const live = column.segment.deleted === 0 ? null : new ColumnCounts(column, null, 0).all(side);
    return { column, counts: own.all(side), live };
  });
}

/** Each distinct value with a live document, ascending: its sum of counts, and its group in one column. */
interface MergedGroups {
  readonly counts: Uint32Array;
  readonly columns: Uint32Array;
  readonly groups: Uint32Array;
}

function mergedStrings(sums: readonly GroupSums[]): MergedGroups {
  const [counts, columns, groups] = [new GrowingWords(), new GrowingWords(), new GrowingWords()];
  const [first] = sums;
  if (first !== undefined)
    first.column.kernel.texts.merge(
      sums.map(({ column, ...own }) => ({ texts: column.loadTexts(), ...own })),
      (column, group, count) => {
        columns.push(column);
        groups.push(group);
        counts.push(count);
      },
    );
  return { counts: counts.from(0), columns: columns.from(0), groups: groups.from(0) };
}

function mergedNumbers(sums: readonly GroupSums[]): MergedGroups {
  const [counts, columns, groups] = [new GrowingWords(), new GrowingWords(), new GrowingWords()];
  const values = sums.map(({ column }) => column.allNumbers());
  const at = sums.map(() => 0);
  for (;;) {
    stepInBudget();
    let least: ExactNumber = Infinity;
    for (let i = 0; i < sums.length; i++) {
      const { live } = sums[i]!;
      if (live !== null) while (live[at[i]!] === 0) at[i]! += 1;
      const value = values[i]![at[i]!];
      if (value !== undefined && value < least) least = value;
    }
    if (least === Infinity) break;
    let [count, home] = [0, -1];
    for (let i = 0; i < sums.length; i++) {
      if (values[i]![at[i]!] !== least) continue;
      count += sums[i]!.counts[at[i]!]!;
      if (home < 0) {
        home = i;
        columns.push(i);
        groups.push(at[i]!);
      }
      at[i]! += 1;
    }
    counts.push(count);
  }
  return { counts: counts.from(0), columns: columns.from(0), groups: groups.from(0) };
}

/** The present values of one field (those of some candidate), by index, ascending by value. */
export interface PresentValues {
  /** The number of candidates with each value. */
  readonly counts: ArrayLike<number>;
  /** The number of values of the whole index, present or not. */
  readonly indexValueCount: number;
  /** The rank of a value among those of the whole index; ascending. */
  rankOf(index: number): number;
  /** The candidates with a value, in any order. */
  documentsOf(index: number): Iterable<DocId>;
  /** Whether a candidate has a value. */
  isIn(index: number, document: DocId): boolean;
}

/**
 * The first `wanted` of the indexes in `tied`, which are ascending and have the same count, in shown order. Ends as soon as enough are
 * found; O(entries of the present values * levels) at worst, mostly O(wanted).
 */
export function firstOfTied(values: PresentValues, tied: ArrayLike<number>, wanted: number): number[] {
  const levelCount = levelsOver(values.indexValueCount);
  const byHidingLevels: number[][] = Array.from({ length: levelCount + 1 }, () => []);
  const groups = new GroupCounts(values);
  for (let at = tied.length - 1; at >= 0 && byHidingLevels[0]!.length < wanted; at--) {
    const index = tied[at]!;
    let level = 0;
    while (level < levelCount && groups.isCountedAs(index, level + 1)) level += 1;
    byHidingLevels[level]!.push(index);
  }
  return byHidingLevels.flat().slice(0, wanted);
}

function levelsOver(valueCount: number): number {
  let levels = 0;
  for (let count = valueCount; count >= GROUPS_BELOW_MIN; count = Math.ceil(count / (1 << GROUP_SHIFT))) levels += 1;
  return valueCount <= ONE_LEVEL_VALUES_MAX ? Math.min(1, levels) : levels;
}

/** Caches which groups count no more than their members of the tied count: each group is evaluated once. */
class GroupCounts {
  private readonly values: PresentValues;
  private readonly known = new Map<string, boolean>();

  constructor(values: PresentValues) {
    this.values = values;
  }

  /** Whether the group above a value on a level counts as many candidates as the value: all that have any of its values have this one. */
  isCountedAs(index: number, level: number): boolean {
    const shift = GROUP_SHIFT * level;
    const group = this.groupOf(index, shift);
    const key = `${level}:${group}`;
    let isSame = this.known.get(key);
    if (isSame === undefined) {
      isSame = this.areWithin(index, this.neighbours(index, group, shift));
      this.known.set(key, isSame);
    }
    return isSame;
  }

  private groupOf(index: number, shift: number): number {
    return Math.floor(this.values.rankOf(index) / 2 ** shift);
  }

  /** The other indexes of a group, by increasing distance. */
  private *neighbours(index: number, group: number, shift: number): Iterable<number> {
    const { counts } = this.values;
    for (let at = index + 1; at < counts.length && this.groupOf(at, shift) === group; at++) yield at;
    for (let at = index - 1; at >= 0 && this.groupOf(at, shift) === group; at--) yield at;
  }

  private areWithin(index: number, others: Iterable<number>): boolean {
    const { counts } = this.values;
    for (const other of others) {
      if (counts[other]! > counts[index]!) return false;
      for (const document of this.values.documentsOf(other)) if (!this.values.isIn(index, document)) return false;
    }
    return true;
  }
}
