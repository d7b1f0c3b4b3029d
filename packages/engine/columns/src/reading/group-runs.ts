/** Groups of a column in runs: a sort that ends after a page needs a few groups of a million, with their values. */
import type { ExactNumber } from '@fossick/documents/stored';
import type { DocGroups, Kernel } from '@fossick/kernel';
import { type EvictingMemory, HeldByKey } from '@fossick/kernel/memory';
import { exactSum, type SectionName } from '../bytes/column-format.js';
import { copyOfSpan, madeSpan } from '../bytes/column-spans.js';
import { HeldGroups, type Side, type StoredColumn } from './stored-column.js';

/** Runs begin at multiples of this many groups, or where the previous one ends. */
const RUN_GROUPS = 256;
/** A run has no more documents, unless its first group has. */
const RUN_DOCS = 16_384;
/** The whole column is read once runs have taken a part of its bytes: reading all of it in runs costs three times as much. */
const WHOLE_SHARE = 8;

/** Consecutive groups with their values. */
export interface GroupRun {
  /** Groups [from, to) of the column. */
  readonly from: number;
  readonly to: number;
  /** Their documents; the first group has the number 0. */
  readonly groups: DocGroups;
  /** The number of a group of the column. */
  numberAt(group: number): ExactNumber;
  /** The UTF-8 bytes of the normalised value of a group of the column; not to be modified. */
  textAt(group: number): Uint8Array;
}

/** The column of the runs, which reads whole sections. */
export interface WholeColumn {
  readonly kernel: Kernel;
  readonly memory: EvictingMemory;
  groupCount(side: Side): number;
  /** Whether documents and values of the side are in memory. */
  isLoaded(side: Side): boolean;
  loadGroups(side: Side): DocGroups;
  numberAt(group: number): ExactNumber;
  textAt(group: number): Uint8Array;
}

const SECTIONS = {
  numbers: { offsets: 'numberOffsets', docs: 'numberDocs', values: 'numbers' },
  strings: { offsets: 'stringOffsets', docs: 'stringDocs', values: 'text' },
} as const satisfies Record<Side, Record<'offsets' | 'docs' | 'values', SectionName>>;

/** The runs of one column, which memory may evict between two views. */
export class GroupRuns {
  private readonly stored: StoredColumn;
  private readonly column: WholeColumn;
  private readonly runs: Record<Side, HeldByKey<number, HeldRun>>;
  private readonly readBytes: Record<Side, number> = { numbers: 0, strings: 0 };

  constructor(stored: StoredColumn, column: WholeColumn) {
    this.stored = stored;
    this.column = column;
    this.runs = { numbers: new HeldByKey(column.memory), strings: new HeldByKey(column.memory) };
  }

  /** The run of a group, valid until the view ends: all groups where these are in memory, or are read often. */
  at(side: Side, group: number): GroupRun {
    if (this.column.isLoaded(side) || this.readBytes[side] * WHOLE_SHARE > this.byteCount(side)) return this.all(side);
    const { offsets, from, to } = this.bounds(side, group);
    return this.runs[side].load(from, () => {
      const run = new HeldRun(this.stored, side, offsets, from, to);
      this.readBytes[side] += run.readBytes;
      return run;
    });
  }

  /** All groups, for walks that need most of them. */
  all(side: Side): GroupRun {
    const { column } = this;
    const groups = column.loadGroups(side);
    const numberAt = (group: number): ExactNumber => column.numberAt(group);
    return { from: 0, to: groups.count, groups, numberAt, textAt: (group) => column.textAt(group) };
  }

  /** Frees its kernel memory. Only between views. */
  close(): void {
    this.runs.numbers.drop();
    this.runs.strings.drop();
  }

  private byteCount(side: Side): number {
    const { layout } = this.stored;
    const { offsets, docs, values } = SECTIONS[side];
    return [offsets, docs, values].reduce((sum, name) => sum + layout[name].to - layout[name].from, 0);
  }

