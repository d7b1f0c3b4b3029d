import type { ColumnKernel } from './column-port.js';
import type { Inverter } from './inverter-port.js';
import type { PathPlan, PathPlanShape } from './path-plan-port.js';
import type {
  Bitmap,
  BitmapRow,
  Block,
  Dictionary,
  F64Array,
  Mark,
  MaskedList,
  None,
  Pool,
  PositionTable,
  PostingList,
  PostingLists,
  Ptr,
  U32Array,
  Window,
} from './ptr.js';
import type { VectorGraph, VectorKind, VectorSet } from './vector-host.js';
import type { WindowWriter } from './window-writer.js';

/** One match of a dictionary walk. */
export interface FuzzyMatches {
  /** Ordinals in byte order. */
  readonly ordinals: Uint32Array;
  /** Distance of each (0..2). */
  readonly distances: Uint8Array;
  /** 1 where the candidate's first character differs from the query word's. */
  readonly firstDiffers: Uint8Array;
}

/** Words that several dictionaries have within the typo budget of a query word. */
export interface FuzzyWords {
  /** Words that count as one typo, and as two. */
  readonly oneCount: number;
  readonly twoCount: number;
  /**
   * A row for each word, first those of one typo and then those of two, both in byte order: its ordinal in each of the dictionaries, -1 where that
   * lacks it.
   */
  readonly places: Int32Array;
}

/** One posting list of a segment, resident in kernel memory, with the segment's bitmap of deleted documents (0: none deleted). */
export interface LivePostings {
  readonly ptr: PostingList;
  readonly deleted: Bitmap | None;
  /** Its masked list, with keys; 0 or absent: none. */
  readonly masked?: MaskedList | None;
  /** Addresses of the lists that it stands for, as long as asking `ptr` would have to merge them; null or absent: it is one list. */
  readonly words?: PostingLists | null;
  /** Makes the masked list, where there may be one. */
  place?(): void;
}

/** Groups of docids (see `orGroups`) and the key of each. */
export interface KeyedGroups {
  readonly keys: Uint32Array;
  readonly offsets: U32Array;
  readonly docIds: U32Array;
}

/** A list that was made in long-lived memory. */
export interface MadeList<List> {
  readonly ptr: List;
  readonly byteCount: number;
}

/**
 * Numbers in, numbers out. Bitmaps are dense and 16-byte aligned: `[u32 wordCount, 3 x u32 reserved][u32 words...]`, wordCount a
 * multiple of 4; operands of one call have equal wordCount. Unless said otherwise an operation allocates nothing.
 * Long-lived memory comes from allocate/free; everything a search makes comes from the scratch region between mark and release.
 */
export interface Kernel extends ColumnKernel {
  // ---- memory
  /** Long-lived bytes, contents undefined. */
  allocate(byteCount: number): Block;
  /** Gives back what was made in long-lived memory, of whatever kind. */
  free(made: Ptr): void;
  /** Marks the scratch region; `release` frees everything made by `scratch` and the functions that say so since then. */
  mark(): Mark;
  release(mark: Mark): void;
  scratch(byteCount: number): Block;
  /** Writes bytes into a block, from its byte `at` on. */
  write(block: Block, bytes: Uint8Array, at?: number): void;
  /** A copy of bytes of a block, from its byte `at` on. */
  read(block: Block, byteCount: number, at?: number): Uint8Array<ArrayBuffer>;
  /** Copies in scratch. */
  scratchBytes(bytes: Uint8Array): Block;
  scratchU32(numbers: ArrayLike<number>): U32Array;
  /** A copy in long-lived memory that the caller frees. */
  residentU32(numbers: ArrayLike<number>): U32Array;
  writeU32(target: U32Array, numbers: ArrayLike<number>): void;
  u32At(numbers: U32Array, at: number): number;
  /** A copy of numbers [from, from + count). */
  u32s(numbers: U32Array, from: number, count: number): Uint32Array<ArrayBuffer>;
  f64At(numbers: F64Array, at: number): number;
  /** A copy of the first numbers. */
  f64s(numbers: F64Array, count: number): Float64Array<ArrayBuffer>;
  /** Bytes of linear memory in use by long-lived allocations. */
  readonly allocatedBytes: number;
  /** Bytes of linear memory, used or not. It never shrinks: only a kernel that is let go gives it back. */
  readonly memoryBytes: number;
  /** Frees everything that was allocated, scratch and all. Good for a kernel that lacked memory, not for one that trapped. */
  reset(): void;
  /** Memory does not grow beyond so many bytes from now on; what it has it keeps. No bound but the address space when never called. */
  limitMemory(byteCount: number): void;
  /**
   * Called in the middle of a call when memory may not grow and no free block holds `byteCount`: frees something that no running work needs
   * and answers true, to be asked again if that was not enough; or answers false, and the call throws KernelMemoryError. Behind that, as
   * behind a trap (`isKernelFault`), nothing in the kernel is to be relied on: it is to be reset, or given up.
   */
  onShortage: ((byteCount: number) => boolean) | null;
  /**
   * Called now and then in long calls, some thousand times a second. It may throw, which ends the call: bitmaps that the call was to fill
   * hold part of it, what it allocated is freed, and scratch goes with its mark as always.
   */
  onPause: (() => void) | null;

