/**
 * The documents where one common word directly precedes another: a list for each pair of a segment's most common words, in ranges of docids. A range begins with
 * the ends of its lists. docs/internals/storage-layout.md draws the bytes.
 */
import type { TermOrdinal } from '@fossick/base';

/** Magic number of the header. */
const MAGIC = 0x31_50_53_46;
const HEADER_WORDS = 5;
const PAIRED_WORD_WORDS = 2;
/** The most words that are paired: a pair's number then has 16 bits. */
export const PAIRED_WORDS_MAX = 256;

/** A word of the segment: its table (0 fuzzy, 1 exact), and its ordinal there. */
export interface PairedWord {
  readonly table: 0 | 1;
  readonly ordinal: TermOrdinal;
}

/** Where the lists are. Range r has the docids from (firstRange + r) * 2^rangeBits on. */
export interface PairHeader {
  readonly rangeBits: number;
  readonly firstRange: number;
  /** The pair of words i and j, in this order, is number i * words.length + j. */
  readonly words: readonly PairedWord[];
  /** The first byte of each range, and the end of the last one. */
  readonly rangeAt: readonly number[];
}

/** Bytes of a range's list ends. */
export function endsBytes(wordCount: number): number {
  return wordCount * wordCount * 4;
}

export function encodePairHeader({ rangeBits, firstRange, words, rangeAt }: PairHeader): Uint8Array {
  const numbers = [
    ...[MAGIC, rangeBits, firstRange, words.length, rangeAt.length],
    ...words.flatMap(({ table, ordinal }) => [table, ordinal]),
    ...rangeAt,
  ];
  const bytes = new Uint8Array(numbers.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [at, number] of numbers.entries()) view.setUint32(at * 4, number, true);
  return bytes;
}

/** Null for bytes of another release. */
export function decodePairHeader(bytes: Uint8Array): PairHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const numberAt = (at: number): number => view.getUint32(at * 4, true);
  if (bytes.length < HEADER_WORDS * 4 || numberAt(0) !== MAGIC) return null;
  const [rangeBits, firstRange, wordCount, boundCount] = [numberAt(1), numberAt(2), numberAt(3), numberAt(4)];
  const boundsAt = HEADER_WORDS + wordCount * PAIRED_WORD_WORDS;
  return {
    rangeBits,
    firstRange,
    words: Array.from({ length: wordCount }, (_, at) => ({
      table: numberAt(HEADER_WORDS + at * PAIRED_WORD_WORDS) as 0 | 1,
      ordinal: numberAt(HEADER_WORDS + at * PAIRED_WORD_WORDS + 1) as TermOrdinal,
    })),
    rangeAt: Array.from({ length: boundCount }, (_, at) => numberAt(boundsAt + at)),
  };
}

/** Appends the lists of one range to a growing buffer. */
export class PairListWriter {
  private readonly bitmapBytes: number;
  private buffer: Uint8Array;
  private used = 0;

  constructor(rangeBits: number) {
    this.bitmapBytes = 2 ** rangeBits / 8;
    this.buffer = new Uint8Array(this.bitmapBytes * 4);
  }

  get bytes(): Uint8Array {
    return this.buffer.subarray(0, this.used);
  }

  get byteCount(): number {
    return this.used;
  }

  clear(): void {
    this.used = 0;
  }

  /** Appends a list as it is. */
  appendList(list: Uint8Array): void {
    this.reserve(list.length);
    this.buffer.set(list, this.used);
    this.used += list.length;
  }

  /**
   * Appends ascending documents, counted from the start of the range: the difference of each to the one before, less one, in 7 bits a byte; or, where that is not
   * shorter, a bit for each of the range, lowest first.
   */
  append(docs: Uint16Array | Uint32Array): void {
    if (docs.length === 0) return;
    const { bitmapBytes } = this;
    this.reserve(bitmapBytes + 4);
    const { buffer, used } = this;
    const end = used + bitmapBytes;
    let at = used;
    let before = -1;
    for (let i = 0; i < docs.length && at < end; i++) {
      let gap = docs[i]! - before - 1;
      before = docs[i]!;
      for (; gap >= 0x80; gap >>>= 7) buffer[at++] = (gap & 0x7f) | 0x80;
      buffer[at++] = gap;
    }
    if (at >= end) {
      at = end;
      buffer.fill(0, used, end);
      for (const doc of docs) buffer[used + (doc >>> 3)]! |= 1 << (doc & 7);
    }
    this.used = at;
  }

  private reserve(byteCount: number): void {
    if (this.used + byteCount <= this.buffer.length) return;
    const larger = new Uint8Array(this.buffer.length * 2);
    larger.set(this.bytes);
    this.buffer = larger;
  }
}

/** Collects the documents of lists, range after range. */
export class PairDocs {
  private readonly rangeBits: number;
  private docs = new Uint32Array(1_024);
  private count = 0;

  constructor(rangeBits: number) {
    this.rangeBits = rangeBits;
  }

  /** Valid until the next change. */
  get docIds(): Uint32Array<ArrayBuffer> {
    return this.docs.subarray(0, this.count);
  }

  clear(): void {
    this.count = 0;
  }

  /** Adds the documents of a list; `range`: the number of its range, from docid 0 on. */
  add(list: Uint8Array, range: number): void {
    const first = range * 2 ** this.rangeBits;
    const isBitmap = list.length === 2 ** this.rangeBits / 8;
    this.reserve(isBitmap ? list.length * 8 : list.length);
    if (isBitmap) this.addBits(list, first);
    else this.addGaps(list, first);
  }

  private addBits(list: Uint8Array, first: number): void {
    const { docs } = this;
    let { count } = this;
    for (let byte = 0; byte < list.length; byte++)
      for (let bits = list[byte]!; bits !== 0; bits &= bits - 1)
        docs[count++] = first + byte * 8 + (31 - Math.clz32(bits & -bits));
    this.count = count;
  }

  private addGaps(list: Uint8Array, first: number): void {
    const { docs } = this;
    let { count } = this;
    let doc = first - 1;
    for (let at = 0; at < list.length; ) {
      let byte = list[at++]!;
      let gap = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = list[at++]!;
        gap |= (byte & 0x7f) << shift;
      }
      doc += gap + 1;
      docs[count++] = doc;
    }
    this.count = count;
  }

  private reserve(more: number): void {
    if (this.count + more <= this.docs.length) return;
    const larger = new Uint32Array(Math.max(this.docs.length * 2, this.count + more));
    larger.set(this.docIds);
    this.docs = larger;
  }
}
