import type { DocId } from '@fossick/base';

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