  // ---- vectors (in long-lived memory, until they are closed)
  createVectorSet(kind: VectorKind, dimCount: number, capacity: number): VectorSet;
  /**
   * An empty graph for `nodeCount` vectors of the set. `upperCount`: lists of links above level 0 to make room for; absent: as many as nodes that are
   * inserted from 0 to nodeCount draw. O(nodeCount).
   */
  createVectorGraph(set: VectorSet, nodeCount: number, upperCount?: number): VectorGraph;
  /** Lists of links above level 0 that nodes inserted from `from` to `to` draw. O(to - from). */
  drawnUpperCount(from: number, to: number): number;

  // ---- bitmaps (all made in scratch; `*Resident` in long-lived memory)
  bitmap(bitCount: number): Bitmap;
  bitmapResident(bitCount: number): Bitmap;
  copyOf(source: Bitmap): Bitmap;
  clear(bitmap: Window): void;
  assign(target: Bitmap, source: Bitmap): void;
  and(target: Bitmap, other: Bitmap): void;
  or(target: Bitmap, other: Bitmap): void;
  andNot(target: Bitmap, other: Bitmap): void;
  /** target |= source, of it only what is in `within` (0: all) and not in `without` (0: none). */
  orMasked(target: Bitmap, source: Bitmap, within: Bitmap | None, without: Bitmap | None): void;
  /** Overwrites the bytes of bits [firstByte * 8, ...), 8 to a byte, lowest first; what is beyond the bitmap is left out. */
  writeBits(bitmap: Bitmap, firstByte: number, bytes: Uint8Array): void;
  /** Where the bits of a window lie, to be written as a whole. */
  windowBits(window: Window): Block;
  /** Bits that the bitmap has room for. */
  bitCapacity(bitmap: Window): number;
  count(bitmap: Window): number;
  intersectionCount(a: Bitmap, b: Bitmap): number;
  isEmpty(bitmap: Window): boolean;
  intersects(a: Bitmap, b: Bitmap): boolean;
  set(bitmap: Bitmap, bit: number): void;
  unset(bitmap: Bitmap, bit: number): void;
  has(bitmap: Bitmap, bit: number): boolean;
  /** The first set bit >= from, or -1. */
  next(bitmap: Bitmap, from: number): number;
  /** Set bits in ascending order, skipping `skip`, at most `limit`. */
  members(bitmap: Bitmap, skip: number, limit: number): Uint32Array;
  /** A copy of the bits, 32 to a word, lowest first: for many questions about single documents outside of the kernel. */
  bits(bitmap: Bitmap): Uint32Array;
  /** Sets the `count` u32 bits at `docIds`. */
  setMany(bitmap: Bitmap, docIds: U32Array, count: number): void;

  /** Takes the bits of `part` out of the bitmap; answers how many bits `part` has. */
  takeOut(bitmap: Bitmap, part: Bitmap): number;

  // ---- windows: bitmaps of a stretch of the index, in long-lived memory that the caller frees (docs/kernel-abi.md); `count` and `isEmpty` take them
  /** An empty window for bits from `firstBit` on. */
  window(firstBit: number, bitCount: number): Window;
  /** target |= window, of it only what is in `within` (0: all) and not in `without` (0: none). */
  orWindow(target: Bitmap, window: Window, within: Bitmap | None, without: Bitmap | None): void;
  /**
   * Sets the bits of a window that was written with a segment, whose bytes lie at `from`, in a window of the stretch that it was written for
   * (docs/storage-layout.md).
   */
  addStoredWindow(window: Window, from: Block, byteCount: number): void;
  /** window |= other, of the same stretch. */
  joinWindow(window: Window, other: Window): void;
  /** Writes windows of documents [firstDoc, lastDoc]; of more than WINDOW_FIELDS_MAX fields not by field. */
  createWindowWriter(firstDoc: number, lastDoc: number, fieldCount: number): WindowWriter;
  /** Bits of the bitmap in the window's stretch. */
  countBeside(bitmap: Bitmap, window: Window): number;
  /** The first and the last document of any of the lists at the addresses, of which each has a document. O(lists). */
  wordsRange(lists: PostingLists): readonly [first: number, last: number];

