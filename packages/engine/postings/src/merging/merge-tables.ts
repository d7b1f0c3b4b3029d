import { compareUtf8, encodeWords, type SegmentId, type TermOrdinal, utf8Bytes } from '@fossick/base';
import type { MergeRows, MergeSource } from '@fossick/format';
import {
  ByteWriter,
  getChunks,
  LIST_ROW_BYTES,
  listsLocation,
  PartReader,
  PartWriter,
  putChunks,
  segmentKey,
  TABLES,
} from '@fossick/format';
import type { Bitmap, Dictionary, Kernel, None } from '@fossick/kernel';
import type { MergeMemory } from '@fossick/kernel/memory';
import type { ListInSource, SegmentPairs } from '../building/segment-pairs.js';
import type { SegmentWindows } from '../building/segment-windows.js';
import { decodeOffsets, EXACT_PARTS, FUZZY_PARTS, type TableParts, WordTexts } from '../bytes/word-table.js';

/** Words decoded from a dictionary at a time. */
const WORDS_PER_READ = 4_096;
/** Bytes of postings between two pauses. */
const BYTES_BETWEEN_PAUSES = 4_096;
/** Approximate bytes of a word in addition to its postings. */
const WORD_BYTES = 16;
/** Bytes of a word as a text of its own and of its place in a list, in addition to its characters. */
const WORD_HEAD_BYTES = 32;

/** A segment whose words are merged. */
export interface WordSource extends MergeSource {
  /** Bitmap of the documents to leave out; 0 when there are none. */
  readonly deleted: Bitmap | None;
}

/** Walks the words of one dictionary in order. */
class WordCursor {
  private readonly kernel: Kernel;
  private readonly dictionary: Dictionary | None;
  private readonly wordCount: number;
  word: string | undefined;
  ordinal = -1;
  private words: string[] = [];
  private base = 0;

  constructor(kernel: Kernel, dictionary: Dictionary | None, wordCount: number) {
    this.kernel = kernel;
    this.dictionary = dictionary;
    this.wordCount = wordCount;
    this.advance();
  }

  advance(): void {
    this.ordinal += 1;
    if (this.ordinal >= this.wordCount) {
      this.word = undefined;
      return;
    }
    if (this.ordinal >= this.base + this.words.length) {
      this.base = this.ordinal;
      this.words = this.kernel.dictionaries.wordsBetween(
        this.dictionary,
        this.base,
        Math.min(this.base + WORDS_PER_READ, this.wordCount),
      );
    }
    this.word = this.words[this.ordinal - this.base];
  }
}

interface TableSource extends WordSource {
  /** The source's index. */
  readonly number: number;
  readonly dictionary: Dictionary;
  readonly offsets: Uint32Array;
  readonly postings: PartReader;
  readonly cursor: WordCursor;
}

/** What the merges of both word tables share. */
export interface TableWork {
  readonly kernel: Kernel;
  readonly rows: MergeRows;
  readonly sources: readonly WordSource[];
  readonly target: SegmentId;
  /** Null for segments too small to have any. */
  readonly windows: SegmentWindows | null;
  readonly pairs: SegmentPairs;
  readonly memory: MergeMemory;
}

/** The parts of the tables, in the order of `SegmentInfo.wordCounts`. */
const TABLE_PARTS: readonly [TableParts, TableParts] = [FUZZY_PARTS, EXACT_PARTS];

/** The k-way merge of one word table. */
export class TableMerge implements TableWork {
  readonly kernel: Kernel;
  readonly rows: MergeRows;
  readonly sources: readonly WordSource[];
  readonly target: SegmentId;
  readonly windows: SegmentWindows | null;
  readonly pairs: SegmentPairs;
  readonly memory: MergeMemory;
  private readonly tableIndex: 0 | 1;
  private readonly parts: TableParts;
  private readonly tables: TableSource[] = [];
  private readonly words: string[] = [];
  /** Approximate bytes of the words in memory. */
  private wordBytes = 0;
  private offsetBytes = 0;
  private readonly lengths = new ByteWriter(1 << 16);
  private readonly postings: PartWriter;

  constructor({ kernel, rows, sources, target, windows, pairs, memory }: TableWork, tableIndex: 0 | 1) {
    this.kernel = kernel;
    this.rows = rows;
    this.sources = sources;
    this.target = target;
    this.windows = windows;
    this.pairs = pairs;
    this.memory = memory;
    this.tableIndex = tableIndex;
    this.parts = TABLE_PARTS[tableIndex];
    const part = this.parts.postings;
    this.postings = new PartWriter(rows, { segmentId: target, part, firstChunk: 0, rowBytes: LIST_ROW_BYTES });
  }

