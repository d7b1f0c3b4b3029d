import { beyondTimeBudget, type SegmentId, type TermOrdinal } from '@fossick/base';
import { getChunks, type PartLocation, type RowReader, readSpan, readSpans } from '@fossick/format';
import {
  type Bitmap,
  type Block,
  type Dictionary,
  type Kernel,
  type LivePostings,
  type MadeStructure,
  type None,
  type PostingLists,
  postingListIn,
  postingListOf,
  postingListsIn,
  postingListsOf,
  type Structure,
  type Structures,
  type U32Array,
} from '@fossick/kernel';
import { HeldByKey, HeldOnDemand, HeldStructure, type SearchMemory } from '@fossick/kernel/memory';
import type { TableParts } from '../bytes/word-table.js';
import { InfixWords } from './infix-words.js';
import type { ListHost } from './listed-postings.js';
import { ResidentPostings } from './resident-postings.js';
import type { SegmentPostings } from './segment-postings.js';
import type { WordWindows } from './stored-windows.js';
import { WholePostings } from './whole-postings.js';

/** Tables with at most this many bytes of postings are held as a whole; of larger ones, single lists are. */
const WHOLE_BYTES_MAX = 16 * 2 ** 20;
/** A table held as a whole takes at most this part of the memory limit. */
const WHOLE_CACHE_SHARE = 24;
/** Lists of at most this many bytes are not cached when only their documents are needed. */
const PASSING_BYTES_MAX = 2_048;
/** Longest varint of a u32. */
const HEAD_BYTES = 5;

/** The location of a word table's parts. */
export interface TableLocation {
  readonly segmentId: SegmentId;
  readonly parts: TableParts;
  readonly postings: PartLocation;
  readonly wordCount: number;
  readonly listHost: ListHost;
  /** Where its structures are, with keys of their own. */
  readonly structures: Structures;
  /** The stored windows of a word. */
  readonly windowsOf: (ordinal: TermOrdinal) => WordWindows | null;
}

/** Lists of consecutive words, in one block. */
class WordRange extends HeldStructure {
  readonly addresses: PostingLists;

  constructor(base: Structure, offsets: Uint32Array, start: number) {
    super('postings', base);
    this.addresses = postingListsIn(base.blocks[0] as Block, offsets, start);
  }
}

/** The words of a table: its dictionary in kernel memory, and the offsets of their lists, which are there, too, where threads share it. */
class TableWords extends HeldStructure {
  readonly offsets: Uint32Array;
  /** 0: there are no words. */
  readonly dictionary: Dictionary | None;

  constructor(kernel: Kernel, rows: RowReader, location: TableLocation) {
    const isShared = kernel.directory !== null;
    let offsets: Uint32Array | undefined;
    const structure = location.structures.load('words', () => {
      const { segmentId, parts } = location;
      offsets = beyondTimeBudget(() => offsetsOf(kernel, rows, location));
      const bytes = beyondTimeBudget(() => getChunks(rows, segmentId, parts.dictionary));
      const dictionary = bytes === undefined ? [] : [kernel.dictionaries.load(bytes)];
      const shared = isShared ? [kernel.memory.residentU32(offsets)] : [];
      return { blocks: [...shared, ...dictionary], byteCount: offsets.byteLength + (bytes?.length ?? 0) };
    });
    super('dictionaries', structure);
    this.offsets = isShared
      ? kernel.memory.lastingU32s(structure.blocks[0] as U32Array, location.wordCount + 1)
      : offsets!;
    this.dictionary = (structure.blocks[isShared ? 1 : 0] as Dictionary | undefined) ?? 0;
  }
}

/** Where the list of each word begins, and where the last one ends. */
function offsetsOf(kernel: Kernel, rows: RowReader, { segmentId, parts, wordCount }: TableLocation): Uint32Array {
  const lengths = getChunks(rows, segmentId, parts.offsets);
  const offsets = lengths === undefined ? new Uint32Array(1) : kernel.varints.sums(lengths);
  if (offsets.length !== wordCount + 1)
    throw new Error(`part ${parts.offsets} of segment ${segmentId} is not for ${wordCount} words`);
  return offsets;
}

