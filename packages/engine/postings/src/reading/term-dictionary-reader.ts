import type { SegmentId, TermOrdinal } from '@fossick/base';
import type { PartLocation } from '@fossick/format';
import { getChunks, type RowReader, readSpan, readSpans } from '@fossick/format';
import {
  type Bitmap,
  type Block,
  type Dictionary,
  type Kernel,
  type LivePostings,
  type None,
  type PostingLists,
  postingListIn,
  postingListsIn,
} from '@fossick/kernel';
import type { HeldMemory, MemoryEntry, SearchMemory } from '@fossick/memory';
import type { TableParts } from '../bytes/word-table.js';
import type { ListHost } from './listed-postings.js';
import { type LoadedList, ResidentPostings } from './resident-postings.js';
import type { SegmentPostings } from './segment-postings.js';
import type { WordWindows } from './stored-windows.js';
import { WholePostings } from './whole-postings.js';

/** Tables with at most so many bytes of postings are held as a whole; of larger ones, single lists are. */
const WHOLE_BYTES_MAX = 16 * 2 ** 20;
/** A table held as a whole takes at most this part of the memory limit. */
const WHOLE_CACHE_SHARE = 24;
/** Lists of at most so many bytes are not cached when only their documents are needed. */
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
  /** The stored windows of a word. */
  readonly windowsOf: (ordinal: TermOrdinal) => WordWindows | null;
}

interface SingleList {
  readonly list: ResidentPostings;
  readonly entry: MemoryEntry;
}

/** Lists of consecutive words, in one block. */
class WordRange implements HeldMemory {
  private readonly kernel: Kernel;
  private readonly base: Block;
  readonly byteCount: number;
  readonly addresses: PostingLists;
  readonly kind = 'postings';

  constructor(kernel: Kernel, base: Block, byteCount: number, addresses: PostingLists) {
    this.kernel = kernel;
    this.base = base;
    this.byteCount = byteCount;
    this.addresses = addresses;
  }

  free(): void {
    this.kernel.memory.free(this.base);
  }
}

/** The words of a table: its dictionary in kernel memory, and the offsets of their lists. */
class TableWords implements HeldMemory {
  private readonly kernel: Kernel;
  readonly kind = 'dictionaries';
  readonly byteCount: number;
  readonly dictionary: Dictionary | None;
  readonly offsets: Uint32Array;

  constructor(kernel: Kernel, rows: RowReader, { segmentId, parts, wordCount }: TableLocation) {
    this.kernel = kernel;
    const lengths = getChunks(rows, segmentId, parts.offsets);
    this.offsets = lengths === undefined ? new Uint32Array(1) : kernel.varints.sums(lengths);
    if (this.offsets.length !== wordCount + 1)
      throw new Error(`part ${parts.offsets} of segment ${segmentId} is not for ${wordCount} words`);
    const bytes = getChunks(rows, segmentId, parts.dictionary);
    this.dictionary = bytes === undefined ? 0 : kernel.dictionaries.load(bytes);
    this.byteCount = this.offsets.byteLength + (bytes?.length ?? 0);
  }

  free(): void {
    if (this.dictionary !== 0) this.kernel.memory.free(this.dictionary);
  }
}

/** One word table of a segment as a thread has it open. Its words never change. */
export class TermDictionaryReader {
  private readonly kernel: Kernel;
  private readonly memory: SearchMemory;
  private readonly rows: RowReader;
  private readonly location: TableLocation;
  private loaded: { readonly words: TableWords; readonly entry: MemoryEntry } | undefined;
  /** Bytes of all lists. */
  private readonly postingBytes: number;
  private readonly singles = new Map<number, SingleList>();
  /** By first and last word. */
  private readonly ranges = new Map<string, { readonly range: WordRange; readonly entry: MemoryEntry }>();
  private whole: { readonly postings: WholePostings; readonly entry: MemoryEntry } | undefined;
  /** Whether lists are held as a whole, in stored order, while the memory limit allows. */
  readonly isHeldWhole: boolean;

  constructor(kernel: Kernel, memory: SearchMemory, rows: RowReader, location: TableLocation) {
    this.kernel = kernel;
    this.memory = memory;
    this.rows = rows;
    this.location = location;
    this.postingBytes = this.words.offsets[location.wordCount]!;
    this.isHeldWhole = this.postingBytes <= Math.min(WHOLE_BYTES_MAX, memory.maxBytes / WHOLE_CACHE_SHARE);
  }

  /** The dictionary in kernel memory; 0 when the table is empty. */
  get dictionary(): Dictionary | None {
    return this.words.dictionary;
  }

  /** Start of each list in the postings, and the end of the last. */
  private get offsets(): Uint32Array {
    return this.words.offsets;
  }

  private get words(): TableWords {
    if (this.loaded === undefined) {
      const words = new TableWords(this.kernel, this.rows, this.location);
      const forget = (): void => {
        this.loaded = undefined;
      };
      this.loaded = { words, entry: this.memory.hold(words, forget) };
    } else this.memory.touch(this.loaded.entry);
    return this.loaded.words;
  }

