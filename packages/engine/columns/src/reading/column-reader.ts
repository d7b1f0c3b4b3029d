import type { DocId, DocIds } from '@fossick/base';
import {
  type Bitmap,
  type DocGroups,
  type F64Array,
  type ForwardColumn,
  f64ArrayIn,
  type Kernel,
  type LiveDocs,
  type None,
  type TextRow,
  type U32Array,
  u32ArrayIn,
} from '@fossick/kernel';
import type { HeldMemory } from '@fossick/memory';
import {
  type ColumnLayout,
  columnLayout,
  HEADER_BYTES,
  SAME_SPELLING,
  type SectionName,
  SPELLING_BY_DOC,
} from '../bytes/column-format.js';
import { copyOfSpan, HeldOnDemand, KernelBlock, type SpanMemory, type StoredBytes } from '../bytes/column-spans.js';
import type { AllTexts } from '../bytes/text-row.js';
import { ColumnForms, type FormTable } from './facet-forms.js';
import { GroupWindows } from './group-windows.js';

/** The forward column is made when groups were counted for few documents this often ... */
const COUNTS_BEFORE_INVERTING = 2;
/** ... or this often in columns with few groups: some hundred walks over these cost as much as making it. */
const COUNTS_OF_FEW_GROUPS = 100;
/**
 * Columns of at most so many values cache the shown ones outside of the kernel: some hundred kilobytes at most, mostly far less.
 */
const CACHED_VALUES_MAX = 1_024;
/**
 * Spelling sections of at most so many bytes are held in memory; of larger ones, single spellings are read from the
 * store.
 */
const CACHED_SPELLING_BYTES = 1 << 20;

/** The segment of a column. Commits change its deleted documents. */
export interface ColumnHome {
  /** Bitmap of documents deleted or rewritten since; 0: none. */
  readonly deleted: Bitmap | None;
}
export type Side = 'numbers' | 'strings';

/**
 * One field of one segment. Its sections are loaded into kernel memory on demand and may be evicted between two views: pointers are
 * valid until the view ends.
 */
export class ColumnReader {
  readonly segment: ColumnHome;
  readonly kernel: Kernel;
  readonly memory: SpanMemory;
  private readonly bytes: StoredBytes;
  readonly numbers: DocGroups;
  readonly strings: DocGroups;
  /** The string values, normalised, in byte order. */
  readonly texts: TextRow;
  /** Documents with the field. */
  readonly docCount: number;
  readonly firstDoc: DocId;
  readonly lastDoc: DocId;
  /** Bitmaps of the large groups of each side. */
  readonly windows: Readonly<Record<Side, GroupWindows>>;
  private readonly layout: ColumnLayout;
  private readonly values: HeldOnDemand<KernelBlock>;
  private readonly spellings: HeldOnDemand<KernelBlock>;
  private readonly lists = new Map<SectionName, HeldOnDemand<KernelBlock>>();
  private readonly forward: HeldOnDemand<HeldForward>;
  private readonly held: HeldOnDemand<KernelBlock>[] = [];
  private readonly columnForms = new ColumnForms(this);
  private forwardRequests = 0;
  private readonly cachedTexts: Uint8Array[] = [];
  private readonly cachedSpellings: (string | null)[] = [];

  constructor(segment: ColumnHome, kernel: Kernel, memory: SpanMemory, bytes: StoredBytes) {
    this.segment = segment;
    this.kernel = kernel;
    this.memory = memory;
    this.bytes = bytes;
    const layout = columnLayout(new Uint32Array(copyOfSpan(bytes, 0, HEADER_BYTES).buffer));
    this.layout = layout;
    this.values = this.span('numbers', 'numbers');
    this.spellings = this.span('spellingOf', 'spellingOffsets');
    this.numbers = this.groups('numberOffsets', 'numberDocs');
    this.strings = this.groups('stringOffsets', 'stringDocs');
    this.windows = {
      numbers: new GroupWindows(kernel, memory, () => this.numbers),
      strings: new GroupWindows(kernel, memory, () => this.strings),
    };
    this.texts = this.readTexts();
    this.docCount = this.wordCount('exists');
    this.firstDoc = this.storedWord('exists', 0) as DocId;
    this.lastDoc = this.storedWord('exists', this.docCount - 1) as DocId;
    this.forward = new HeldOnDemand(memory, () => this.turn());
  }

  /** Live documents of this column's segment that are in the universe (0: all). */
  live(universe: Bitmap | None): LiveDocs {
    return { universe, deleted: this.segment.deleted };
  }

  /** The value of a number group. */
  numberAt(group: number): number {
    return this.kernel.memory.f64At(this.numberValues, group);
  }

