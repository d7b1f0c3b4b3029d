/**
 * Bitmaps of what large groups of documents have in common use: a group with one document in 32 of its docid range is counted and joined
 * by lanes of 128 documents, instead of by entries, at a thirtieth of the cost.
 */
import type {
  Bitmap,
  Block,
  DocGroups,
  Kernel,
  LiveDocs,
  MadeStructure,
  None,
  Structures,
  Window,
} from '@fossick/kernel';
import { type EvictingMemory, HeldOnDemand } from '@fossick/kernel/memory';
import { ColumnStructure } from '../bytes/column-spans.js';

/** A group has a window when at least one in this many documents of its range are in it: the window is then no larger than the group. */
const GROUP_SHARE = 32;
/** Smaller groups in a row have one window together, from this share on: ranges of values then consist of a few windows. */
const RUN_SHARE = 16;
/** Groups and rows of fewer documents are always walked: there is nothing to gain. */
const WINDOW_DOCS_MIN = 4_096;
/** Tables of more groups have no windows: finding the large ones would cost a walk over all offsets. */
const GROUPS_MAX = 1_024;
/** A window is made after this many walks: making it costs about as much as three. */
const WALKS_BEFORE_WINDOW = 2;
/** A group is walked for this many times fewer candidates: they are then searched in it one by one. */
const FEW_SHARE = 16;
/** Windows begin with a whole lane of 128 documents. */
const LANE_BYTES = 16;

/** Groups [from, to), which share a window. */
interface GroupRange {
  readonly from: number;
  readonly to: number;
  readonly docCount: number;
  readonly firstDoc: number;
  readonly lastDoc: number;
  walks: number;
  held: HeldOnDemand<ColumnStructure> | undefined;
}

/**
 * Windows of the groups of one table. They contain deleted documents, as the table does, so commits do not change them. Each is evicted on
 * its own, and made again from the table.
 */
export class GroupWindows {
  private readonly kernel: Kernel;
  private readonly memory: EvictingMemory;
  private readonly structures: Structures;
  /** The table, in kernel memory until the view ends. */
  private readonly table: () => DocGroups;
  /** Ascending; undefined until the first use. */
  private ranges: readonly GroupRange[] | undefined;

  constructor(
    kernel: Kernel,
    memory: EvictingMemory,
    table: () => DocGroups,
    structures: Structures = kernel.ownStructures,
  ) {
    this.kernel = kernel;
    this.structures = structures;
    this.memory = memory;
    this.table = table;
  }

  /** target |= documents of groups [from, to) that are not deleted. */
  or(target: Bitmap, from: number, to: number, deleted: Bitmap | None): void {
    const { kernel } = this;
    const groups = this.table();
    const live = { universe: 0, deleted } as const;
    let at = from;
    for (const range of this.rangesOf(groups)) {
      if (range.from < from) continue;
      if (range.to > to) break;
      const window = this.windowOf(range);
      if (window === 0) continue;
      if (at < range.from) kernel.columns.orGroups(target, groups, at, range.from, live);
      kernel.windows.or(target, window, 0, deleted);
      at = range.to;
    }
    if (at < to) kernel.columns.orGroups(target, groups, at, to, live);
  }

  /** How many documents of each group count; the universe has `universeCount` documents. */
  counts(live: LiveDocs, universeCount: number): Uint32Array {
    const { kernel } = this;
    const groups = this.table();
    if (live.universe === 0 && live.deleted === 0) return kernel.columns.countGroups(groups, 0, groups.count, live);
    const counts = new Uint32Array(groups.count);
    const walk = (from: number, to: number): void => {
      if (from < to) counts.set(kernel.columns.countGroups(groups, from, to, live), from);
    };
    const mark = kernel.memory.mark();
    let common: Bitmap | None = 0;
    let at = 0;
    for (const range of this.rangesOf(groups)) {
      if (!isAlone(range) || universeCount * FEW_SHARE < range.docCount) continue;
      const window = this.windowOf(range);
      if (window === 0) continue;
      walk(at, range.from);
      common = common === 0 ? kernel.bitmaps.create(this.bitCount) : common;
      kernel.bitmaps.clear(common);
      kernel.windows.or(common, window, live.universe, live.deleted);
      counts[range.from] = kernel.bitmaps.count(common);
      at = range.to;
    }
    walk(at, groups.count);
    kernel.memory.release(mark);
    return counts;
  }

