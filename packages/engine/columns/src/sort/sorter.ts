import { compareBytes, type DocIds, utf8Text } from '@fossick/base';
import { compareExact, type ExactNumber } from '@fossick/documents/stored';
import type { SortEntry } from '@fossick/filter';
import type { Bitmap } from '@fossick/kernel';
import { columnReaders } from '../column-readers.js';
import type { PointDistance } from '../geo/geo-nearest.js';
import type { ColumnView } from '../port.js';
import type { ColumnReader, Side } from '../reading/column-reader.js';
import type { GroupRun } from '../reading/group-runs.js';
import { SortedGroups } from '../reading/sorted-groups.js';
import { type GeoEntry, isOfBucket, orderedPoints } from './geo-order.js';
import type { SortBucket, SortCursor } from './sort-cursor.js';

/** The cursor of `_geoPoint(lat,lng)`. Points are found lazily, as buckets are read. */
function createGeoSorter(view: ColumnView, entry: GeoEntry): SortCursor {
  const { kernel } = view;
  let cursor: PointCursor | undefined;
  return {
    next(universe: Bitmap, bucket: Bitmap): SortBucket | null {
      if (kernel.bitmaps.isEmpty(universe)) return null;
      cursor ??= new PointCursor(view, entry, universe);
      let first: PointDistance | undefined;
      let count = 0;
      for (let point = cursor.current; point !== undefined; point = cursor.current) {
        if (kernel.bitmaps.has(universe, point.doc)) {
          first ??= point;
          if (!isOfBucket(first, count, point)) break;
          kernel.bitmaps.set(bucket, point.doc);
          count += 1;
        }
        cursor.advance();
      }
      if (first === undefined) {
        kernel.bitmaps.or(bucket, universe);
        return { value: null, distance: null };
      }
      return { value: { lat: first.lat, lng: first.lng }, distance: first.distance };
    },
  };
}

/** Points in the order of the sort. */
class PointCursor {
  current: PointDistance | undefined;
  private readonly cursor: Iterator<PointDistance, void>;

  constructor(view: ColumnView, entry: GeoEntry, universe: Bitmap) {
    this.cursor = orderedPoints(view, entry, universe);
    this.advance();
  }

  advance(): void {
    const { done, value } = this.cursor.next();
    this.current = done === true || value === undefined ? undefined : value;
  }
}

/** A set with this many times fewer documents than the field is sorted by its own values. */
const FEW_SHARE = 64;
/** Buckets of at most this many documents list these: whether there is one is then known without a look at the rest of the bitmap. */
const SPARSE_DOCS = 500;
/** With this many documents a page is found within few runs, unless their values lie close to one end. */
const SHORT_WALK_DOCS = 256;

/** Position of the walk over the groups of one column. */
class ColumnHead {
  readonly column: ColumnReader;
  readonly side: Side;
  private readonly step: 1 | -1;
  /** The current group, which may have documents of the universe; -1 when no group is left. */
  group = -1;
  private next: number;
  private run: GroupRun | undefined;

  /** @param run all groups, if most of them will be walked over */
  constructor(column: ColumnReader, side: Side, step: 1 | -1, run: GroupRun | undefined) {
    this.column = column;
    this.side = side;
    this.step = step;
    this.run = run;
    this.next = step === 1 ? 0 : column.groupCount(side) - 1;
  }

  /** Advances to the next group with a document of the universe. */
  advance(universe: Bitmap): void {
    const { column, side, step } = this;
    const count = column.groupCount(side);
    this.group = -1;
    while (this.group < 0 && this.next >= 0 && this.next < count) {
      if (this.run === undefined || this.next < this.run.from || this.next >= this.run.to)
        this.run = column.runs.at(side, this.next);
      const { from, to, groups } = this.run;
      const found = column.kernel.columns.nextGroup(groups, this.next - from, step, column.live(universe));
      if (found >= 0) this.group = from + found;
      this.next = found >= 0 ? this.group + step : step === 1 ? to : from - 1;
    }
  }

  compare(other: ColumnHead): number {
    return this.side === 'numbers'
      ? compareExact(this.run!.numberAt(this.group), other.run!.numberAt(other.group))
      : compareBytes(this.run!.textAt(this.group), other.run!.textAt(other.group));
  }