  *write(): Generator<number, { readonly wordCount: number; readonly postingBytes: number }> {
    try {
      this.openTables();
      this.windows?.startTable(this.tableIndex);
      let reported = 0;
      for (let word = this.leastWord(); word !== undefined; word = this.leastWord()) {
        this.mergeWord(word);
        const written = this.postings.byteCount + this.words.length * WORD_BYTES;
        if (written - reported < BYTES_BETWEEN_PAUSES) continue;
        this.memory.hold(this.offsetBytes + this.wordBytes);
        yield written - reported;
        reported = written;
      }
    } finally {
      for (const { dictionary } of this.tables) this.kernel.memory.free(dictionary);
    }
    if (this.words.length === 0) return this.ended();
    this.postings.finish();
    putChunks(this.rows, this.target, this.parts.dictionary, this.kernel.dictionaries.build(encodeWords(this.words)));
    putChunks(this.rows, this.target, this.parts.offsets, this.lengths.bytes());
    if (this.hasTrigrams()) this.writeTrigrams();
    return this.ended();
  }

  /** The segments of an index have trigrams or none has: the setting indexes all documents again. */
  private hasTrigrams(): boolean {
    return this.sources.some(
      ({ info }) => this.rows.get(TABLES.segments, segmentKey(info.id, this.parts.trigrams, 0)) !== undefined,
    );
  }

  /** Made like the dictionary, in one step. */
  private writeTrigrams(): void {
    const words = new WordTexts();
    for (const word of this.words) words.add(word);
    putChunks(this.rows, this.target, this.parts.trigrams, words.trigrams());
  }

  private ended(): { readonly wordCount: number; readonly postingBytes: number } {
    this.memory.hold(0);
    return { wordCount: this.words.length, postingBytes: this.postings.byteCount };
  }

  private openTables(): void {
    for (const [number, source] of this.sources.entries()) {
      const wordCount = source.info.wordCounts[this.tableIndex];
      const bytes = getChunks(this.rows, source.info.id, this.parts.dictionary);
      if (wordCount === 0 || bytes === undefined) continue;
      const dictionary = this.kernel.dictionaries.load(bytes);
      this.tables.push({
        ...source,
        number,
        dictionary,
        offsets: decodeOffsets(getChunks(this.rows, source.info.id, this.parts.offsets), wordCount),
        postings: new PartReader(this.rows, listsLocation(source.info, this.parts.postings)),
        cursor: new WordCursor(this.kernel, dictionary, wordCount),
      });
    }
    this.offsetBytes = this.tables.reduce((sum, { offsets }) => sum + offsets.byteLength, 0);
    this.memory.hold(this.offsetBytes);
  }

  private leastWord(): string | undefined {
    let least: string | undefined;
    for (const { cursor } of this.tables) {
      if (cursor.word !== undefined && (least === undefined || compareUtf8(cursor.word, least) < 0))
        least = cursor.word;
    }
    return least;
  }

  private mergeWord(word: string): void {
    const having = this.tables.filter(({ cursor }) => cursor.word === word);
    const lists = having.map((table): ListOfSource => ({ table, ordinal: table.cursor.ordinal }));
    const merged = this.mergeLists(lists);
    for (const { cursor } of having) cursor.advance();
    if (merged.length === 0) return;
    const ordinal = (this.words.push(word) - 1) as TermOrdinal;
    this.wordBytes += WORD_HEAD_BYTES + word.length;
    this.lengths.varint(merged.length);
    this.postings.append(merged);
    const { windows, pairs, tableIndex: table } = this;
    // segments too small for windows have no pairs either
    if (windows === null) return;
    const mark = this.kernel.memory.mark();
    const list = this.kernel.lists.scratch(merged);
    windows.add(utf8Bytes(word), list);
    const docCount = this.kernel.lists.docCount(list);
    if (pairs.isCommon(docCount)) pairs.add({ table, ordinal, docCount, lists: lists.map(inSource) });
    this.kernel.memory.release(mark);
  }

  private mergeLists(lists: readonly ListOfSource[]): Uint8Array {
    const only = lists[0];
    // A list without deleted documents that no other segment has stays as it is.
    if (lists.length === 1 && only !== undefined && only.table.deleted === 0) return encodedList(only);
    const mark = this.kernel.memory.mark();
    const merged = this.kernel.lists.merge(
      lists.map((list) => ({ ptr: this.kernel.lists.scratch(encodedList(list)), deleted: list.table.deleted })),
    );
    this.kernel.memory.release(mark);
    return merged;
  }
}

/** A word's list in one of the sources. */
interface ListOfSource {
  readonly table: TableSource;
  readonly ordinal: number;
}

/** Valid until another list of the source is read. */
function encodedList({ table, ordinal }: ListOfSource): Uint8Array {
  return table.postings.read(table.offsets[ordinal]!, table.offsets[ordinal + 1]!);
}

function inSource(list: ListOfSource): ListInSource {
  return { source: list.table.number, ordinal: list.ordinal as TermOrdinal, read: () => encodedList(list) };
}
