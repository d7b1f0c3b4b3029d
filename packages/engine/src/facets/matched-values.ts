import { textAt } from './column-format.js';
import type { FormTable } from './facet-forms.js';
import type { OpenColumn } from './open-column.js';

/** Places [from, to) in the order of a column's forms. */
export type PlaceRange = readonly [from: number, to: number];

/** A value of several columns. */
export interface MatchedValue {
  /** Its group in each column; -1 where the column has none. */
  readonly groups: number[];
  /** For whoever counts. */
  count: number;
  /** UTF-8 of the normalised value. */
  readonly key: Uint8Array;
}

/** Where the merge stands in one column. */
class ColumnWalk {
  group = -1;
  #place = -1;
  #range = -1;

  constructor(
    readonly column: OpenColumn['column'],
    readonly table: FormTable | null,
    readonly ranges: readonly PlaceRange[],
  ) {
    this.advance();
  }

  /** Goes to the next matched group; -1 behind the last. */
  advance(): void {
    this.#place += 1;
    while (this.#range < 0 || (this.#range < this.ranges.length && this.#place >= this.ranges[this.#range]![1])) {
      this.#range += 1;
      if (this.#range >= this.ranges.length) break;
      this.#place = this.ranges[this.#range]![0];
    }
    if (this.#range >= this.ranges.length) this.group = -1;
    else this.group = this.table === null ? this.#place : this.table.groups[this.#place]!;
  }

  get key(): Uint8Array {
    return textAt(this.column, this.group);
  }

  /** By form, then by value. */
  compare(other: ColumnWalk): number {
    const byForm = this.table === null ? 0 : Buffer.compare(this.table.at(this.#place), other.table!.at(other.#place));
    return byForm === 0 ? Buffer.compare(this.key, other.key) : byForm;
  }
}

/**
 * The matched values of all columns in the order of their forms, or of their values without tables. Each is the same object anew: good
 * until the next one is asked for. O(values * columns).
 */
export function* matchedValues(
  columns: readonly OpenColumn[],
  tables: readonly FormTable[] | null,
  ranges: readonly (readonly PlaceRange[])[],
): Iterable<MatchedValue> {
  const walks = columns.map(({ column }, index) => new ColumnWalk(column, tables?.[index] ?? null, ranges[index]!));
  const groups = columns.map(() => -1);
  let first = 0;
  const value: MatchedValue = {
    groups,
    count: 0,
    get key() {
      return textAt(columns[first]!.column, groups[first]!);
    },
  };
  for (;;) {
    first = -1;
    for (let index = 0; index < walks.length; index++)
      if (walks[index]!.group >= 0 && (first < 0 || walks[index]!.compare(walks[first]!) < 0)) first = index;
    if (first < 0) return;
    const least = walks[first]!;
    const isSame = walks.map((walk) => walk === least || (walk.group >= 0 && walk.compare(least) === 0));
    walks.forEach((walk, index) => {
      groups[index] = isSame[index] ? walk.group : -1;
      if (isSame[index]) walk.advance();
    });
    yield value;
  }
}