  // ---- rows: bitmaps or windows by number, 0 for none, in scratch
  bitmapRow(bitmaps: readonly (Window | None)[]): BitmapRow;
  fillRow(row: BitmapRow, bitmaps: readonly (Window | None)[]): void;

  // ---- pools of bitmaps of one size, in scratch: what is given back is used again
  createPool(bitCount: number): Pool;
  poolEmpty(pool: Pool): Bitmap;
  poolCopy(pool: Pool, source: Bitmap): Bitmap;
  /** The intersection of two bitmaps; 0, and nothing taken, when it is empty. */
  poolMeet(pool: Pool, a: Bitmap, b: Bitmap): Bitmap | None;
  poolGive(pool: Pool, bitmap: Bitmap): void;

  // ---- ways through a graph
  /** Bytes of memory for a plan over bitmaps like this one. */
  pathPlanBytes(shape: PathPlanShape, universe: Bitmap): number;
  /**
   * Writes a plan to `capacity` and makes it ready.
   * @param universe what it may be asked for: it may lose documents meanwhile, and never get one
   */
  createPathPlan(pool: Pool, universe: Bitmap, shape: PathPlanShape, capacity: Block): PathPlan;

  // ---- posting lists
  createInverter(): Inverter;
  /** A copy of stored bytes in scratch. */
  scratchList(bytes: Uint8Array): PostingList;
  /** Number of documents in the list (deleted ones included). */
  docCount(postings: PostingList): number;
  /** target |= documents of the list that are not deleted. */
  orDocs(target: Bitmap, list: LivePostings): void;
  /** The same for several lists. */
  orListsDocs(target: Bitmap, lists: readonly LivePostings[]): void;
  /** The same, only documents with an occurrence in a field f where byte `fields[f]` is 1 (`fieldCount` bytes). */
  orDocsInFields(target: Bitmap, list: LivePostings, fields: Block, fieldCount: number): void;
  /** Documents (not deleted) where an occurrence of `left` stands at distance 1 right before one of `right`, same field; counted up to `limit`. Lists of one segment. */
  adjacentCount(left: LivePostings, right: LivePostings, limit?: number): number;
  /** Documents (not deleted) with occurrences of both in a same field; counted up to `limit`. Lists of one segment. */
  sameFieldCount(left: LivePostings, right: LivePostings, limit?: number): number;
  /**
   * Occurrences of any of the lists in documents of `universe`: a position table in scratch, sorted by (docId, key), without duplicates:
   * `[u32 count, u32 0][u64 entries: docId * 2^32 + key]`. Skips blocks without a document of the universe.
   */
  gatherPositions(lists: readonly LivePostings[], universe: Bitmap): PositionTable;
  tableCount(table: PositionTable): number;
  /** A copy of the entries, two numbers each: key and docid. */
  tableEntries(table: PositionTable): Uint32Array;
  /** For each entry in `universe`: sets the document's bit in bitmaps[fieldId] (0 entries are skipped). `bitmaps`: u32 pointers. */
  scatterFields(table: PositionTable, universe: Bitmap, bitmaps: BitmapRow, fieldCount: number): void;
  /** The same by bucketed position: index p for p < 16, 16 for 24, 17 for 32, 18 for 64 ... 28 for 65536. */
  scatterPositions(table: PositionTable, universe: Bitmap, bitmaps: BitmapRow): void;
  /** For documents in `universe`: sets bit in near1/near2/near3 when an entry of `right` stands 1/2/3 positions after one of `left`, same field. */
  near(left: PositionTable, right: PositionTable, universe: Bitmap, near1: Bitmap, near2: Bitmap, near3: Bitmap): void;
  /** Documents in `universe` where both tables have an entry in a same field: sets their bits in target. */
  sameField(left: PositionTable, right: PositionTable, universe: Bitmap, target: Bitmap): void;
  /** `scatterFields` straight from lists, deleted documents left out: nothing is gathered. */
  scatterListFields(lists: readonly LivePostings[], universe: Bitmap, bitmaps: BitmapRow, fieldCount: number): void;
  /** `scatterPositions` straight from lists, deleted documents left out. */
  scatterListPositions(lists: readonly LivePostings[], universe: Bitmap, bitmaps: BitmapRow): void;
  /**
   * A masked list in long-lived memory that the caller frees (docs/kernel-abi.md): places and keys of single documents of a list can be
   * looked up in it. `docs`: the window of all documents of the list, which must outlive it. With `bitmaps` (u32 pointers to windows; 0: none) it
   * sets the documents' bits in bitmaps[fieldId] too, for little more. O(occurrences).
   */
  maskList(list: PostingList, docs: Window, bitmaps: BitmapRow | None, fieldCount: number): MadeList<MaskedList>;
  /** The same for the documents `docs` of any of the lists at the addresses, without keys: for `orMasks` alone. */
  maskWords(lists: PostingLists, docs: Window, bitmaps: BitmapRow | None, fieldCount: number): MadeList<MaskedList>;
  /** target |= documents of `within`, not in `deleted` (0: none), in one of the buckets `wanted` (bits, numbered as for `scatterPositions`). */
  orMasks(target: Bitmap, masked: MaskedList, within: Bitmap | None, deleted: Bitmap | None, wanted: number): void;
  /** `scatterPositions` from a masked list, documents in `deleted` left out. */
  scatterMasks(masked: MaskedList, universe: Bitmap, deleted: Bitmap | None, bitmaps: BitmapRow): void;
  /** `near` straight from two lists of one segment, deleted documents left out. O(occurrences in their common documents). */
  nearLists(
    left: LivePostings,
    right: LivePostings,
    universe: Bitmap,
    near1: Bitmap,
    near2: Bitmap,
    near3: Bitmap,
  ): void;
  /** Only the near1 of `nearLists`, for less: a document is left at its first pair. */
  adjacentLists(left: LivePostings, right: LivePostings, universe: Bitmap, target: Bitmap): void;
  /** `sameField` straight from two lists of one segment, deleted documents left out. */
  sameFieldLists(left: LivePostings, right: LivePostings, universe: Bitmap, target: Bitmap): void;
  /** Merges lists (of different segments) into one encoded list without the deleted documents; empty array when none is left. */
  mergePostings(lists: readonly LivePostings[]): Uint8Array;
  /**
   * One list of all words whose lists lie at the addresses, deleted documents included, in long-lived memory that the caller frees; null
   * when there is no document. All lists are of one segment, their documents below `docBound`. O(occurrences + docBound) at most.
   */
  mergeWords(lists: PostingLists, docBound: number): MadeList<PostingList> | null;
  /** Documents of the lists at the addresses, those of several of them counted each time. O(lists). */
  wordsDocCount(lists: PostingLists): number;
  /** Sets documents of any of the lists at the addresses in a window, deleted ones included. O(their documents). */
  orWordsDocs(target: Window, lists: PostingLists): void;
  /** Sets the documents' bits in the windows bitmaps[fieldId] (u32 pointers, 0 for none) of all fields that the lists occur in, deleted documents included. */
  scatterWordsFields(lists: PostingLists, bitmaps: BitmapRow, fieldCount: number): void;