  /** First number group whose value is >= `value` (> with `isAfter`). O(log groups). */
  numberBound(value: number, isAfter: boolean): number {
    let [low, high] = [0, this.numbers.count];
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
    if (this.texts.count > CACHED_VALUES_MAX) return this.kernel.texts.at(this.texts, group);
    this.cachedTexts[group] ??= this.kernel.texts.at(this.texts, group);
    return this.cachedTexts[group];
  }

  /** The string values as facet search compares them, in the languages of the attribute's rule. */
  forms(locales: readonly string[] | undefined): FormTable {
    return this.columnForms.table(locales);
  }

  /** A copy of all string values, for scans. O(bytes) */
  allTexts(): AllTexts {
    const { kernel, texts } = this;
    const textOffsets = kernel.memory.u32s(texts.offsets, 0, texts.count + 1);
    const text = kernel.memory.read(texts.bytes, textOffsets[texts.count]!);
    return { textOffsets, text: Buffer.from(text.buffer, text.byteOffset, text.byteLength) };
  }

  /** A copy of all number values, ascending. O(groups) */
  allNumbers(): Float64Array {
    const { count } = this.numbers;
    return count === 0 ? new Float64Array(0) : this.kernel.memory.f64s(this.numberValues, count);
  }

  /** A copy of the documents of a group, deleted ones included. */
  docsIn(side: Side, group: number): DocIds {
    const { offsets, docs } = this[side];
    return this.kernel.memory.u32s(docs, this.kernel.memory.u32At(offsets, group), this.sizeOf(side, group)) as DocIds;
  }

  /** Value of a group: the number, or the normalised text. */
  valueAt(side: Side, group: number): number | string {
    return side === 'numbers' ? this.numberAt(group) : Buffer.from(this.textAt(group)).toString('utf8');
  }

  /** First string group that is not less than the key in byte order (greater with `isAfter`). O(log groups). */
  textBound(key: Uint8Array, isAfter: boolean): number {
    return this.texts.count === 0 ? 0 : this.kernel.texts.bound(this.texts, key, isAfter);
  }

  /** The string group of a key; -1 when the column lacks it. O(log groups). */
  groupOfText(key: Uint8Array): number {
    const group = this.textBound(key, false);
    return group < this.texts.count && Buffer.compare(this.textAt(group), key) === 0 ? group : -1;
  }

  /** The number group of a value; -1 when the column lacks it. O(log groups). */
  groupOfNumber(value: number): number {
    const group = this.numberBound(value, false);
    return group < this.numbers.count && this.numberAt(group) === value ? group : -1;
  }

  /** The number of documents of a group, deleted ones included. */
  sizeOf(side: Side, group: number): number {
    const { offsets } = this[side];
    return this.kernel.memory.u32At(offsets, group + 1) - this.kernel.memory.u32At(offsets, group);
  }

  /** All documents of the list, ascending, in kernel memory; null when there are none. */
  docsOf(list: 'exists' | 'nulls' | 'empties' | 'blanks'): { readonly docs: U32Array; readonly count: number } | null {
    const count = this.wordCount(list);
    if (count === 0) return null;
    let held = this.lists.get(list);
    if (held === undefined) {
      held = this.span(list, list);
      this.lists.set(list, held);
    }
    return { docs: u32ArrayIn(held.held.ptr, 0), count };
  }

