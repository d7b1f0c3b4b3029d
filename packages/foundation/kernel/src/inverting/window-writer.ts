import type { DocId } from '@fossick/base';
import type { KernelExports } from '../kernel-exports.js';
import { WINDOW_RECORD_BYTES } from '../layout.js';
import { KernelPart, type MemoryView } from '../memory-view.js';
import type { PostingList, Ptr } from '../ptr.js';
import type { Inverter } from './inverter.js';

/** The windows of a word or a prefix in a segment. Bytes are counted over all that was taken, in order. */
export interface StoredWindows {
  /** The table of the word, or of the prefix's words. */
  readonly table: 0 | 1;
  /** Bytes of a prefix; 0: a word. */
  readonly length: number;
  /** The word's ordinal, or the bytes of the prefix, the last one lowest; of a prefix of more than four bytes the ordinal of its first word. */
  readonly key: number;
  /** Documents of the word, or the sum over all words of the prefix. */
  readonly docCount: number;
  /** Byte offset of its windows. */
  readonly at: number;
  /** Which windows it has, a bit each: those of fields (by the bit's number), or of all documents (bit 0) where fields have none; then those of positions. */
  readonly slots: number;
  /** Bytes of each window; they are consecutive. */
  readonly byteCounts: readonly number[];
}

/** Makes the windows of common words and prefixes that are stored with a segment (docs/internals/storage-layout.md). In long-lived memory until it is closed. */
export class WindowWriter extends KernelPart {
  private readonly writer: Ptr;

  constructor(exports: KernelExports, memory: MemoryView, firstDoc: DocId, lastDoc: DocId, fieldCount: number) {
    super(exports, memory);
    this.writer = exports.windowsNew(firstDoc, lastDoc, fieldCount) >>> 0;
  }

  /** Sets the table of the following words. */
  startTable(table: 0 | 1): void {
    this.exports.windowsTable(this.writer, table);
  }

  /** Adds the next word in byte order, with its list in kernel memory. O(occurrences). */
  add(word: Uint8Array, list: PostingList): void {
    this.exports.windowsAdd(this.writer, fourBytes(word, 0), fourBytes(word, 4), word.length, list);
  }

  /** Adds the words of the inverter's last table from `from` on, until `byteCount` bytes can be taken; returns the index of the next word. */
  addTable(inverter: Inverter, wordCount: number, from: number, byteCount: number): number {
    return this.exports.windowsAddTable(this.writer, inverter.ptr, wordCount, from, byteCount) >>> 0;
  }

  get waitingBytes(): number {
    return this.exports.windowsOutBytes(this.writer) >>> 0;
  }

  /** Bytes of the windows made since the last call; a view, valid until the next call of the kernel. */
  take(): Uint8Array {
    const at = this.exports.windowsOut(this.writer) >>> 0;
    const bytes = this.memory.u8.subarray(at, at + this.waitingBytes);
    this.exports.windowsTaken(this.writer);
    return bytes;
  }

  /** To be called after the last word, before the last `take`. */
  end(): void {
    this.exports.windowsEnd(this.writer);
  }

  /** The records of all windows; a copy. */
  records(): Uint8Array {
    const at = this.exports.windowsRecords(this.writer) >>> 0;
    const byteCount = this.exports.windowsRecordBytes(this.writer) >>> 0;
    return this.memory.u8.slice(at, at + byteCount);
  }

  close(): void {
    this.exports.windowsFree(this.writer);
  }
}

/** Four bytes of a word, zero-padded, the first one highest. */
const fourBytes = (word: Uint8Array, at: number): number =>
  ((word[at] ?? 0) << 24) | ((word[at + 1] ?? 0) << 16) | ((word[at + 2] ?? 0) << 8) | (word[at + 3] ?? 0);

/** Reads records, given as u32 numbers. O(records). */
export function* readWindowRecords(words: Uint32Array): Generator<StoredWindows> {
  for (let at = 0; at < words.length; ) {
    const [kind, key, docCount, start, slots] = [
      words[at]!,
      words[at + 1]!,
      words[at + 2]!,
      words[at + 3]!,
      words[at + 4]!,
    ];
    at += RECORD_WORDS;
    const byteCounts: number[] = [];
    for (let rest = slots; rest !== 0; rest &= rest - 1) byteCounts.push(words[at++]!);
    yield { table: ((kind >>> 3) & 1) as 0 | 1, length: kind & 7, key, docCount, at: start, slots, byteCounts };
  }
}

const RECORD_WORDS = WINDOW_RECORD_BYTES / 4;
