/** Writes with a large segment the documents where one of its most common words directly precedes another. */
import type { SegmentId, TermOrdinal } from '@fossick/base';
import { type Bitmap, type Block, type Kernel, type LivePostings, type None, postingListIn } from '@fossick/kernel';
import { encodePairHeader, PAIRED_WORDS_MAX, PairListWriter } from '../rows/pair-lists.js';
import { PartWriter } from '../rows/part-stream.js';
import { LIST_ROW_BYTES, PARTS, putChunks, type SegmentRows } from '../rows/rows.js';
import { PairRange } from './pair-range.js';
import type { DocStretch } from './segment-windows.js';

/** Segments with fewer documents get no pairs: walking both lists of common words takes some milliseconds then. */
const DOCS_MIN = 131_072;
/** Words in fewer than one of so many documents are not paired: their walks are short. */
const COMMON_SHARE = 64;
/** A range has 2^16 documents or, where these are long, as many as have about so many bytes of lists. */
const RANGE_BITS_MAX = 16;
const RANGE_LIST_BYTES = 4 << 20;

/** A common word. */
export interface CommonWord {
  readonly table: 0 | 1;
  readonly ordinal: TermOrdinal;
  readonly docCount: number;
  /** Its encoded lists, each with the documents to leave out. Only called for words that are paired; valid until the next call. */
  readonly read: () => Iterable<StoredList>;
}
export interface StoredList {
  readonly bytes: Uint8Array;
  readonly deleted: Bitmap | None;
}

interface LoadedLists {
  /** The lists of each word. */
  readonly lists: readonly (readonly LivePostings[])[];
  readonly byteCount: number;
}

/** Collects the common words of a segment, and then writes its pairs. */
export class SegmentPairs {
  private readonly kernel: Kernel;
  private readonly sink: SegmentRows;
  private readonly segmentId: SegmentId;
  private readonly stretch: DocStretch;
  private words: CommonWord[] = [];

  private constructor(kernel: Kernel, sink: SegmentRows, segmentId: SegmentId, stretch: DocStretch) {
    this.kernel = kernel;
    this.sink = sink;
    this.segmentId = segmentId;
    this.stretch = stretch;
  }

  /** Null when pairs are not worth writing. */
  static begin(kernel: Kernel, sink: SegmentRows, segmentId: SegmentId, stretch: DocStretch): SegmentPairs | null {
    return stretch.docCount < DOCS_MIN ? null : new SegmentPairs(kernel, sink, segmentId, stretch);
  }

  isCommon(docCount: number): boolean {
    return docCount * COMMON_SHARE >= this.stretch.docCount;
  }

  add(word: CommonWord): void {
    this.words.push(word);
    if (this.words.length > 2 * PAIRED_WORDS_MAX) this.keepMostCommon();
  }

  /** Writes the pairs. Yields often, with the approximate number of bytes read since. O(occurrences of the words) */
  *write(): Generator<number, void> {
    this.keepMostCommon();
    const words = this.words.sort((a, b) => a.table - b.table || a.ordinal - b.ordinal);
    if (words.length === 0) return;
    const blocks: Block[] = [];
    try {
      const { lists, byteCount } = yield* this.load(words, blocks);
      yield* this.writeRanges(words, lists, byteCount);
    } finally {
      for (const block of blocks) this.kernel.memory.free(block);
    }
  }

  private *load(words: readonly CommonWord[], blocks: Block[]): Generator<number, LoadedLists> {
    const { memory } = this.kernel;
    const lists: LivePostings[][] = [];
    let byteCount = 0;
    for (const { read } of words) {
      const ofWord: LivePostings[] = [];
      const before = byteCount;
      for (const { bytes, deleted } of read()) {
        const block = memory.allocate(bytes.length);
        blocks.push(block);
        memory.write(block, bytes);
        byteCount += bytes.length;
        ofWord.push({ ptr: postingListIn(block, 0), deleted });
      }
      lists.push(ofWord);
      yield byteCount - before;
    }
    return { lists, byteCount };
  }

  private *writeRanges(
    words: readonly CommonWord[],
    lists: readonly (readonly LivePostings[])[],
    listBytes: number,
  ): Generator<number, void> {
    const { firstDoc, lastDoc } = this.stretch;
    const rangeBits = rangeBitsFor(listBytes, lastDoc - firstDoc + 1);
    const firstRange = Math.floor(firstDoc / 2 ** rangeBits);
    const { segmentId } = this;
    const part = new PartWriter(this.sink, { segmentId, part: PARTS.pairs, firstChunk: 0, rowBytes: LIST_ROW_BYTES });
    const out = new PairListWriter(rangeBits);
    const rangeAt = [0];
    for (let range = firstRange; range * 2 ** rangeBits <= lastDoc; range++) {
      const pairs = new PairRange(range * 2 ** rangeBits, rangeBits, words.length);
      for (const ofWord of lists) {
        const occurrences = this.occurrencesIn(range, rangeBits, ofWord);
        pairs.add(occurrences);
        yield occurrences.length;
      }
      out.clear();
      const ends = yield* pairs.write(out);
      part.append(new Uint8Array(ends.buffer));
      part.append(out.bytes);
      rangeAt.push(part.byteCount);
      yield out.byteCount;
    }
    part.finish();
    const header = encodePairHeader({ rangeBits, firstRange, words, rangeAt });
    putChunks(this.sink, segmentId, PARTS.pairHeader, header);
  }

  private keepMostCommon(): void {
    if (this.words.length <= PAIRED_WORDS_MAX) return;
    this.words = this.words.sort((a, b) => b.docCount - a.docCount).slice(0, PAIRED_WORDS_MAX);
  }

  private occurrencesIn(range: number, rangeBits: number, lists: readonly LivePostings[]): Uint32Array {
    const { memory, bitmaps, tables } = this.kernel;
    const mark = memory.mark();
    const firstByte = (range * 2 ** rangeBits) / 8;
    const universe = bitmaps.create((range + 1) * 2 ** rangeBits);
    bitmaps.writeBits(universe, firstByte, new Uint8Array(2 ** rangeBits / 8).fill(0xff));
    const found = tables.entries(tables.gather(lists, universe));
    memory.release(mark);
    return found;
  }
}

/** At least 2^7 documents, so that ranges end with lanes of bitmaps. */
function rangeBitsFor(listBytes: number, docCount: number): number {
  let bits = RANGE_BITS_MAX;
  while (bits > 7 && (listBytes / docCount) * 2 ** bits > RANGE_LIST_BYTES) bits -= 1;
  return bits;
}