  /** The list of a word; valid until the view is released. */
  list(ordinal: TermOrdinal, deleted: Bitmap | None): SegmentPostings {
    if (this.isHeldWhole) {
      const from = startIn(this.offsets, ordinal, this.location);
      return this.wholePostings().list(ordinal, from, deleted, this.location.windowsOf);
    }
    let single = this.singles.get(ordinal);
    if (single === undefined) {
      const { offsets } = this;
      single = this.loadSingle(ordinal, startIn(offsets, ordinal, this.location), offsets[ordinal + 1]!, deleted);
      this.singles.set(ordinal, single);
    } else this.memory.touch(single.entry);
    single.list.deleted = deleted;
    return single.list;
  }

  /** target |= live documents of the words, ascending ordinals. Short lists that are not cached are read, walked and dropped. */
  orDocs(target: Bitmap, ordinals: readonly TermOrdinal[], deleted: Bitmap | None): void {
    const { kernel } = this;
    const mark = kernel.memory.mark();
    const walked: LivePostings[] = [];
    const spans: number[] = [];
    const lengths: number[] = [];
    const { offsets } = this;
    for (const ordinal of ordinals) {
      const from = startIn(offsets, ordinal, this.location);
      const to = offsets[ordinal + 1]!;
      if (to - from > PASSING_BYTES_MAX || this.singles.has(ordinal)) {
        const list = this.list(ordinal, deleted);
        if (!list.orDocs(target)) walked.push(list);
      } else if (this.isHeldWhole) walked.push({ ptr: this.wholePostings().address(from), deleted });
      else {
        spans.push(from, to);
        lengths.push(to - from);
      }
    }
    if (lengths.length > 0) {
      const base = kernel.memory.scratch(lengths.reduce((sum, length) => sum + length, 0));
      readSpans(this.rows, this.location.postings, spans, (piece, at) => kernel.memory.write(base, piece, at));
      let at = 0;
      for (const length of lengths) {
        walked.push({ ptr: postingListIn(base, at), deleted });
        at += length;
      }
    }
    if (walked.length > 0) kernel.lists.orListsDocs(target, walked);
    kernel.memory.release(mark);
  }

  /** The number of documents in a word's list, which begins with it. */
  docCount(ordinal: TermOrdinal): number {
    const { offsets } = this;
    const from = startIn(offsets, ordinal, this.location);
    const to = offsets[ordinal + 1]!;
    if (this.isHeldWhole) return this.kernel.lists.docCount(this.wholePostings().address(from));
    const mark = this.kernel.memory.mark();
    const head = this.kernel.memory.scratch(HEAD_BYTES);
    this.read(from, Math.min(to, from + HEAD_BYTES), head);
    const count = this.kernel.lists.docCount(postingListIn(head, 0));
    this.kernel.memory.release(mark);
    return count;
  }

  /** Addresses of the lists of words [from, to); valid until the view is released. */
  addresses(from: number, to: number): PostingLists {
    const start = this.offsets[from]!;
    if (this.isHeldWhole) {
      return this.wholePostings().addresses(this.offsets.subarray(from, to));
    }
    const key = `${from}:${to}`;
    const known = this.ranges.get(key);
    if (known !== undefined) {
      this.memory.touch(known.entry);
      return known.range.addresses;
    }
    const byteCount = this.offsets[to]! - start;
    const base = this.kernel.memory.allocate(byteCount);
    this.read(start, start + byteCount, base);
    const addresses = postingListsIn(base, this.offsets.subarray(from, to), start);
    const range = new WordRange(this.kernel, base, byteCount, addresses);
    this.ranges.set(key, { range, entry: this.memory.hold(range, () => this.ranges.delete(key)) });
    return addresses;
  }

  /** Frees all kernel memory. */
  close(): void {
    for (const { entry } of [...this.singles.values(), ...this.ranges.values()]) this.memory.drop(entry);
    if (this.whole !== undefined) this.memory.drop(this.whole.entry);
    if (this.loaded !== undefined) this.memory.drop(this.loaded.entry);
  }

  private wholePostings(): WholePostings {
    if (this.whole === undefined) {
      const postings = new WholePostings(this.location.listHost, this.postingBytes, this.read);
      const forget = (): void => {
        this.whole = undefined;
      };
      this.whole = { postings, entry: this.memory.hold(postings, forget) };
    } else this.memory.touch(this.whole.entry);
    return this.whole.postings;
  }

  private loadSingle(ordinal: TermOrdinal, from: number, to: number, deleted: Bitmap | None): SingleList {
    const load = (): LoadedList => {
      const ptr = this.kernel.memory.allocate(to - from);
      this.read(from, to, ptr);
      return { ptr: postingListIn(ptr, 0), ownBytes: to - from };
    };
    const { listHost, windowsOf } = this.location;
    const list = new ResidentPostings(listHost, load, deleted, windowsOf(ordinal));
    return { list, entry: this.memory.hold(list, () => this.singles.delete(ordinal)) };
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
