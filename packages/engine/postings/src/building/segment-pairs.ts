/** Writes with a large segment the documents where one of its most common words directly precedes another. */
import type { SegmentId, TermOrdinal } from '@fossick/base';
import {
  LIST_ROW_BYTES,
  PARTS,
  PartWriter,
  putChunks,
  type RowReader,
  type RowSource,
  type SegmentInfo,
  type SegmentRows,
} from '@fossick/format/building';
import { type Bitmap, type Block, type Kernel, type LivePostings, type None, postingListIn } from '@fossick/kernel';
import { encodePairHeader, PAIRED_WORDS_MAX, PairListWriter } from '../bytes/pair-lists.js';
import { PairRanges } from '../bytes/pair-ranges.js';
import { JoinedPairs } from './joined-pairs.js';
import { PairRange } from './pair-range.js';
import type { DocRange } from './segment-windows.js';

/** Segments with fewer documents get no pairs: walking both lists of common words takes some milliseconds then. */
const DOCS_MIN = 65_536;
/** Words in fewer than one of this many documents are not paired: their walks are short. */
const COMMON_SHARE = 64;
/** A range has 2^16 documents or, where these are long, as many as have about this many bytes of lists. */
const RANGE_BITS_MAX = 16;
const RANGE_LIST_BYTES = 4 << 20;
/** Pairs of sources are joined when these have paired at least this part of the words: words that have become common since are left out then. */
const JOINED_SHARE = 0.9;
/** Pairs between two pauses. */
const PAIRS_BETWEEN_PAUSES = 4_096;

/** A segment that is merged. */
export interface PairSource {
  readonly info: Pick<SegmentInfo, 'id' | 'rowBytes'>;
  /** Documents to leave out. */
  readonly deleted: Bitmap | None;
}

/** A common word of the merged segment. */
export interface CommonWord {
  readonly table: 0 | 1;
  readonly ordinal: TermOrdinal;
  readonly docCount: number;
  readonly lists: readonly ListInSource[];
}
export interface ListInSource {
  /** The index of the source. */
  readonly source: number;
  /** The word's ordinal there. */
  readonly ordinal: TermOrdinal;
  /** Its encoded list; valid until the next one is read. */
  readonly read: () => Uint8Array;
}

/** What is written, and from what. */
interface PairPlan {
  readonly words: readonly CommonWord[];
  /** Sources whose own pairs are joined; of others, lists are gathered. */
  readonly joined: readonly JoinedPairs[];
  readonly lists: readonly (readonly LivePostings[])[];
  readonly rangeBits: number;
}

/** Collects the common words of a merged segment, and then writes its pairs. */
export class SegmentPairs {
  private readonly kernel: Kernel;
  private readonly rows: (RowSource | RowReader) & SegmentRows;
  private readonly segmentId: SegmentId;
  private readonly docRange: DocRange;
  private readonly sources: readonly PairSource[];
  private words: CommonWord[] = [];

  /** @param rows the sources are read from them */
  constructor(
    kernel: Kernel,
    rows: (RowSource | RowReader) & SegmentRows,
    segmentId: SegmentId,
    docRange: DocRange,
    sources: readonly PairSource[],
  ) {
    this.kernel = kernel;
    this.rows = rows;
    this.segmentId = segmentId;
    this.docRange = docRange;
    this.sources = sources;
  }

  isCommon(docCount: number): boolean {
    const segmentDocs = this.docRange.docCount;
    return segmentDocs >= DOCS_MIN && docCount * COMMON_SHARE >= segmentDocs;
  }

  add(word: CommonWord): void {
    this.words.push(word);
    if (this.words.length > 2 * PAIRED_WORDS_MAX) this.keepMostCommon();
  }

  /** Writes the pairs, if there are common words. Yields often, with the approximate number of bytes read since. O(occurrences of the words) */
  *write(): Generator<number, void> {
    this.keepMostCommon();
    const words = this.words.sort((a, b) => a.table - b.table || a.ordinal - b.ordinal);
    if (words.length === 0) return;
    const blocks: Block[] = [];
    try {
      yield* this.writeRanges(yield* this.planned(words, blocks));
    } finally {
      for (const block of blocks) this.kernel.memory.free(block);
    }
  }

  private keepMostCommon(): void {
    if (this.words.length <= PAIRED_WORDS_MAX) return;
    this.words = this.words.sort((a, b) => b.docCount - a.docCount).slice(0, PAIRED_WORDS_MAX);
  }

