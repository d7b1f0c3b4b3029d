import type { GroupsByDocument, Kernel, Ptr } from '@fossick/kernel';
import type { IndexView, SegmentView } from '../view/index-view.js';
import { type ColumnParts, readColumn, textAt } from './column-format.js';

/** Kernel bytes that columns may keep between searches; what goes over lives in scratch for one search. */
const RESIDENT_BYTES_MAX = 256 * 2 ** 20;

/** Groups of docids in kernel memory. */
export interface GroupTable {
  readonly count: number;
  readonly offsets: Ptr;
  readonly docs: Ptr;
  /** The same by document, or null where that is not kept. Makes it when it was asked for a few times. */
  readonly byDocument: () => GroupsByDocument | null;
}
/** One field of one segment, ready for scans. */
export interface OpenColumn {
  readonly segment: SegmentView;
  readonly column: ColumnParts;
  readonly numbers: GroupTable;
  readonly strings: GroupTable;
}

/** What a segment has of one field, kept while the segment is open: it never changes, whatever is committed. */
interface Resident {
  readonly field: string;
  readonly segment: SegmentView;
  readonly column: ColumnParts;
  readonly base: Ptr;
  byteCount: number;
  readonly numbers: GroupTable;
  readonly strings: GroupTable;
  /** What was turned around by document. */
  readonly turned: GroupsByDocument[];
}
/** Columns of one kernel by segment, least recently used first. */
class ColumnCache {
  readonly entries = new Set<Resident>();
  readonly bySegment = new Map<SegmentView, Map<string, Resident>>();
  heldBytes = 0;

  add(entry: Resident): void {
    let ofSegment = this.bySegment.get(entry.segment);
    if (ofSegment === undefined) {
      ofSegment = new Map();
      this.bySegment.set(entry.segment, ofSegment);
    }
    ofSegment.set(entry.field, entry);
    this.entries.add(entry);
    this.heldBytes += entry.byteCount;
  }

  drop(kernel: Kernel, entry: Resident): void {
    kernel.free(entry.base);
    for (const { ptr } of entry.turned) kernel.free(ptr);
    this.heldBytes -= entry.byteCount;
    this.entries.delete(entry);
    this.bySegment.get(entry.segment)?.delete(entry.field);
  }
}
const caches = new WeakMap<Kernel, ColumnCache>();

function cacheOf(kernel: Kernel): ColumnCache {
  let cache = caches.get(kernel);
  if (cache === undefined) {
    cache = new ColumnCache();
    caches.set(kernel, cache);
  }
  return cache;
}

/** Frees the columns of a segment that is closed. */
export function closeColumns(kernel: Kernel, segment: SegmentView): void {
  const cache = cacheOf(kernel);
  for (const entry of cache.bySegment.get(segment)?.values() ?? []) cache.drop(kernel, entry);
  cache.bySegment.delete(segment);
}

/** The field's columns, one for each segment that has it. Pointers are good until the view ends (or the scratch mark, over budget). */
export function openColumns(view: IndexView, field: string): OpenColumn[] {
  const open: OpenColumn[] = [];
  for (const segment of view.segments) {
    const resident = residentOf(view, segment, field);
    if (resident === undefined) continue;
    open.push(resident);
  }
  return open;
}

function residentOf(view: IndexView, segment: SegmentView, field: string): Resident | undefined {
  const { kernel } = view;
  const cache = cacheOf(kernel);
  const known = cache.bySegment.get(segment)?.get(field);
  if (known !== undefined) {
    cache.entries.delete(known); // moves it to the young end
    cache.entries.add(known);
    return known;
  }
  const bytes = segment.facetColumn(field);
  if (bytes === undefined) return undefined;
  const column = readColumn(bytes);
  const sections = [column.numberOffsets, column.numberDocs, column.stringOffsets, column.stringDocs];
  const byteCount = sections.reduce((sum, section) => sum + section.byteLength, 0);
  makeRoom(view, cache, byteCount);
  const isKept = cache.heldBytes + byteCount <= RESIDENT_BYTES_MAX;
  const base = isKept ? kernel.allocate(byteCount) : kernel.scratch(byteCount);
  let at = base;
  for (const section of sections) {
    kernel.writeU32(at, section);
    at += section.byteLength;
  }
  const numberDocs = base + column.numberOffsets.byteLength;
  const stringOffsets = numberDocs + column.numberDocs.byteLength;
  const stringDocs = stringOffsets + column.stringOffsets.byteLength;
  const turned: GroupsByDocument[] = [];
  const turner = new Turner(kernel, column, (made) => {
    if (!isKept || cache.heldBytes + made > RESIDENT_BYTES_MAX) return false;
    resident.byteCount += made;
    cache.heldBytes += made;
    return true;
  });
  const resident: Resident = {
    field,
    segment,
    column,
    base,
    byteCount,
    turned,
    numbers: turner.table(column.numbers.length, base, numberDocs, column.numberDocs.length, turned),
    strings: turner.table(column.spellingOf.length, stringOffsets, stringDocs, column.stringDocs.length, turned),
  };
  if (isKept) cache.add(resident);
  return resident;
}