  /** The bounds [from, to) of the run of a group, and where the documents of each of its groups begin, with the end of the last. */
  private bounds(side: Side, group: number): { offsets: Uint32Array; from: number; to: number } {
    const first = group - (group % RUN_GROUPS);
    const end = Math.min(first + RUN_GROUPS, this.column.groupCount(side));
    const offsets = wordsOf(this.stored, SECTIONS[side].offsets, first, end + 1);
    let from = first;
    for (let to = first + 1; to < end; to++) {
      if (offsets[to + 1 - first]! - offsets[from - first]! <= RUN_DOCS) continue;
      if (to > group) return { offsets: offsets.subarray(from - first, to + 1 - first), from, to };
      from = to;
    }
    return { offsets: offsets.subarray(from - first), from, to: end };
  }
}

/** A copy of words [from, to) of a section. */
function wordsOf(stored: StoredColumn, name: SectionName, from: number, to: number): Uint32Array {
  const at = stored.layout[name].from;
  return new Uint32Array(copyOfSpan(stored.bytes, at + from * 4, at + to * 4).buffer);
}

/** A run in memory. */
class HeldRun extends HeldGroups implements GroupRun {
  /** Bytes that were read for it. */
  readonly readBytes: number;
  readonly from: number;
  readonly to: number;
  private readonly numbers: Float64Array;
  /** What is added to each number; empty: nothing. */
  private readonly rests: Int32Array;
  private readonly textOffsets: Uint32Array;
  private readonly text: Uint8Array;
  /** Bytes outside of the kernel. */
  private readonly valueBytes: number;

  constructor(stored: StoredColumn, side: Side, offsets: Uint32Array, from: number, to: number) {
    const { kernel, layout, bytes, structures } = stored;
    const [firstDoc, endDoc] = [offsets[0]!, offsets[to - from]!];
    const docsAt = layout[SECTIONS[side].docs].from;
    const structure = structures.load(`run:${side}:${from}:${to}`, () => {
      const starts = new Uint8Array(offsets.map((offset) => offset - firstDoc).buffer);
      return madeSpan(kernel, bytes, docsAt + firstDoc * 4, docsAt + endDoc * 4, starts);
    });
    super(structure, to - from, offsets.byteLength);
    this.from = from;
    this.to = to;
    const isNumber = side === 'numbers';
    const at = layout.numbers.from;
    const numbers = isNumber ? copyOfSpan(bytes, at + from * 8, at + to * 8) : new Uint8Array(0);
    this.numbers = new Float64Array(numbers.buffer);
    const hasRests = isNumber && stored.wordCount('rests') > 0;
    this.rests = hasRests ? new Int32Array(wordsOf(stored, 'rests', from, to)) : new Int32Array(0);
    this.textOffsets = isNumber ? new Uint32Array(1) : wordsOf(stored, 'textOffsets', from, to + 1);
    const [textFrom, textTo] = [this.textOffsets[0]!, this.textOffsets.at(-1)!];
    this.text = copyOfSpan(bytes, layout.text.from + textFrom, layout.text.from + textTo);
    this.valueBytes = numbers.length + this.rests.byteLength + this.textOffsets.byteLength + this.text.length;
    this.readBytes = offsets.byteLength + (endDoc - firstDoc) * 4 + this.valueBytes;
  }

  numberAt(group: number): ExactNumber {
    const { from, numbers, rests } = this;
    return exactSum(numbers[group - from]!, rests.length === 0 ? 0 : rests[group - from]!);
  }

  textAt(group: number): Uint8Array {
    const { from, text, textOffsets } = this;
    const [first] = textOffsets;
    return text.subarray(textOffsets[group - from]! - first!, textOffsets[group - from + 1]! - first!);
  }

  override get byteCount(): number {
    return super.byteCount + this.valueBytes;
  }

  get groups(): DocGroups {
    return this;
  }
}
