import { compareBytes } from '@fossick/base';
import type { SortEntry } from '@fossick/filter';
import type { Bitmap } from '@fossick/kernel';
import { columnReaders } from '../column-readers.js';
import type { ColumnView } from '../port.js';
import type { ColumnReader, Side } from '../reading/column-reader.js';
import { SortedGroups } from '../reading/sorted-groups.js';
import { createGeoSorter } from './geo-sorter.js';
import type { SortBucket, SortCursor } from './sort-cursor.js';

/** A set with this many times fewer documents than the field is sorted by its own values. */
const FEW_SHARE = 64;

/** Position of the walk over the groups of one column. */
class ColumnHead {
  readonly column: ColumnReader;
  readonly side: Side;
  private readonly step: 1 | -1;
  /** The current group, which may have documents of the universe; -1 when no group is left. */
  group = -1;
  private next: number;

  constructor(column: ColumnReader, side: Side, step: 1 | -1) {
    this.column = column;
    this.side = side;
    this.step = step;
    this.next = step === 1 ? 0 : column.groupCount(side) - 1;
  }

  /** Advances to the next group with a document of the universe. */
  advance(universe: Bitmap): void {
    const { column, side, step } = this;
    const count = column.groupCount(side);
    const isOpen = this.next >= 0 && this.next < count;
    this.group = isOpen
      ? column.kernel.columns.nextGroup(column.loadGroups(side), this.next, step, column.live(universe))
      : -1;
    this.next = this.group < 0 ? -1 : this.group + step;
  }

  compare(other: ColumnHead): number {
    return this.side === 'numbers'
      ? this.column.numberAt(this.group) - other.column.numberAt(other.group)
      : compareBytes(this.column.textAt(this.group), other.column.textAt(other.group));
  }
}

/** Walks the groups of all columns in parallel, each from its last value on. */
class ColumnSorter implements SortCursor {
  readonly view: ColumnView;
  private readonly field: string;
  private readonly isDescending: boolean;
  private heads: ColumnHead[] | undefined;
  private side: Side = 'numbers';
  /** Used for a universe of few documents. */
  private few: SortedGroups | undefined;

  constructor(view: ColumnView, field: string, isDescending: boolean) {
    this.view = view;
    this.field = field;
    this.isDescending = isDescending;
  }

  next(universe: Bitmap): SortBucket | null {
    const { kernel, bitCount } = this.view;
    if (kernel.bitmaps.isEmpty(universe)) return null;
    const bucket = kernel.bitmaps.create(bitCount);
    if (this.heads === undefined && this.few === undefined) this.start(universe);
    let value = this.few?.take(bucket, universe) ?? this.take(bucket, universe);
    if (value === undefined && this.heads !== undefined && this.side === 'numbers') {
      this.enter('strings', universe);
      value = this.take(bucket, universe);
    }
    if (value !== undefined) return { bucket, value };
    kernel.bitmaps.or(bucket, universe);
    return { bucket, value: null };
  }

  private start(universe: Bitmap): void {
    const columns = columnReaders(this.view, this.field);
    const docCount = columns.reduce((sum, column) => sum + column.docCount, 0);
    const isFew = this.view.kernel.bitmaps.count(universe) * FEW_SHARE < docCount;
    // making the forward columns costs more than one walk
    if (isFew && columns.every((column) => column.prepareForward() !== null))
      this.few = new SortedGroups(columns, universe, this.isDescending);
    else this.enter('numbers', universe, columns);
  }

  private enter(side: Side, universe: Bitmap, columns = this.heads!.map(({ column }) => column)): void {
    this.side = side;
    const step = this.isDescending ? -1 : 1;
    this.heads = columns.map((column) => new ColumnHead(column, side, step));
    for (const head of this.heads) head.advance(universe);
  }

  /** Fills the bucket with the best value's documents; undefined when no value of this side is left in the universe. */
  private take(bucket: Bitmap, universe: Bitmap): number | string | undefined {
    const { kernel } = this.view;
    for (;;) {
      const open = this.heads?.filter(({ group }) => group >= 0) ?? [];
      const [first] = open;
      if (first === undefined) return undefined;
      let best = first;
      const sign = this.isDescending ? -1 : 1;
      for (const head of open) if (head !== best && head.compare(best) * sign < 0) best = head;
      const value = best.column.valueAt(this.side, best.group);
      const same = open.filter((head) => head === best || head.compare(best) === 0);
      for (const { column, side, group } of same)
        kernel.columns.orGroups(bucket, column.loadGroups(side), group, group + 1, column.live(universe));
      for (const head of same) head.advance(universe);
      // all its documents may have left the universe since it was found
      if (!kernel.bitmaps.isEmpty(bucket)) return value;
    }
  }
}

/** A cursor over the buckets of a sort entry or custom rule: numbers, strings, then documents without a value. */
export function createSorter(view: ColumnView, entry: SortEntry): SortCursor {
  if (entry.kind === 'geo') return createGeoSorter(view, entry);
  return new ColumnSorter(view, entry.field, entry.direction === 'desc');
}