  /** Frees the windows. Only between views. */
  close(): void {
    for (const { held } of this.ranges ?? []) held?.drop();
    this.ranges = undefined;
  }

  /** Enough for any of the windows. */
  private get bitCount(): number {
    return this.ranges!.reduce((most, { lastDoc }) => Math.max(most, lastDoc + 1), 0);
  }

  /** 0: its groups are to be walked. */
  private windowOf(range: GroupRange): Window | None {
    if (range.held === undefined) {
      range.walks += 1;
      if (range.walks <= WALKS_BEFORE_WINDOW) return 0;
      range.held = new HeldOnDemand(this.memory, () => this.load(range));
    }
    return range.held.load().ptr as number as Window;
  }

  private load(range: GroupRange): ColumnStructure {
    const key = `windows:${range.from}:${range.to}`;
    return new ColumnStructure(this.structures.load(key, () => madeWindow(this.kernel, this.table(), range)));
  }

  private rangesOf(groups: DocGroups): readonly GroupRange[] {
    this.ranges ??= groups.count > GROUPS_MAX ? [] : rangesIn(this.kernel, groups);
    return this.ranges;
  }
}

/** O(groups) */
function rangesIn({ memory }: Kernel, { count, offsets, docs }: DocGroups): readonly GroupRange[] {
  if (count === 0 || memory.u32At(offsets, count) < WINDOW_DOCS_MIN) return [];
  const found: GroupRange[] = [];
  const starts = memory.u32s(offsets, 0, count + 1);
  let run: GroupRange | undefined;
  for (let group = 0; group < count; group++) {
    const [start, end] = [starts[group]!, starts[group + 1]!];
    if (start === end) continue;
    const [firstDoc, lastDoc] = [memory.u32At(docs, start), memory.u32At(docs, end - 1)];
    const own = { from: group, to: group + 1, docCount: end - start, firstDoc, lastDoc, walks: 0, held: undefined };
    if (isCommon(own, GROUP_SHARE)) {
      found.push(own);
      run = undefined;
      continue;
    }
    run = run === undefined ? own : joined(run, own);
    if (!isCommon(run, RUN_SHARE)) continue;
    found.push(run);
    run = undefined;
  }
  return found;
}

const isAlone = ({ from, to }: GroupRange): boolean => to - from === 1;

function isCommon({ docCount, firstDoc, lastDoc }: GroupRange, share: number): boolean {
  return docCount >= WINDOW_DOCS_MIN && docCount * share > lastDoc - firstDoc;
}

function joined(left: GroupRange, right: GroupRange): GroupRange {
  return {
    ...left,
    to: right.to,
    docCount: left.docCount + right.docCount,
    firstDoc: Math.min(left.firstDoc, right.firstDoc),
    lastDoc: Math.max(left.lastDoc, right.lastDoc),
  };
}

function madeWindow(kernel: Kernel, groups: DocGroups, { from, to, firstDoc, lastDoc }: GroupRange): MadeStructure {
  const mark = kernel.memory.mark();
  const all = kernel.bitmaps.create(lastDoc + 1);
  kernel.columns.orGroups(all, groups, from, to);
  const window = kernel.windows.create(firstDoc, lastDoc - firstDoc + 1);
  const byteCount = kernel.bitmaps.bitCapacity(window) / 8;
  const bits = (kernel.windows.bits(all) + (firstDoc >>> 7) * LANE_BYTES) as Block;
  kernel.windows.addStored(window, bits, byteCount);
  kernel.memory.release(mark);
  return { blocks: [window], byteCount };
}
