import type { SortEntry } from '@fossick/filter';
import type { Ptr } from '@fossick/kernel';
import type { IndexView } from '../view/index-view.js';
import { textAt } from './column-format.js';
import { createGeoSorter } from './geo-sorter.js';
import { liveIn, type OpenColumn, openColumns, orLiveGroups } from './open-column.js';

/** One bucket of a sort rule. */
export interface SortBucket {
  /** A new scratch bitmap. */
  readonly bucket: Ptr;
  /** The number, the normalised string, `{lat, lng}`, or null for documents without a value. */
  readonly value: unknown;
  /** Geo only: metres from the entry's point to the bucket's first point; null without one. */
  readonly distance?: number | null;
}
/** Gives buckets in order. The universe of each call is the last one less what was taken; null once it is empty. */
export interface SortCursor {
  next(universe: Ptr): SortBucket | null;
}

type Side = 'numbers' | 'strings';

class ColumnSorter implements SortCursor {
  readonly #columns: readonly OpenColumn[];
  readonly #step: 1 | -1;
  #side: Side = 'numbers';
  #at: number[];

  constructor(
    readonly view: IndexView,
    field: string,
    isDescending: boolean,
  ) {
    this.#columns = openColumns(view, field);
    this.#step = isDescending ? -1 : 1;
    this.#at = this.#starts('numbers');
  }

  #starts(side: Side): number[] {
    return this.#columns.map((column) => (this.#step === 1 ? 0 : column[side].count - 1));
  }

  next(universe: Ptr): SortBucket | null {
    const { kernel, bitCount } = this.view;
    const bucket = kernel.bitmap(bitCount);
    if (kernel.isEmpty(universe)) return null;
    const mark = kernel.mark();
    let value = this.#take(bucket, universe);
    if (value === undefined && this.#side === 'numbers') {
      this.#side = 'strings';
      this.#at = this.#starts('strings');
      value = this.#take(bucket, universe);
    }
    kernel.release(mark);
    if (value === undefined) {
      kernel.assign(bucket, universe);
      return { bucket, value: null };
    }
    return { bucket, value };
  }

  /** Fills the bucket with the best value's documents; undefined when no value of this side is left in the universe. */
  #take(bucket: Ptr, universe: Ptr): number | string | undefined {
    const { kernel } = this.view;
    let best: number | undefined;
    this.#columns.forEach((open, index) => {
      const table = open[this.#side];
      const from = this.#at[index] ?? -1;
      if (from < 0 || from >= table.count) return;
      const live = liveIn(this.view, universe, open.segment);
      const group = kernel.nextGroup(live, table.offsets, table.docs, table.count, from, this.#step);
      this.#at[index] = group;
      if (group >= 0 && (best === undefined || this.#order(index, best) < 0)) best = index;
    });
    if (best === undefined) return undefined;
    const first = best;
    this.#columns.forEach((open, index) => {
      const group = this.#at[index] ?? -1;
      if (group < 0 || group >= open[this.#side].count || (index !== first && this.#order(index, first) !== 0)) return;
      orLiveGroups(this.view, bucket, open.segment, open[this.#side], group, group + 1);
    });
    kernel.and(bucket, universe);
    const open = this.#columns[first];
    const group = this.#at[first] ?? 0;
    if (open === undefined) return undefined;
    return this.#side === 'numbers'
      ? open.column.numbers[group]
      : Buffer.from(textAt(open.column, group)).toString('utf8');
  }

  /** Order of the values two columns stand at, in the direction of the sort. */
  #order(left: number, right: number): number {
    const [a, b] = [this.#columns[left], this.#columns[right]];
    const [groupA, groupB] = [this.#at[left] ?? 0, this.#at[right] ?? 0];
    if (a === undefined || b === undefined) return 0;
    const order =
      this.#side === 'numbers'
        ? (a.column.numbers[groupA] ?? 0) - (b.column.numbers[groupB] ?? 0)
        : Buffer.compare(textAt(a.column, groupA), textAt(b.column, groupB));
    return order * this.#step;
  }
}

/** A cursor over the buckets of a sort entry or custom rule (spec 11 section 10): numbers, strings, then documents without a value. */
export function createSorter(view: IndexView, entry: SortEntry): SortCursor {
  if (entry.kind === 'geo') return createGeoSorter(view, entry);
  return new ColumnSorter(view, entry.field, entry.direction === 'desc');
}