  get hasBlanks(): boolean {
    return this.wordCount('blanks') > 0;
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
  get byDocument(): ForwardColumn {
    return this.forward.held.forward;
  }

  /** The forward column for scans that also work without it: null for the first few calls. */
  get byDocumentIfWorth(): ForwardColumn | null {
    const countsMax =
      this.numbers.count + this.strings.count > CACHED_VALUES_MAX ? COUNTS_BEFORE_INVERTING : COUNTS_OF_FEW_GROUPS;
    return this.forward.isMade || ++this.forwardRequests > countsMax ? this.byDocument : null;
  }

  /** The original spelling of a string group when all its documents share it; null when they have several. */
  onlySpelling(group: number): string | null {
    if (this.strings.count > CACHED_VALUES_MAX) return this.findOnlySpelling(group);
    const cached = this.cachedSpellings[group];
    if (cached !== undefined) return cached;
    const found = this.findOnlySpelling(group);
    this.cachedSpellings[group] = found;
    return found;
  }

  /** The original spelling of string entry `entry`, counted from the column's start, of a group. */
  spellingAt(group: number, entry: number): string {
    const ref = this.spellingWord('spellingOf', group);
    let id = ref;
    if (isByDocument(ref)) {
      const inGroup = entry - this.kernel.memory.u32At(this.strings.offsets, group);
      id = this.spellingWord('docSpellings', ref - SPELLING_BY_DOC + inGroup);
    }
    if (id === SAME_SPELLING) return Buffer.from(this.textAt(group)).toString('utf8');
    const { from } = this.layout.spelling;
    const [start, end] = [this.spellingWord('spellingOffsets', id), this.spellingWord('spellingOffsets', id + 1)];
    return Buffer.from(copyOfSpan(this.bytes, from + start, from + end)).toString('utf8');
  }

  /** Frees its kernel memory. Only between views. */
  close(): void {
    for (const held of this.held) held.close();
    this.windows.numbers.close();
    this.windows.strings.close();
    this.forward.close();
    this.columnForms.close();
  }

  private findOnlySpelling(group: number): string | null {
    if (isByDocument(this.spellingWord('spellingOf', group))) return null;
    return this.spellingAt(group, this.kernel.memory.u32At(this.strings.offsets, group));
  }

  private span(first: SectionName, last: SectionName): HeldOnDemand<KernelBlock> {
    const held = new HeldOnDemand(this.memory, () =>
      KernelBlock.of(this.kernel, this.bytes, this.layout[first].from, this.layout[last].to),
    );
    this.held.push(held);
    return held;
  }

  private get numberValues(): F64Array {
    return f64ArrayIn(this.values.held.ptr, 0);
  }

  private wordCount(name: SectionName): number {
    return (this.layout[name].to - this.layout[name].from) / 4;
  }

  private groups(offsets: 'numberOffsets' | 'stringOffsets', docs: 'numberDocs' | 'stringDocs'): DocGroups {
    const span = this.span(offsets, docs);
    const docsAt = this.layout[docs].from - this.layout[offsets].from;
    return {
      count: this.wordCount(offsets) - 1,
      get offsets() {
        return u32ArrayIn(span.held.ptr, 0);
      },
      get docs() {
        return u32ArrayIn(span.held.ptr, docsAt);
      },
    };
  }

  private readTexts(): TextRow {
    const [offsets, text] = [this.span('textOffsets', 'textOffsets'), this.span('text', 'text')];
    return {
      count: this.wordCount('textOffsets') - 1,
      get offsets() {
        return u32ArrayIn(offsets.held.ptr, 0);
      },
      get bytes() {
        return text.held.ptr;
      },
    };
  }

  private storedWord(name: SectionName, index: number): number {
    if (index < 0 || index >= this.wordCount(name)) return 0;
    const from = this.layout[name].from + index * 4;
    return new Uint32Array(copyOfSpan(this.bytes, from, from + 4).buffer)[0]!;
  }

  private spellingWord(name: 'spellingOf' | 'docSpellings' | 'spellingOffsets', index: number): number {
    const first = this.layout.spellingOf.from;
    if (this.layout.spellingOffsets.to - first > CACHED_SPELLING_BYTES) return this.storedWord(name, index);
    return this.kernel.memory.u32At(u32ArrayIn(this.spellings.held.ptr, this.layout[name].from - first), index);
  }

  private turn(): HeldForward {
    const { kernel, firstDoc, lastDoc, docCount, numbers, strings } = this;
    const hasGaps = lastDoc - firstDoc + 1 !== docCount;
    const { from, to } = this.layout.exists;
    const docs = hasGaps ? KernelBlock.of(kernel, this.bytes, from, to) : null;
    return new HeldForward(
      kernel,
      docs,
      kernel.columns.turn({ numbers, strings, docs: docs === null ? 0 : u32ArrayIn(docs.ptr, 0), firstDoc, docCount }),
    );
  }
}

const isByDocument = (ref: number): boolean => ref !== SAME_SPELLING && ref >= SPELLING_BY_DOC;

class HeldForward implements HeldMemory {
  private readonly kernel: Kernel;
  private readonly docs: KernelBlock | null;
  readonly forward: ForwardColumn;
  readonly kind = 'columns';
  readonly byteCount: number;

  constructor(kernel: Kernel, docs: KernelBlock | null, forward: ForwardColumn) {
    this.kernel = kernel;
    this.docs = docs;
    this.forward = forward;
    this.byteCount = forward.byteCount + (docs?.byteCount ?? 0);
  }

  free(): void {
    this.kernel.memory.free(this.forward.ptr);
    this.docs?.free();
  }
}

/** target |= live documents of groups [from, to) of the column. */
export function orLiveGroups(target: Bitmap, column: ColumnReader, side: Side, from: number, to: number): void {
  if (from < to) column.windows[side].or(target, from, to, column.segment.deleted);
}

/** target |= live documents of a list of groups. O(their documents). */
export function orGroupList(target: Bitmap, column: ColumnReader, side: Side, groups: readonly number[]): void {
  column.kernel.columns.orListedGroups(target, column[side], Uint32Array.from(groups), 0, column.live(0));
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