/** How often groups are counted for few documents before they are turned around. */
const ASKS_BEFORE_TURNING = 2;

/** Turns the groups of a column around when they are asked for by document. */
class Turner {
  constructor(
    private readonly kernel: Kernel,
    private readonly column: ColumnParts,
    /** Takes so many bytes, or answers false where there is no room. */
    private readonly takeRoom: (byteCount: number) => boolean,
  ) {}

  table(count: number, offsets: Ptr, docs: Ptr, entryCount: number, turned: GroupsByDocument[]): GroupTable {
    const { exists } = this.column;
    const firstDoc = exists[0] ?? 0;
    const docCount = (exists.at(-1) ?? 0) + 1 - firstDoc;
    let asks = 0;
    let made: GroupsByDocument | null = null;
    const byDocument = (): GroupsByDocument | null => {
      if (made !== null || count === 0 || ++asks <= ASKS_BEFORE_TURNING) return made;
      if (!this.takeRoom((docCount + 1 + entryCount) * 4)) return null;
      made = this.kernel.groupsByDocument(offsets, docs, count, firstDoc, docCount);
      turned.push(made);
      return made;
    };
    return { count, offsets, docs, byDocument };
  }
}

/** Drops the least recently used columns of other views' segments: this view may hold pointers to its own. */
function makeRoom(view: IndexView, cache: ColumnCache, byteCount: number): void {
  for (const entry of cache.entries) {
    if (cache.heldBytes + byteCount <= RESIDENT_BYTES_MAX) return;
    if (!view.segments.includes(entry.segment)) cache.drop(view.kernel, entry);
  }
}

/** First number group whose value is >= `value` (> with `isAfter`). O(log groups). */
export function numberBound(column: ColumnParts, value: number, isAfter: boolean): number {
  let [low, high] = [0, column.numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = column.numbers[middle] ?? 0;
    if (at < value || (isAfter && at === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The same for string groups, in byte order. */
export function stringBound(column: ColumnParts, key: Uint8Array, isAfter: boolean): number {
  let [low, high] = [0, column.spellingOf.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = Buffer.compare(textAt(column, middle), key);
    if (order < 0 || (isAfter && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** target |= live documents of groups [from, to) of the segment. */
export function orLiveGroups(
  view: IndexView,
  target: Ptr,
  segment: SegmentView,
  table: GroupTable,
  from: number,
  to: number,
): void {
  if (from >= to) return;
  const { kernel } = view;
  if (segment.dead === 0) return kernel.orGroups(target, table.offsets, table.docs, from, to);
  const mark = kernel.mark();
  const found = kernel.bitmap(view.bitCount);
  kernel.orGroups(found, table.offsets, table.docs, from, to);
  kernel.andNot(found, segment.dead);
  kernel.or(target, found);
  kernel.release(mark);
}

/** target |= live documents of a list of groups, ascending. O(their documents). */
export function orGroupList(
  view: IndexView,
  target: Ptr,
  segment: SegmentView,
  table: GroupTable,
  groups: readonly number[],
): void {
  if (groups.length === 0) return;
  const { kernel } = view;
  const mark = kernel.mark();
  const found = segment.dead === 0 ? target : kernel.bitmap(view.bitCount);
  for (let at = 0; at < groups.length; ) {
    const from = groups[at]!;
    let to = from + 1;
    while (++at < groups.length && groups[at] === to) to += 1;
    kernel.orGroups(found, table.offsets, table.docs, from, to);
  }
  if (found !== target) {
    kernel.andNot(found, segment.dead);
    kernel.or(target, found);
  }
  kernel.release(mark);
}

/** target |= live ones of a list of documents of the segment. */
export function orLiveDocs(view: IndexView, target: Ptr, segment: SegmentView, docs: Uint32Array): void {
  if (docs.length === 0) return;
  const { kernel } = view;
  const mark = kernel.mark();
  const list = kernel.scratch(docs.byteLength);
  kernel.writeU32(list, docs);
  const found = kernel.bitmap(view.bitCount);
  kernel.setMany(found, list, docs.length);
  if (segment.dead !== 0) kernel.andNot(found, segment.dead);
  kernel.or(target, found);
  kernel.release(mark);
}

/** The universe without the documents dead in this segment: itself when none are, else a new scratch bitmap. */
export function liveIn(view: IndexView, universe: Ptr, segment: SegmentView): Ptr {
  if (segment.dead === 0) return universe;
  const live = view.kernel.copyOf(universe);
  view.kernel.andNot(live, segment.dead);
  return live;
}
