import type { DocId } from '@fossick/base';
import type { Inverter } from './inverter-port.js';
import type { KernelExports } from './kernel-exports.js';
import { WINDOW_RECORD_BYTES } from './layout.js';
import type { MemoryView } from './memory-view.js';
import type { PostingList, Ptr } from './ptr.js';

/** What a word or a beginning of words has in a segment. Bytes are those of all that was taken, in the order in which it was made. */
export interface StoredWindows {
  /** Of a word's table, or of a beginning's words. */
  readonly table: 0 | 1;
  /** Bytes of a beginning; 0: a word. */
  readonly length: number;
  /** The word's ordinal, or the bytes of the beginning, the last one lowest. */
  readonly key: number;
  /** Documents of the word, or of all words, those of several counted each time. */
  readonly docCount: number;
  /** Where its windows begin. */
  readonly at: number;
  /** Which windows it has, a bit each: of fields (with the bit's number), or of all documents (0) where fields have none; of positions behind. */
  readonly slots: number;
  /** Bytes of each, one after another. */
  readonly byteCounts: readonly number[];
}

/** Makes what is written of common words and beginnings of words with a segment (docs/storage-layout.md). In long-lived memory until it is closed. */
export class WindowWriter {
  private readonly exports: KernelExports;
  private readonly memory: MemoryView;
  private readonly writer: Ptr;

  constructor(exports: KernelExports, memory: MemoryView, firstDoc: DocId, lastDoc: DocId, fieldCount: number) {
    this.exports = exports;
    this.memory = memory;
    this.writer = exports.windowsNew(firstDoc, lastDoc, fieldCount) >>> 0;
  }

  /** Words that are added next are of this table. */
  startTable(table: 0 | 1): void {
    this.exports.windowsTable(this.writer, table);
  }

  /** Adds the next word in byte order, with its list in kernel memory. O(occurrences). */
  add(word: Uint8Array, list: PostingList): void {
    const head = ((word[0] ?? 0) << 24) | ((word[1] ?? 0) << 16) | ((word[2] ?? 0) << 8) | (word[3] ?? 0);
    this.exports.windowsAdd(this.writer, head, word.length, list);
  }

  /** Adds the words of the table that the inverter made last, from `from` on, until so many bytes wait; answers the first word that is left. */
  addTable(inverter: Inverter, wordCount: number, from: number, byteCount: number): number {
    return this.exports.windowsAddTable(this.writer, inverter.ptr, wordCount, from, byteCount) >>> 0;
  }

  get waitingBytes(): number {
    return this.exports.windowsOutBytes(this.writer) >>> 0;
  }

  /** Bytes of the windows that were made since the last call; a view, good until the next call of the kernel. */
  take(): Uint8Array {
    const at = this.exports.windowsOut(this.writer) >>> 0;
    const bytes = this.memory.u8.subarray(at, at + this.waitingBytes);
    this.exports.windowsTaken(this.writer);
    return bytes;
  }

  /** To be called behind the last word, before what is left is taken. */
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

/** Reads records; `words` are theirs as numbers. O(records). */
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
