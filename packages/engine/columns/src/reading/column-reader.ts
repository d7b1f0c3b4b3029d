import { compareBytes, type DocId, type DocIds, nativeView, utf8Text } from '@fossick/base';
import type { ExactNumber } from '@fossick/documents/stored';
import {
  type Bitmap,
  type Block,
  type DocGroups,
  type F64Array,
  type ForwardColumn,
  f64ArrayIn,
  type Kernel,
  type LiveDocs,
  type MadeStructure,
  type None,
  type Structures,
  type TextRow,
  type U32Array,
  u32ArrayIn,
} from '@fossick/kernel';
import { type EvictingMemory, HeldOnDemand } from '@fossick/kernel/memory';
import { exactSum } from '../bytes/column-format.js';
import type { ColumnStructure, StoredBytes } from '../bytes/column-spans.js';
import type { AllTexts } from '../bytes/text-row.js';
import { ColumnSpellings } from './column-spellings.js';
import { ColumnTimes } from './column-times.js';
import { ColumnTrigrams, type GroupList } from './column-trigrams.js';
import { ColumnForms, type FormTable } from './facet-forms.js';
import { GroupRuns } from './group-runs.js';
import { GroupWindows } from './group-windows.js';
import { HeldForward, type HeldGroups, madeForward, type Side, StoredColumn } from './stored-column.js';

export type { Side } from './stored-column.js';

/** The forward column is made when groups were counted for few documents this often ... */
const COUNTS_BEFORE_INVERTING = 2;
/** ... or this often in columns with few groups: some hundred walks over these cost as much as making it. */
const COUNTS_OF_FEW_GROUPS = 100;
/**
 * Columns of at most this many values cache the shown ones outside of the kernel: some hundred kilobytes at most, mostly far less.
 */
const CACHED_VALUES_MAX = 1_024;
/** The segment of a column. Commits change its deleted documents. */
export interface ColumnHome {
  /** Bitmap of documents deleted or rewritten since; 0: none. */
  readonly deleted: Bitmap | None;
}
/** What a column may have in addition. */
export interface ColumnParts {
  /** The trigram table of the string values, where one is stored. */
  readonly trigrams?: StoredBytes | null;
  /** Where the column's structures are, with keys of their own; absent: they are of this thread alone. */
  readonly structures?: Structures;
}

/**
 * One field of one segment. Its sections are loaded into kernel memory on demand and may be evicted between two views: pointers are
 * valid until the view ends.
 */
export class ColumnReader {
  readonly segment: ColumnHome;
  readonly kernel: Kernel;
  readonly memory: EvictingMemory;
  /** Groups of each side: of equal numbers, and of equal normalised strings. */
  readonly numberCount: number;
  readonly stringCount: number;
  /** Documents with the field. */
  readonly docCount: number;
  readonly firstDoc: DocId;
  readonly lastDoc: DocId;
  /** Bitmaps of the large groups of each side. */
  readonly windows: Readonly<Record<Side, GroupWindows>>;
  /** Groups and values for walks that end early. */
  readonly runs: GroupRuns;
  private readonly stored: StoredColumn;
  private readonly groups: Readonly<Record<Side, HeldOnDemand<HeldGroups>>>;
  private readonly values: HeldOnDemand<ColumnStructure>;
  /** null: all numbers are floats. */
  private readonly rests: HeldOnDemand<ColumnStructure> | null;
  private readonly textOffsets: HeldOnDemand<ColumnStructure>;
  private readonly textBytes: HeldOnDemand<ColumnStructure>;
  /** The original spellings of the string values. */
  readonly spellings: ColumnSpellings;
  private readonly forward: HeldOnDemand<HeldForward>;
  private readonly columnForms = new ColumnForms(this);
  private readonly times: HeldOnDemand<ColumnTimes>;
  /** For attributes of the setting `substringAttributes`. */
  readonly trigrams: ColumnTrigrams | null;
  private forwardRequests = 0;
  private readonly cachedTexts: Uint8Array[] = [];

  constructor(
    segment: ColumnHome,
    kernel: Kernel,
    memory: EvictingMemory,
    bytes: StoredBytes,
    { trigrams = null, structures = kernel.ownStructures }: ColumnParts = {},
  ) {
    this.segment = segment;
    this.kernel = kernel;
    this.memory = memory;
    const stored = new StoredColumn(kernel, memory, bytes, structures);
    this.stored = stored;
    this.values = stored.span('numbers', 'numbers');
    this.rests = stored.wordCount('rests') === 0 ? null : stored.span('rests', 'rests');
    this.spellings = new ColumnSpellings(stored, this, CACHED_VALUES_MAX);
    this.textOffsets = stored.span('textOffsets', 'textOffsets');
    this.textBytes = stored.span('text', 'text');
    this.numberCount = stored.wordCount('numberOffsets') - 1;
    this.stringCount = stored.wordCount('stringOffsets') - 1;
    this.groups = {
      numbers: stored.groups('numberOffsets', 'numberDocs'),
      strings: stored.groups('stringOffsets', 'stringDocs'),
    };
    this.windows = {
      numbers: new GroupWindows(kernel, memory, () => this.loadGroups('numbers'), structures.scope('numbers:')),
      strings: new GroupWindows(kernel, memory, () => this.loadGroups('strings'), structures.scope('strings:')),
    };
    this.runs = new GroupRuns(stored, this);
    this.docCount = stored.wordCount('exists');
    this.firstDoc = stored.word('exists', 0) as DocId;
    this.lastDoc = stored.word('exists', this.docCount - 1) as DocId;
    this.forward = new HeldOnDemand(memory, () => this.turn());
    this.times = new HeldOnDemand(memory, () => new ColumnTimes(this.allTexts()));
    this.trigrams = trigrams === null ? null : new ColumnTrigrams(memory, trigrams);
  }

