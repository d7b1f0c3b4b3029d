import type { Bitmaps } from '../bitmaps/bitmaps.js';
import type { KernelExports } from '../kernel-exports.js';
import { RANK_INDEX_HEADER_BYTES } from '../layout.js';
import { KernelPart, type MemoryView } from '../memory-view.js';
import type { Bitmap, BitmapRow, None, PostingList, PostingLists, RankIndexedList, Window } from '../ptr.js';
import type { ResidentList } from './live-postings.js';

/** Posting lists with an index by document, to look up positions and keys of single documents (docs/internals/kernel-abi.md). */
export class RankIndexedLists extends KernelPart {
  private readonly bitmaps: Bitmaps;

  constructor(exports: KernelExports, memory: MemoryView, bitmaps: Bitmaps) {
    super(exports, memory);
    this.bitmaps = bitmaps;
  }

  /**
   * A rank-indexed list in long-lived memory that the caller frees (docs/internals/kernel-abi.md). `docs`: the window of all documents of the list, which must outlive it.
   * With `bitmaps` (u32 pointers to windows; 0: none) it also sets the documents' bits in bitmaps[fieldId], at little extra cost. O(occurrences).
   */
  ofList(
    list: PostingList,
    docs: Window,
    bitmaps: BitmapRow | None,
    fieldCount: number,
  ): ResidentList<RankIndexedList> {
    const docCount = this.bitmaps.count(docs);
    return this.memory.attempt(() => {
      const made = this.newList(docs, docCount, docCount + 1);
      this.exports.indexList(made.ptr, docs, docCount, list, bitmaps, bitmaps === 0 ? 0 : fieldCount);
      return made;
    });
  }

  /** The same for the union `docs` of the lists at the addresses, without keys: only for `orDocs`. */
  ofWords(
    addresses: PostingLists,
    docs: Window,
    bitmaps: BitmapRow | None,
    fieldCount: number,
  ): ResidentList<RankIndexedList> {
    const docCount = this.bitmaps.count(docs);
    const mark = this.memory.mark();
    const lists = this.memory.written(addresses);
    const ofFields = bitmaps === 0 ? 0 : fieldCount;
    const made = this.memory.attempt(() => {
      const list = this.newList(docs, docCount, 0);
      this.exports.indexWords(list.ptr, docs, docCount, lists, addresses.length, bitmaps, ofFields);
      return list;
    });
    this.memory.release(mark);
    return made;
  }

  /**
   * target |= documents of `within`, not in `deleted` (0: none), that have a position bucket of `wanted` (bits, numbered as for
   * `PositionTables.scatterPositions`).
   */
  orDocs(
    target: Bitmap,
    indexed: RankIndexedList,
    within: Bitmap | None,
    deleted: Bitmap | None,
    wanted: number,
  ): void {
    this.exports.orMasks(target, indexed, within, deleted, wanted);
  }

  /** `PositionTables.scatterPositions` from a rank-indexed list, without the documents of `deleted`. */
  scatterPositions(indexed: RankIndexedList, universe: Bitmap, deleted: Bitmap | None, bitmaps: BitmapRow): void {
    this.exports.scatterMasks(indexed, universe, deleted, bitmaps);
  }

  /** Allocates a rank-indexed list for the documents. */
  private newList(docs: Window, docCount: number, endCount: number): ResidentList<RankIndexedList> {
    const byteCount = RANK_INDEX_HEADER_BYTES + this.bitmaps.bitCapacity(docs) / 16 + (docCount + endCount) * 4;
    return { ptr: this.memory.alloc(byteCount) as RankIndexedList, byteCount };
  }
}