  /** Loads lists of sources whose pairs are not joined into `blocks`. */
  private *planned(words: readonly CommonWord[], blocks: Block[]): Generator<number, PairPlan> {
    const stored = this.storedPairs();
    const paired = words.filter((word) => isPairedIn(stored, word));
    const isJoined = stored.size > 0 && paired.length >= words.length * JOINED_SHARE;
    const chosen = isJoined ? paired : words;
    const gathered = chosen.map(({ lists }) => lists.filter(({ source }) => !isJoined || !stored.has(source)));
    const { lists, byteCount } = yield* this.load(gathered, blocks);
    const { firstDoc, lastDoc } = this.docRange;
    if (!isJoined) return { words, joined: [], lists, rangeBits: rangeBitsFor(byteCount, lastDoc - firstDoc + 1) };
    const joined = Array.from(stored, ([source, ranges]) => this.joinedFrom(source, ranges, chosen));
    return { words: chosen, joined, lists, rangeBits: joined[0]!.rangeBits };
  }

  /** By source; none when their ranges differ. */
  private storedPairs(): ReadonlyMap<number, PairRanges> {
    const stored = new Map<number, PairRanges>();
    for (const [source, { info }] of this.sources.entries()) {
      const ranges = PairRanges.open(this.rows, info);
      if (ranges !== null) stored.set(source, ranges);
    }
    return new Set(Array.from(stored.values(), ({ header }) => header.rangeBits)).size === 1 ? stored : new Map();
  }

  private joinedFrom(source: number, ranges: PairRanges, words: readonly CommonWord[]): JoinedPairs {
    const { deleted } = this.sources[source]!;
    const numbers = words.map(({ table, lists }) => {
      const inSource = lists.find((list) => list.source === source);
      return inSource === undefined ? null : ranges.numberOf({ table, ordinal: inSource.ordinal });
    });
    return new JoinedPairs(ranges, numbers, deleted === 0 ? null : this.kernel.bitmaps.bits(deleted));
  }

  private *load(
    words: readonly (readonly ListInSource[])[],
    blocks: Block[],
  ): Generator<number, { readonly lists: readonly (readonly LivePostings[])[]; readonly byteCount: number }> {
    const { memory } = this.kernel;
    const lists: LivePostings[][] = [];
    let byteCount = 0;
    for (const stored of words) {
      const ofWord: LivePostings[] = [];
      for (const { source, read } of stored) {
        const bytes = read();
        const block = memory.allocate(bytes.length);
        blocks.push(block);
        memory.write(block, bytes);
        byteCount += bytes.length;
        ofWord.push({ ptr: postingListIn(block, 0), deleted: this.sources[source]!.deleted });
        yield bytes.length;
      }
      lists.push(ofWord);
    }
    return { lists, byteCount };
  }

  private *writeRanges({ words, joined, lists, rangeBits }: PairPlan): Generator<number, void> {
    const { segmentId, docRange, rows } = this;
    const firstRange = Math.floor(docRange.firstDoc / 2 ** rangeBits);
    const part = new PartWriter(rows, { segmentId, part: PARTS.pairs, firstChunk: 0, rowBytes: LIST_ROW_BYTES });
    const out = new PairListWriter(rangeBits);
    const rangeAt = [0];
    for (let range = firstRange; range * 2 ** rangeBits <= docRange.lastDoc; range++) {
      const gathered = new PairRange(range * 2 ** rangeBits, rangeBits, words.length);
      for (const ofWord of lists) {
        const occurrences = ofWord.length === 0 ? NO_OCCURRENCES : this.occurrencesIn(range, rangeBits, ofWord);
        gathered.add(occurrences);
        yield occurrences.length;
      }
      for (const source of joined) source.open(range);
      const inRange = joined.filter(({ hasRange }) => hasRange);
      const only = gathered.isEmpty && inRange.length === 1 && inRange[0]!.isWhole ? inRange[0]! : null;
      const found = yield* gathered.find();
      out.clear();
      const ends = new Uint32Array(words.length * words.length);
      for (let pair = 0; pair < ends.length; pair++) {
        if (only !== null) out.appendList(only.listOf(pair));
        else out.append(inRange.reduce((docs, source) => source.join(docs, pair), found.docsOf(pair)));
        ends[pair] = out.byteCount;
        if (pair % PAIRS_BETWEEN_PAUSES === 0) yield PAIRS_BETWEEN_PAUSES;
      }
      part.append(new Uint8Array(ends.buffer));
      part.append(out.bytes);
      rangeAt.push(part.byteCount);
    }
    part.finish();
    const header = encodePairHeader({ rangeBits, firstRange, words, rangeAt });
    putChunks(rows, segmentId, PARTS.pairHeader, header);
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

const NO_OCCURRENCES = new Uint32Array(0);

/** Whether all sources with pairs that have the word have paired it. */
function isPairedIn(stored: ReadonlyMap<number, PairRanges>, { table, lists }: CommonWord): boolean {
  return lists.every(({ source, ordinal }) => stored.get(source)?.numberOf({ table, ordinal }) !== null);
}

/** At least 2^7 documents, so that ranges end with lanes of bitmaps. */
function rangeBitsFor(listBytes: number, docCount: number): number {
  let bits = RANGE_BITS_MAX;
  while (bits > 7 && (listBytes / docCount) * 2 ** bits > RANGE_LIST_BYTES) bits -= 1;
  return bits;
}
