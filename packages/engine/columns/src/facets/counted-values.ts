import { compareBytes } from '@fossick/base';
/** Values of a field over all segments, with their counts, in order and lazily. */
import { compareExact, type ExactNumber } from '@fossick/documents/stored';
import type { Bitmap } from '@fossick/kernel';
import { columnReaders } from '../column-readers.js';
import type { ColumnView } from '../port.js';
import type { ColumnReader } from '../reading/column-reader.js';
import { ColumnCounts, type PresentGroup } from '../reading/group-counts.js';

const NO_BYTES: Uint8Array = new Uint8Array(0);

/** A number or string value with the number of candidates that have it. */
export interface CountedNumber {
  readonly value: ExactNumber;
  readonly count: number;
}
export interface CountedString {
  /** UTF-8 of the normalised value. */
  readonly key: Uint8Array;
  readonly count: number;
  /**
   * By column, parallel to `FieldCounts.columns`: the group of the value that candidates have; -1 where there is none.
   */
  readonly groups: readonly number[];
}

/** Counts of one field among the candidates, by column. */
export interface FieldCounts {
  readonly columns: readonly ColumnCounts[];
  readonly candidates: Bitmap;
}

/** Where values are walked, counting is lazy. O(columns), or O(candidates) where they are few. */
export function fieldCounts(view: ColumnView, candidates: Bitmap, field: string): FieldCounts {
  const candidateCount = view.kernel.bitmaps.count(candidates);
  const isAll = candidateCount === view.documentCount;
  const columns = columnReaders(view, field).map(
    (column) => new ColumnCounts(column, isAll ? null : candidates, candidateCount),
  );
  return { columns, candidates };
}

/** Numbers with candidates, ascending or (-1) descending, lazily. O(columns) each */
export function* presentNumbers({ columns }: FieldCounts, step: 1 | -1 = 1): Generator<CountedNumber, void> {
  const heads = columns.map((counts) => new NumberHead(counts, step));
  let open = heads.filter((head) => head.advance());
  while (open.length > 0) {
    let best = open[0]!.value;
    for (const { value } of open) if (compareExact(value, best) * step < 0) best = value;
    let count = 0;
    const same = open.filter(({ value }) => value === best);
    for (const head of same) count += head.count;
    yield { value: best, count };
    for (const head of same) if (!head.advance()) open = open.filter((other) => other !== head);
  }
}

class NumberHead {
  private readonly counts: ColumnCounts;
  count = 0;
  value: ExactNumber = 0;
  private readonly groups: Iterator<PresentGroup, void>;

  constructor(counts: ColumnCounts, step: 1 | -1) {
    this.counts = counts;
    this.groups = counts.present('numbers', 0, counts.column.numberCount, step);
  }

  advance(): boolean {
    const { done, value } = this.groups.next();
    if (done === true || value === undefined) return false;
    this.count = value.count;
    this.value = this.counts.column.numberAt(value.group);
    return true;
  }
}

/** String values with candidates in byte order, lazily. O(columns) each */
export function presentStrings({ columns }: FieldCounts): Generator<CountedString, void> {
  return mergedStrings(
    columns.map((counts) => ({
      column: counts.column,
      groups: counts.present('strings', 0, counts.column.stringCount),
    })),
  );
}

/** String groups of one column, in byte order of their forms, of equal forms in order of groups. */
export interface StringGroups {
  readonly column: ColumnReader;
  readonly groups: Iterator<PresentGroup & { readonly form?: Uint8Array }, void>;
}

/** The same values of several columns merged, in order of forms. Without forms, values are their own. O(columns) each */
export function* mergedStrings(sources: readonly StringGroups[]): Generator<CountedString, void> {
  const heads = sources.map((source, index) => new StringHead(source, index));
  let open = heads.filter((head) => head.advance());
  while (open.length > 0) {
    let best = open[0]!;
    for (const head of open) if (head !== best && head.compare(best) < 0) best = head;
    const { key } = best;
    const groups = sources.map(() => -1);
    let count = 0;
    const same = open.filter((head) => head === best || head.compare(best) === 0);
    for (const head of same) {
      groups[head.index] = head.group;
      count += head.count;
    }
    yield { key, count, groups };
    for (const head of same) if (!head.advance()) open = open.filter((other) => other !== head);
  }
}

/** The position of the merge in one column. */
class StringHead {
  private readonly source: StringGroups;
  readonly index: number;
  group = -1;
  count = 0;
  key = NO_BYTES;
  private form = NO_BYTES;

  constructor(source: StringGroups, index: number) {
    this.source = source;
    this.index = index;
  }

  advance(): boolean {
    const { done, value } = this.source.groups.next();
    if (done === true || value === undefined) return false;
    this.group = value.group;
    this.count = value.count;
    this.key = this.source.column.textAt(value.group);
    this.form = value.form ?? this.key;
    return true;
  }

  /** By form, then by value. */
  compare(other: StringHead): number {
    return compareBytes(this.form, other.form) || compareBytes(this.key, other.key);
  }
}