  /** Live documents of this column's segment that are in the universe (0: all). */
  live(universe: Bitmap | None): LiveDocs {
    return { universe, deleted: this.segment.deleted };
  }

  groupCount(side: Side): number {
    return side === 'numbers' ? this.numberCount : this.stringCount;
  }

  /** The documents of each group, ascending, read into memory unless they are there. */
  loadGroups(side: Side): DocGroups {
    return this.groups[side].load();
  }

  /** Whether groups and values of a side are in memory. */
  isLoaded(side: Side): boolean {
    return this.groups[side].isLoaded && (side === 'numbers' ? this.values : this.textBytes).isLoaded;
  }

  /** The string values, normalised, in byte order, read into memory unless they are there. */
  loadTexts(): TextRow {
    return {
      count: this.stringCount,
      offsets: u32ArrayIn(this.textOffsets.load().ptr, 0),
      bytes: this.textBytes.load().ptr,
    };
  }

  /** Whether the forward column is in memory. */
  get isByDocument(): boolean {
    return this.forward.isLoaded;
  }

  /** The value of a number group. */
  numberAt(group: number): ExactNumber {
    const { memory } = this.kernel;
    const float = memory.f64At(this.loadNumbers(), group);
    return this.rests === null ? float : exactSum(float, memory.u32At(u32ArrayIn(this.rests.load().ptr, 0), group) | 0);
  }

  /** First number group whose value is >= `value` (> with `isAfter`). O(log groups). */
  numberBound(wanted: ExactNumber, isAfter: boolean): number {
    const value = this.comparable(wanted);
    let [low, high] = [0, this.numberCount];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = this.numberAt(middle);
      if (at < value || (isAfter && at === value)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The UTF-8 bytes of a string group's normalised value; not to be modified. */
  textAt(group: number): Uint8Array {
    if (this.stringCount > CACHED_VALUES_MAX) return this.kernel.texts.at(this.loadTexts(), group);
    this.cachedTexts[group] ??= this.kernel.texts.at(this.loadTexts(), group);
    return this.cachedTexts[group];
  }

  /** The string values as facet search compares them, in the languages of the attribute's rule. */
  forms(locales: readonly string[] | undefined): FormTable {
    return this.columnForms.table(locales);
  }

  /** A copy of all string values, for scans. O(bytes) */
  allTexts(): AllTexts {
    const { kernel } = this;
    const texts = this.loadTexts();
    const textOffsets = kernel.memory.u32s(texts.offsets, 0, texts.count + 1);
    const text = kernel.memory.read(texts.bytes, textOffsets[texts.count]!);
    return { textOffsets, text: nativeView(text) };
  }

  /** The string values that are dates, parsed unless they are there. */
  loadTimes(): ColumnTimes {
    return this.times.load();
  }

  /** A copy of all number values, ascending. O(groups) */
  allNumbers(): ArrayLike<ExactNumber> {
    const floats = this.allFloats();
    return this.rests === null ? floats : Array.from(floats, (_, group) => this.numberAt(group));
  }

  /** The same, each as the nearest float. */
  allFloats(): Float64Array {
    const { numberCount: count } = this;
    return count === 0 ? new Float64Array(0) : this.kernel.memory.f64s(this.loadNumbers(), count);
  }

  /** A copy of the documents of a group, deleted ones included. */
  docsIn(side: Side, group: number): DocIds {
    const { offsets, docs } = this.loadGroups(side);
    return this.kernel.memory.u32s(docs, this.kernel.memory.u32At(offsets, group), this.sizeOf(side, group)) as DocIds;
  }

  /** Value of a group: the number, or the normalised text. */
  valueAt(side: Side, group: number): ExactNumber | string {
    return side === 'numbers' ? this.numberAt(group) : utf8Text(this.textAt(group));
  }

  /** First string group that is not less than the key in byte order (greater with `isAfter`). O(log groups). */
  textBound(key: Uint8Array, isAfter: boolean): number {
    return this.stringCount === 0 ? 0 : this.kernel.texts.bound(this.loadTexts(), key, isAfter);
  }

  /** The string group of a key; -1 when the column lacks it. O(log groups). */
  groupOfText(key: Uint8Array): number {
    const group = this.textBound(key, false);
    return group < this.stringCount && compareBytes(this.textAt(group), key) === 0 ? group : -1;
  }

  /** The number group of a value; -1 when the column lacks it. O(log groups). */
  groupOfNumber(value: ExactNumber): number {
    const group = this.numberBound(value, false);
    return group < this.numberCount && this.numberAt(group) === this.comparable(value) ? group : -1;
  }

  /** Columns of earlier releases have the nearest float of each number, and all others that have no rests only floats below 2^53. */
  comparable(value: ExactNumber): ExactNumber {
    return this.rests === null ? Number(value) : value;
  }

  /** The number of documents of a group, deleted ones included. */
  sizeOf(side: Side, group: number): number {
    const { offsets } = this.loadGroups(side);
    return this.kernel.memory.u32At(offsets, group + 1) - this.kernel.memory.u32At(offsets, group);
  }

  /** All documents of the list, ascending, in kernel memory; null when there are none. */
  docsOf(list: 'exists' | 'nulls' | 'empties' | 'blanks'): { readonly docs: U32Array; readonly count: number } | null {
    const count = this.stored.wordCount(list);
    if (count === 0) return null;
    return { docs: u32ArrayIn(this.stored.list(list).load().ptr, 0), count };
  }

  get hasBlanks(): boolean {
    return this.stored.wordCount('blanks') > 0;
  }

  /** Whether the text "" is among the document's values. O(log blanks) */
  isBlank(doc: DocId): boolean {
    const blanks = this.docsOf('blanks');
    if (blanks === null) return false;
    const { docs, count } = blanks;
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.kernel.memory.u32At(docs, middle) < doc) low = middle + 1;
      else high = middle;
    }
    return low < count && this.kernel.memory.u32At(docs, low) === doc;
  }

