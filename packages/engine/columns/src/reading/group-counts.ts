/** The number of documents of a set in each group of a column, by the cheapest method for the set and the column. */
import { stepInBudget } from '@fossick/base';
import type { Bitmap, GroupCounts, LiveDocs } from '@fossick/kernel';
import { lowerBound } from '../bytes/lower-bound.js';
import type { ColumnReader, Side } from './column-reader.js';

/**
 * Candidates may be counted by their own groups when there are this many times fewer of them than documents with the
 * field.
 */
const FEW_SHARE = 4;
/** The same for columns with few groups: making the forward column costs as much as fifty walks over the column, and as much memory again. */
const FEW_OF_SMALL_SHARE = 32;
/** Groups with fewer documents than that on average are counted lazily instead of all at once. */
const SMALL_GROUP_DOCS = 8;
/**
 * When there are this many times fewer candidates than groups, their groups are found at once even where few are wanted.
 */
const SPARSE_SHARE = 16;
/** Columns with at most this many groups are counted once as a whole: each of several walks would cost as much. */
const WHOLE_GROUPS = 1_024;
/** The most groups of the first piece of a lazy walk; each next piece has twice as many, up to a bound. */
const FIRST_PIECE = 32;
const PIECE_MAX = 8_192;

/** A group of one side with a document among the candidates. */
export interface PresentGroup {
  group: number;
  count: number;
}

/** A piece of counted groups. */
interface Piece extends GroupCounts {
  /** The offset to subtract from their numbers. */
  readonly base: number;
  /** Whether the piece ascends, whatever the requested order. */
  readonly isAscending: boolean;
}

/** Counts of one column among the candidates; valid until the view ends. */
export class ColumnCounts {
  readonly column: ColumnReader;
  private readonly live: LiveDocs;
  private readonly candidateCount: number;
  /** Counts of all groups by their documents; string groups follow number groups. */
  private readonly counted: GroupCounts | null;
  private readonly wholes: Partial<Record<Side, GroupCounts>> = {};

  constructor(
    column: ColumnReader,
    /** null: all documents. */
    candidates: Bitmap | null,
    candidateCount: number,
  ) {
    this.column = column;
    this.candidateCount = candidateCount;
    this.live = column.live(candidates ?? 0);
    this.counted = candidates === null ? null : countedByDocument(column, this.live, candidateCount);
  }

  /** O(documents of the group) at most */
  countOf(side: Side, group: number): number {
    const { column } = this;
    if (this.counted !== null) {
      const { groups, counts } = this.counted;
      const wanted = side === 'numbers' ? group : group + column.numberCount;
      const at = lowerBound(groups, wanted);
      return groups[at] === wanted ? counts[at]! : 0;
    }
    if (this.live.universe === 0 && this.live.deleted === 0) return column.sizeOf(side, group);
    return column.kernel.columns.countGroups(column.loadGroups(side), group, group + 1, this.live)[0]!;
  }

  /** The number of documents in each group of a side. O(entries) */
  all(side: Side): Uint32Array {
    const { column } = this;
    const count = column.groupCount(side);
    if (this.counted === null)
      return count === 0 ? new Uint32Array(0) : column.windows[side].counts(this.live, this.candidateCount);
    const counts = new Uint32Array(count);
    const base = side === 'numbers' ? 0 : column.numberCount;
    const [from, to] = this.countedRange(base, base + count);
    for (let at = from; at < to; at++) counts[this.counted.groups[at]! - base] = this.counted.counts[at]!;
    return counts;
  }

  /** Present groups of [from, to), in that order or (-1) from the last one on. Yields the same object each time. O(documents visited) */
  *present(side: Side, from: number, to: number, step: 1 | -1 = 1): Generator<PresentGroup, void> {
    if (from >= to) return;
    const current = { group: 0, count: 0 };
    for (const { groups, counts, base, isAscending } of this.pieces(side, from, to, step)) {
      const isReversed = isAscending && step === -1;
      for (let i = 0; i < groups.length; i++) {
        stepInBudget();
        const at = isReversed ? groups.length - 1 - i : i;
        current.group = groups[at]! - base;
        current.count = counts[at]!;
        yield current;
      }
    }
  }

  private *pieces(side: Side, from: number, to: number, step: 1 | -1): Generator<Piece> {
    const { column } = this;
    if (this.counted !== null) {
      const base = side === 'numbers' ? 0 : column.numberCount;
      const [start, end] = this.countedRange(base + from, base + to);
      const { groups, counts } = this.counted;
      yield { groups: groups.subarray(start, end), counts: counts.subarray(start, end), base, isAscending: true };
      return;
    }
    if (column.groupCount(side) <= WHOLE_GROUPS) {
      const { groups, counts } = this.whole(side);
      const [start, end] = [lowerBound(groups, from), lowerBound(groups, to)];
      yield { groups: groups.subarray(start, end), counts: counts.subarray(start, end), base: 0, isAscending: true };
      return;
    }
    let at = step === 1 ? from : to - 1;
    const end = step === 1 ? to : from - 1;
    for (let limit = FIRST_PIECE; at !== end; limit = Math.min(limit * 2, PIECE_MAX)) {
      const piece = column.kernel.columns.presentGroups(
        column.loadGroups(side),
        { from: at, to: end, step },
        limit,
        this.live,
      );
      yield { ...piece, base: 0, isAscending: step === 1 };
      if (piece.groups.length < limit) return;
      at = piece.groups[limit - 1]! + step;
    }
  }

  /** All present groups of a side with few groups. */
  private whole(side: Side): GroupCounts {
    this.wholes[side] ??= presentOf(this.all(side));
    return this.wholes[side];
  }

  private countedRange(from: number, to: number): readonly [start: number, end: number] {
    const { groups } = this.counted!;
    return [lowerBound(groups, from), lowerBound(groups, to)];
  }
}

function countedByDocument(column: ColumnReader, live: LiveDocs, candidateCount: number): GroupCounts | null {
  const groupCount = column.numberCount + column.stringCount;
  const share = groupCount <= WHOLE_GROUPS ? FEW_OF_SMALL_SHARE : FEW_SHARE;
  if (candidateCount * share >= column.docCount) return null;
  if (candidateCount * SPARSE_SHARE > groupCount && column.docCount < groupCount * SMALL_GROUP_DOCS) return null;
  const forward = column.prepareForward();
  return forward === null ? null : column.kernel.columns.countByDocument(forward, live);
}

function presentOf(all: Uint32Array): GroupCounts {
  const groups = Uint32Array.from(all.keys()).filter((group) => all[group]! > 0);
  return { groups, counts: groups.map((group) => all[group]!) };
}