/** One word table of a segment as a thread has it open. Its words never change. */
export class TermDictionaryReader {
  private readonly kernel: Kernel;
  private readonly rows: RowReader;
  private readonly location: TableLocation;
  private readonly words: HeldOnDemand<TableWords>;
  /** Bytes of all lists. */
  private readonly postingBytes: number;
  private readonly singles: HeldByKey<TermOrdinal, ResidentPostings>;
  /** By first and last word. */
  private readonly ranges: HeldByKey<string, WordRange>;
  private readonly whole: HeldOnDemand<WholePostings>;
  private readonly infixes: HeldOnDemand<InfixWords>;
  /** Whether lists are held as a whole, in stored order, while the memory limit allows. */
  readonly isHeldWhole: boolean;

  constructor(kernel: Kernel, memory: SearchMemory, rows: RowReader, location: TableLocation) {
    this.kernel = kernel;
    this.rows = rows;
    this.location = location;
    this.words = new HeldOnDemand(memory, () => new TableWords(kernel, rows, location));
    this.singles = new HeldByKey(memory);
    this.ranges = new HeldByKey(memory);
    const { listHost, structures } = location;
    this.whole = new HeldOnDemand(memory, () => new WholePostings(listHost, structures, this.postingBytes, this.read));
    this.infixes = new HeldOnDemand(memory, () => new InfixWords(rows, location.segmentId, location.parts.trigrams));
    this.postingBytes = this.loadOffsets()[location.wordCount]!;
    this.isHeldWhole = this.postingBytes <= Math.min(WHOLE_BYTES_MAX, memory.maxBytes / WHOLE_CACHE_SHARE);
  }

  /** The dictionary in kernel memory, read unless it is there; 0 when the table is empty. */
  loadDictionary(): Dictionary | None {
    return this.words.load().dictionary;
  }

  /**
   * The lists of all words that contain a text of at least three bytes, in scratch, as `InfixWords.ordinals` selects them. None when the segment has
   * no trigrams.
   */
  infixLists(text: string, withoutPrefixes: boolean): PostingLists {
    const { dictionary } = this.words.load();
    const { kernel } = this;
    const ordinals = dictionary === 0 ? [] : this.infixes.load().ordinals(kernel, dictionary, text, withoutPrefixes);
    if (ordinals.length === 0) return postingListsOf();
    const offsets = this.loadOffsets();
    if (this.isHeldWhole)
      return this.whole.load().addresses(Uint32Array.from(ordinals, (ordinal) => offsets[ordinal]!));
    const spans = ordinals.flatMap((ordinal) => [offsets[ordinal]!, offsets[ordinal + 1]!]);
    return this.readLists(spans);
  }

  /** Start of each list in the postings, and the end of the last. */
  private loadOffsets(): Uint32Array {
    return this.words.load().offsets;
  }

  /** The list of a word; valid until the view is released. */
  list(ordinal: TermOrdinal, deleted: Bitmap | None): SegmentPostings {
    if (this.isHeldWhole) {
      const from = startIn(this.loadOffsets(), ordinal, this.location);
      return this.whole.load().list(ordinal, from, deleted, this.location.windowsOf);
    }
    const list = this.singles.use(ordinal) ?? this.singles.load(ordinal, () => this.readSingle(ordinal, deleted));
    list.deleted = deleted;
    return list;
  }

  /** target |= live documents of the words, ascending ordinals. Short lists that are not cached are read, walked and dropped. */
  orDocs(target: Bitmap, ordinals: readonly TermOrdinal[], deleted: Bitmap | None): void {
    const { kernel } = this;
    const mark = kernel.memory.mark();
    const walked: LivePostings[] = [];
    const spans: number[] = [];
    const offsets = this.loadOffsets();
    for (const ordinal of ordinals) {
      const from = startIn(offsets, ordinal, this.location);
      const to = offsets[ordinal + 1]!;
      if (to - from > PASSING_BYTES_MAX || this.singles.has(ordinal)) {
        const list = this.list(ordinal, deleted);
        if (!list.orDocs(target)) walked.push(list);
      } else if (this.isHeldWhole) walked.push({ ptr: this.whole.load().address(from), deleted });
      else spans.push(from, to);
    }
    if (spans.length > 0) {
      const lists = this.readLists(spans);
      for (let at = 0; at < lists.length; at++) walked.push({ ptr: postingListOf(lists, at), deleted });
    }
    if (walked.length > 0) kernel.lists.orListsDocs(target, walked);
    kernel.memory.release(mark);
  }