  // ---- dictionaries: an immutable radix tree of byte-sorted words, in kernel memory at `dictionary`
  /** Words byte-sorted and distinct, UTF-8. Ordinals are their positions. */
  buildDictionary(words: readonly Uint8Array[]): Uint8Array;
  /** A copy of stored bytes in long-lived memory that the caller frees. */
  dictionaryOf(bytes: Uint8Array): Dictionary;
  dictionarySize(dictionary: Dictionary | None): number;
  /** Ordinal of the word or -1. */
  findWord(dictionary: Dictionary | None, word: Uint8Array | string): number;
  /**
   * Ways to cut the word into one of the left and one of the right dictionary: bytes of the left word, its ordinal and the right one's, by
   * that length.
   */
  wordCuts(left: Dictionary | None, right: Dictionary | None, word: string): Uint32Array;
  wordAt(dictionary: Dictionary | None, ordinal: number): string;
  /** Words of ordinals [from, to). */
  wordsBetween(dictionary: Dictionary | None, from: number, to: number): string[];
  /** The range [from, to) of ordinals whose words start with the prefix. */
  prefixRange(dictionary: Dictionary | None, prefix: Uint8Array): readonly [from: number, to: number];
  /**
   * Damerau-Levenshtein (OSA) walk over code points; with `isPrefix` the distance is the least over the candidate's prefixes. Budget 1: first
   * character equal, distance 1. Budget 2: first character equal and distance 1..2, or first differing and distance <= 1 (the
   * true distance is reported). Distance 0 is left out. Byte order; stops after 150 (budget 1), or once 150 of one and 50 of two were seen (budget 2).
   */
  fuzzyWords(dictionary: Dictionary | None, word: string, budget: 1 | 2, isPrefix: boolean): FuzzyMatches;

  /** The same over several dictionaries (0: none), as if they were one. */
  fuzzyWordsOfAll(
    dictionaries: readonly (Dictionary | None)[],
    word: string,
    budget: 1 | 2,
    isPrefix: boolean,
  ): FuzzyWords;

  // ---- rows of varints (LEB128, unsigned, below 2^32), as the engine stores numbers
  /** 0 and the sums of the numbers up to each. O(bytes). */
  sumVarints(bytes: Uint8Array): Uint32Array;
  /** Groups stored as `[key delta][count][deltas of ascending docids]`, in long-lived memory that the caller frees at `offsets`. O(bytes). */
  readGroups(bytes: Uint8Array): KeyedGroups;
}