  /** The forward column. O(entries) when it is not cached. */
  loadForward(): ForwardColumn {
    return this.forward.load().forward;
  }

  /**
   * Counts a scan that also works without the forward column, which is made after the first few of them (`scansMax`): null until
   * then.
   */
  prepareForward(scansMax?: number): ForwardColumn | null {
    const isSmall = this.numberCount + this.stringCount <= CACHED_VALUES_MAX;
    if (!this.forward.isLoaded) {
      this.forwardRequests += 1;
      if (this.forwardRequests <= (scansMax ?? (isSmall ? COUNTS_OF_FEW_GROUPS : COUNTS_BEFORE_INVERTING))) return null;
    }
    return this.loadForward();
  }

  /** Frees its kernel memory. Only between views. */
  close(): void {
    this.stored.close();
    this.runs.close();
    this.windows.numbers.close();
    this.windows.strings.close();
    this.forward.drop();
    this.columnForms.close();
    this.times.drop();
    this.trigrams?.close();
  }

  private loadNumbers(): F64Array {
    return f64ArrayIn(this.values.load().ptr, 0);
  }

  private turn(): HeldForward {
    const { stored } = this;
    return new HeldForward(stored.structures.load('forward', () => turned(this, stored)));
  }
}

function turned(column: ColumnReader, stored: StoredColumn): MadeStructure {
  const { kernel, firstDoc, lastDoc, docCount } = column;
  const [numbers, strings] = [column.loadGroups('numbers'), column.loadGroups('strings')];
  const hasGaps = lastDoc - firstDoc + 1 !== docCount;
  const made = hasGaps ? stored.made('exists', 'exists') : null;
  const docs = made === null ? 0 : u32ArrayIn(made.blocks[0] as Block, 0);
  return madeForward(kernel.columns.turn({ numbers, strings, docs, firstDoc, docCount }), made);
}

/** target |= live documents of groups [from, to) of the column. */
export function orLiveGroups(target: Bitmap, column: ColumnReader, side: Side, from: number, to: number): void {
  if (from < to) column.windows[side].or(target, from, to, column.segment.deleted);
}

/** target |= live documents of a list of groups. O(their documents). */
export function orGroupList(target: Bitmap, column: ColumnReader, side: Side, groups: GroupList): void {
  column.kernel.columns.orListedGroups(target, column.loadGroups(side), Uint32Array.from(groups), 0, column.live(0));
}

/** target |= live documents of the list. */
export function orLiveDocs(target: Bitmap, column: ColumnReader, list: 'exists' | 'nulls' | 'empties'): void {
  const { kernel, segment } = column;
  const listed = column.docsOf(list);
  if (listed === null) return;
  const mark = kernel.memory.mark();
  const offsets = kernel.memory.scratchU32([0, listed.count]);
  kernel.columns.orGroups(target, { offsets, docs: listed.docs }, 0, 1, { universe: 0, deleted: segment.deleted });
  kernel.memory.release(mark);
}