  /** Reads lists, each at bytes [from, to) of the postings, into scratch. */
  private readLists(spans: readonly number[]): PostingLists {
    const { memory } = this.kernel;
    const starts = new Uint32Array(spans.length / 2);
    let byteCount = 0;
    for (let at = 0; at < spans.length; at += 2) {
      starts[at / 2] = byteCount;
      byteCount += spans[at + 1]! - spans[at]!;
    }
    const base = memory.scratch(byteCount);
    readSpans(this.rows, this.location.postings, spans, (piece, at) => memory.write(base, piece, at));
    return postingListsIn(base, starts, 0);
  }

  /** The number of documents in a word's list, which begins with it. */
  docCount(ordinal: TermOrdinal): number {
    const offsets = this.loadOffsets();
    const from = startIn(offsets, ordinal, this.location);
    const to = offsets[ordinal + 1]!;
    if (this.isHeldWhole) return this.kernel.lists.docCount(this.whole.load().address(from));
    const mark = this.kernel.memory.mark();
    const head = this.kernel.memory.scratch(HEAD_BYTES);
    this.read(from, Math.min(to, from + HEAD_BYTES), head);
    const count = this.kernel.lists.docCount(postingListIn(head, 0));
    this.kernel.memory.release(mark);
    return count;
  }

  /** Addresses of the lists of words [from, to), which are read unless they are there; valid until the view is released. */
  addresses(from: number, to: number): PostingLists {
    const offsets = this.loadOffsets();
    if (this.isHeldWhole) return this.whole.load().addresses(offsets.subarray(from, to));
    return this.ranges.load(`${from}:${to}`, () => {
      const start = offsets[from]!;
      const byteCount = offsets[to]! - start;
      const base = this.location.structures.load(`range:${from}:${to}`, () => {
        const base = this.kernel.memory.filled(byteCount, (block) => this.read(start, start + byteCount, block));
        return { blocks: [base], byteCount };
      });
      return new WordRange(base, offsets.subarray(from, to), start);
    }).addresses;
  }

  /** Frees all kernel memory. */
  close(): void {
    this.singles.drop();
    this.ranges.drop();
    this.whole.drop();
    this.infixes.drop();
    this.words.drop();
  }

  private readSingle(ordinal: TermOrdinal, deleted: Bitmap | None): ResidentPostings {
    const offsets = this.loadOffsets();
    const from = startIn(offsets, ordinal, this.location);
    const to = offsets[ordinal + 1]!;
    const make = (): MadeStructure => {
      const block = this.kernel.memory.filled(to - from, (target) => this.read(from, to, target));
      return { blocks: [block], byteCount: to - from };
    };
    const { listHost, structures, windowsOf } = this.location;
    const host = { ...listHost, structures: structures.scope(`${ordinal}:`) };
    return new ResidentPostings(host, { make }, deleted, windowsOf(ordinal));
  }

  /** Copies postings directly from the store's pages to kernel memory. */
  private readonly read = (from: number, to: number, target: Block): void => {
    readSpan(this.rows, this.location.postings, from, to, (piece, at) => this.kernel.memory.write(target, piece, at));
  };
}

/**
 * The start of a word's list, which is the end of the previous one. Returning a pair would allocate an object for every
 * look-up.
 */
function startIn(offsets: Uint32Array, ordinal: TermOrdinal, { parts, segmentId }: TableLocation): number {
  const from = offsets[ordinal];
  if (from === undefined || ordinal + 1 >= offsets.length)
    throw new Error(`part ${parts.postings} of segment ${segmentId} has no word ${ordinal}`);
  return from;
}
