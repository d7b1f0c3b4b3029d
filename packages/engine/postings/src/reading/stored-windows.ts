import type { DocId, TermOrdinal } from '@fossick/base';
import {
  getChunks,
  listsLocation,
  PARTS,
  type PartLocation,
  type RowReader,
  readSpan,
  type SegmentInfo,
} from '@fossick/format';
import {
  type Block,
  type Kernel,
  readWindowRecords,
  type StoredWindows,
  WINDOW_FIELDS_MAX,
  type Window,
} from '@fossick/kernel';
import type { HeldMemory } from '@fossick/kernel/memory';
import { WINDOWS_HEADER_WORDS, WINDOWS_MAGIC } from '../building/segment-windows.js';
import type { WordTable } from './segment-terms.js';

/** Rough bytes of a record as an object, with its map entry. */
const RECORD_BYTES = 200;
const LANE_BITS = 128;
/** Longer prefixes have no windows. */
const PREFIX_BYTES_MAX = 7;
/** Prefixes of more bytes are found by the ordinal of their first word. */
const KEY_BYTES = 4;

/** Windows stored with a segment for one word, or for all words with a prefix. */
export interface WordWindows {
  /** Sum of the document counts of the words, deleted documents included; a document with several of the words counts several times. */
  readonly docCount: number;
  /** The docid range that all windows span. */
  readonly firstDoc: DocId;
  readonly bitCount: number;
  /** Number of fields with a window of their own; 0 when one window covers all fields. */
  readonly fieldCount: number;
  /** Whether the window has any document. */
  has(slot: number): boolean;
  /** Sets the documents of a window, deleted ones included, in a bitmap of the whole range. */
  read(slot: number, window: Window): void;
  /** Bytes in which the window is stored, for each table of words that has it. */
  partBytes(slot: number): readonly number[];
  /** Copies these bytes, one part after another. */
  copy(slot: number, target: Block): void;
}

/** Index of the stored window that covers a position. */
export const positionSlot = (position: number): number => WINDOW_FIELDS_MAX + position;

/** The stored windows of a segment, by word and by prefix. Their records are in memory, their bits in the store. */
export class SegmentWindowRecords implements HeldMemory {
  private readonly kernel: Kernel;
  private readonly rows: RowReader;
  private readonly location: PartLocation;
  readonly kind = 'terms';
  readonly byteCount: number;
  private readonly firstDoc: DocId;
  private readonly bitCount: number;
  private readonly fieldCount: number;
  private readonly records = new Map<number, StoredWindows>();

  private constructor(kernel: Kernel, rows: RowReader, location: PartLocation, words: Uint32Array) {
    this.kernel = kernel;
    this.rows = rows;
    this.location = location;
    const [firstDoc, lastDoc, fieldCount] = [words[1]!, words[2]!, words[3]!];
    this.firstDoc = (firstDoc - (firstDoc % LANE_BITS)) as DocId;
    this.bitCount = lastDoc - (lastDoc % LANE_BITS) + LANE_BITS - this.firstDoc;
    this.fieldCount = fieldCount <= WINDOW_FIELDS_MAX ? fieldCount : 0;
    for (const record of readWindowRecords(words.subarray(WINDOWS_HEADER_WORDS)))
      this.records.set(keyOf(record.table, record.length, record.key), record);
    this.byteCount = this.records.size * RECORD_BYTES;
  }

  /** Null for a segment without windows. */
  static open(kernel: Kernel, rows: RowReader, info: SegmentInfo): SegmentWindowRecords | null {
    const bytes = getChunks(rows, info.id, PARTS.windowRecords);
    if (bytes === undefined) return null;
    const words = new Uint32Array(bytes.slice().buffer);
    if (words[0] !== WINDOWS_MAGIC) return null;
    return new SegmentWindowRecords(kernel, rows, listsLocation(info, PARTS.windows), words);
  }

  ofWord(table: WordTable, ordinal: TermOrdinal): WordWindows | null {
    return this.windowsOf(keyOf(numberOf(table), 0, ordinal));
  }

  /** The windows of the words of one table; `first`: the ordinal of the first of them. */
  ofPrefix(table: WordTable, prefix: Uint8Array, first: TermOrdinal): WordWindows | null {
    if (prefix.length > PREFIX_BYTES_MAX) return null;
    let key = 0;
    if (prefix.length > KEY_BYTES) key = first;
    else for (const byte of prefix) key = key * 256 + byte;
    return this.windowsOf(keyOf(numberOf(table), prefix.length, key));
  }

  free(): void {
    this.records.clear();
  }

  private windowsOf(key: number): WordWindows | null {
    const record = this.records.get(key);
    if (record === undefined) return null;
    const { firstDoc, bitCount, fieldCount } = this;
    return {
      docCount: record.docCount,
      firstDoc,
      bitCount,
      fieldCount,
      has: (slot) => (record.slots & (1 << slot)) !== 0,
      read: (slot, window) => this.read(record, slot, window),
      partBytes: (slot) => {
        const { byteCount } = spanOf(record, slot);
        return byteCount === 0 ? [] : [byteCount];
      },
      copy: (slot, target) => this.copy(spanOf(record, slot), target),
    };
  }

  private read(record: StoredWindows, slot: number, window: Window): void {
    const span = spanOf(record, slot);
    if (span.byteCount === 0) return;
    const { kernel } = this;
    const mark = kernel.memory.mark();
    const isWhole = span.byteCount === this.bitCount / 8 && kernel.bitmaps.isEmpty(window);
    const target = isWhole ? kernel.windows.bits(window) : kernel.memory.scratch(span.byteCount);
    this.copy(span, target);
    if (!isWhole) kernel.windows.addStored(window, target, span.byteCount);
    kernel.memory.release(mark);
  }

  private copy({ from, byteCount }: Span, target: Block): void {
    const { memory } = this.kernel;
    readSpan(this.rows, this.location, from, from + byteCount, (piece, done) => memory.write(target, piece, done));
  }
}

interface Span {
  readonly from: number;
  /** 0: the window is empty. */
  readonly byteCount: number;
}

function spanOf({ slots, byteCounts, at }: StoredWindows, slot: number): Span {
  if ((slots & (1 << slot)) === 0) return { from: at, byteCount: 0 };
  let index = 0;
  let from = at;
  for (let before = slots & ((1 << slot) - 1); before !== 0; before &= before - 1) from += byteCounts[index++]!;
  return { from, byteCount: byteCounts[index]! };
}

/** The windows of all words with a prefix, from both tables. */
export function joinedWindows(left: WordWindows, right: WordWindows): WordWindows {
  return {
    ...left,
    docCount: left.docCount + right.docCount,
    has: (slot) => left.has(slot) || right.has(slot),
    read: (slot, window) => {
      left.read(slot, window);
      right.read(slot, window);
    },
    partBytes: (slot) => [...left.partBytes(slot), ...right.partBytes(slot)],
    copy: (slot, target) => {
      left.copy(slot, target);
      right.copy(slot, (target + (left.partBytes(slot)[0] ?? 0)) as Block);
    },
  };
}

const numberOf = (table: WordTable): 0 | 1 => (table === 'fuzzy' ? 0 : 1);

/** Key of a record within a segment, below 2^36. */
const keyOf = (table: 0 | 1, length: number, key: number): number => (table * 8 + length) * 2 ** 32 + key;