  value(): ExactNumber | string {
    return this.side === 'numbers' ? this.run!.numberAt(this.group) : utf8Text(this.run!.textAt(this.group));
  }

  /** target |= documents of the group that are in the universe. */
  or(target: Bitmap, universe: Bitmap): void {
    const { column, group } = this;
    const { from, groups } = this.run!;
    column.kernel.columns.orGroups(target, groups, group - from, group - from + 1, column.live(universe));
  }
}

/** Walks the groups of all columns in parallel, each from its last value on. */
class ColumnSorter implements SortCursor {
  readonly view: ColumnView;
  private readonly field: string;
  private readonly isDescending: boolean;
  private heads: ColumnHead[] | undefined;
  private side: Side = 'numbers';
  /** Whether most groups will be walked over. */
  private isLongWalk = false;
  /** Used for a universe of few documents. */
  private sorted: SortedGroups | undefined;

  constructor(view: ColumnView, field: string, isDescending: boolean) {
    this.view = view;
    this.field = field;
    this.isDescending = isDescending;
  }

  next(universe: Bitmap, bucket: Bitmap): SortBucket | null {
    const { kernel } = this.view;
    if (kernel.bitmaps.isEmpty(universe)) return null;
    if (this.heads === undefined && this.sorted === undefined) this.start(universe);
    let value = this.sorted?.take(bucket, universe) ?? this.take(bucket, universe);
    if (value === undefined && this.heads !== undefined && this.side === 'numbers') {
      this.enter('strings', universe);
      value = this.take(bucket, universe);
    }
    if (value !== undefined) return { value };
    kernel.bitmaps.or(bucket, universe);
    return { value: null };
  }

  private start(universe: Bitmap): void {
    const columns = columnReaders(this.view, this.field);
    const docCount = columns.reduce((sum, column) => sum + column.docCount, 0);
    const count = this.view.kernel.bitmaps.count(universe);
    this.isLongWalk = count < SHORT_WALK_DOCS && count * FEW_SHARE < docCount;
    const isWhole = columns.some((column) => column.isLoaded('numbers') || column.isLoaded('strings'));
    // making the forward columns costs more than one walk
    if (
      count * FEW_SHARE < docCount &&
      (this.isLongWalk || isWhole) &&
      columns.every((column) => column.prepareForward() !== null)
    )
      this.sorted = new SortedGroups(columns, universe, this.isDescending);
    else this.enter('numbers', universe, columns);
  }

  private enter(side: Side, universe: Bitmap, columns = this.heads!.map(({ column }) => column)): void {
    this.side = side;
    const step = this.isDescending ? -1 : 1;
    this.heads = columns.map((column) => {
      const run = this.isLongWalk && column.groupCount(side) > 0 ? column.runs.all(side) : undefined;
      return new ColumnHead(column, side, step, run);
    });
    for (const head of this.heads) head.advance(universe);
  }

  /** Fills the bucket with the best value's documents; undefined when no value of this side is left in the universe. */
  private take(bucket: Bitmap, universe: Bitmap): ExactNumber | string | undefined {
    const { kernel } = this.view;
    for (;;) {
      const open = this.heads?.filter(({ group }) => group >= 0) ?? [];
      const [first] = open;
      if (first === undefined) return undefined;
      let best = first;
      const sign = this.isDescending ? -1 : 1;
      for (const head of open) if (head !== best && head.compare(best) * sign < 0) best = head;
      const value = best.value();
      const same = open.filter((head) => head === best || head.compare(best) === 0);
      for (const head of same) head.or(bucket, universe);
      for (const head of same) head.advance(universe);
      kernel.bitmaps.isSparse(bucket, SPARSE_DOCS);
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

/**
 * Calls `visit` with the documents of each next value of the field until it returns false: numbers, then strings, one list for each segment.
 * A document with several values comes with the first of them in the order, and one without a value not at all. The universe is read at the
 * start; `visit` may change it. Takes 8 bytes for each document while it runs. O(documents of the universe * log of them + their values * segments).
 */
export function eachSortValue(
  view: ColumnView,
  universe: Bitmap,
  { field, direction }: Extract<SortEntry, { kind: 'field' }>,
  visit: (lists: readonly DocIds[]) => boolean,
): void {
  new SortedGroups(columnReaders(view, field), universe, direction === 'desc').eachValue(visit);
}
