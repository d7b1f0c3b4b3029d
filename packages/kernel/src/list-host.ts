import { BitmapHost } from './bitmap-host.js';
import { LIST_PAIR_BYTES, PLACED_HEADER_BYTES, TABLE_HEADER_BYTES } from './layout.js';
import type { LivePostings, MadeList } from './port.js';
import {
  type Bitmap,
  type BitmapRow,
  type Block,
  type MaskedList,
  type None,
  type PositionTable,
  type PostingList,
  type PostingLists,
  type Ptr,
  postingListOf,
  type Window,
} from './ptr.js';

/** No limit for a count of documents. */
const MAX_COUNT = 0xffff_ffff;

/** Merging by counting takes four bytes for each document there may be: not for so many times fewer documents in the lists. */
const SPARSE_SHARE = 64;

/** The port's posting lists, position tables and masked lists: every method is a call or two. */
export class ListHost extends BitmapHost {
  scratchList(bytes: Uint8Array): PostingList {
    const ptr = this.memory.scratch(bytes.length);
    this.memory.u8.set(bytes, ptr);
    return ptr as PostingList;
  }

  docCount(postings: PostingList): number {
    return this.exports.postingsDocCount(postings) >>> 0;
  }

  orDocs(target: Bitmap, list: LivePostings): void {
    this.exports.orDocs(target, list.ptr, list.deleted);
  }

  orListsDocs(target: Bitmap, lists: readonly LivePostings[]): void {
    const mark = this.memory.mark();
    this.exports.orListsDocs(target, this.#writePairs(lists), lists.length);
    this.memory.release(mark);
  }

  orDocsInFields(target: Bitmap, list: LivePostings, fields: Block, fieldCount: number): void {
    this.exports.orDocsInFields(target, list.ptr, list.deleted, fields, fieldCount);
  }

  adjacentCount(left: LivePostings, right: LivePostings, limit = MAX_COUNT): number {
    return this.exports.adjacentCount(left.ptr, left.deleted, right.ptr, right.deleted, limit) >>> 0;
  }

  sameFieldCount(left: LivePostings, right: LivePostings, limit = MAX_COUNT): number {
    return this.exports.sameFieldCount(left.ptr, left.deleted, right.ptr, right.deleted, limit) >>> 0;
  }

  gatherPositions(lists: readonly LivePostings[], universe: Bitmap): PositionTable {
    const pairs = this.#writePairs(lists);
    return this.memory.attempt(
      () => (this.exports.gatherPositions(pairs, lists.length, universe) >>> 0) as PositionTable,
    );
  }

  tableCount(table: PositionTable): number {
    return this.exports.tableCount(table) >>> 0;
  }

  tableEntries(table: PositionTable): Uint32Array {
    const from = (table + TABLE_HEADER_BYTES) >>> 2;
    return this.memory.u32.slice(from, from + this.tableCount(table) * 2);
  }

  scatterFields(table: PositionTable, universe: Bitmap, bitmaps: BitmapRow, fieldCount: number): void {
    this.exports.scatterFields(table, universe, bitmaps, fieldCount);
  }

  scatterPositions(table: PositionTable, universe: Bitmap, bitmaps: BitmapRow): void {
    this.exports.scatterPositions(table, universe, bitmaps);
  }

  near(left: PositionTable, right: PositionTable, universe: Bitmap, near1: Bitmap, near2: Bitmap, near3: Bitmap): void {
    this.exports.near(left, right, universe, near1, near2, near3);
  }

  sameField(left: PositionTable, right: PositionTable, universe: Bitmap, target: Bitmap): void {
    this.exports.sameField(left, right, universe, target);
  }

  scatterListFields(lists: readonly LivePostings[], universe: Bitmap, bitmaps: BitmapRow, fieldCount: number): void {
    const mark = this.memory.mark();
    this.exports.scatterListFields(this.#writePairs(lists), lists.length, universe, bitmaps, fieldCount);
    this.memory.release(mark);
  }

  scatterListPositions(lists: readonly LivePostings[], universe: Bitmap, bitmaps: BitmapRow): void {
    const mark = this.memory.mark();
    this.exports.scatterListPositions(this.#writePairs(lists), lists.length, universe, bitmaps);
    this.memory.release(mark);
  }

  maskList(list: PostingList, docs: Window, bitmaps: BitmapRow | None, fieldCount: number): MadeList<MaskedList> {
    const docCount = this.count(docs);
    return this.memory.attempt(() => {
      const made = this.#newPlaced(docs, docCount, docCount + 1);
      this.exports.maskList(made.ptr, docs, docCount, list, bitmaps, bitmaps === 0 ? 0 : fieldCount);
      return made;
    });
  }

  maskWords(
    addresses: PostingLists,
    docs: Window,
    bitmaps: BitmapRow | None,
    fieldCount: number,
  ): MadeList<MaskedList> {
    const docCount = this.count(docs);
    const mark = this.memory.mark();
    const lists = this.#writeAddresses(addresses);
    const ofFields = bitmaps === 0 ? 0 : fieldCount;
    const made = this.memory.attempt(() => {
      const list = this.#newPlaced(docs, docCount, 0);
      this.exports.maskWords(list.ptr, docs, docCount, lists, addresses.length, bitmaps, ofFields);
      return list;
    });
    this.memory.release(mark);
    return made;
  }

  orMasks(target: Bitmap, masked: MaskedList, within: Bitmap | None, deleted: Bitmap | None, wanted: number): void {
    this.exports.orMasks(target, masked, within, deleted, wanted);
  }

  scatterMasks(masked: MaskedList, universe: Bitmap, deleted: Bitmap | None, bitmaps: BitmapRow): void {
    this.exports.scatterMasks(masked, universe, deleted, bitmaps);
  }

  nearLists(
    left: LivePostings,
    right: LivePostings,
    universe: Bitmap,
    near1: Bitmap,
    near2: Bitmap,
    near3: Bitmap,
  ): void {
    this.#meet(left, right, universe, 0, near1, near2, near3);
  }

  adjacentLists(left: LivePostings, right: LivePostings, universe: Bitmap, target: Bitmap): void {
    this.#meet(left, right, universe, 2, target, target, target);
  }

  sameFieldLists(left: LivePostings, right: LivePostings, universe: Bitmap, target: Bitmap): void {
    this.#meet(left, right, universe, 1, target, target, target);
  }

  mergePostings(lists: readonly LivePostings[]): Uint8Array {
    const mark = this.memory.mark();
    const pairs = this.#writePairs(lists);
    const merged = this.memory.attempt(() => this.exports.mergePostings(pairs, lists.length) >>> 0);
    this.memory.release(mark);
    if (merged === 0) return new Uint8Array(0);
    const bytes = this.memory.u8.slice(merged + 8, merged + 8 + this.memory.u32[merged >>> 2]!);
    this.exports.freeMerged(merged);
    return bytes;
  }

  mergeWords(addresses: PostingLists, docBound: number): MadeList<PostingList> | null {
    if (this.wordsDocCount(addresses) * SPARSE_SHARE < docBound)
      return this.#madeOf(
        this.mergePostings(Array.from(addresses, (_, at) => ({ ptr: postingListOf(addresses, at), deleted: 0 }))),
      );
    const mark = this.memory.mark();
    const lists = this.#writeAddresses(addresses);
    const ptr = this.memory.attempt(() => this.exports.mergeWords(lists, addresses.length, docBound) >>> 0);
    this.memory.release(mark);
    return ptr === 0 ? null : { ptr: ptr as PostingList, byteCount: this.exports.mergedBytes() >>> 0 };
  }

  wordsDocCount(addresses: PostingLists): number {
    const mark = this.memory.mark();
    const count = this.exports.wordsDocCount(this.#writeAddresses(addresses), addresses.length);
    this.memory.release(mark);
    return count;
  }

  orWordsDocs(target: Window, addresses: PostingLists): void {
    const mark = this.memory.mark();
    this.exports.orWordsDocs(target, this.#writeAddresses(addresses), addresses.length);
    this.memory.release(mark);
  }

  scatterWordsFields(addresses: PostingLists, bitmaps: BitmapRow, fieldCount: number): void {
    const mark = this.memory.mark();
    this.exports.scatterWordsFields(this.#writeAddresses(addresses), addresses.length, bitmaps, fieldCount);
    this.memory.release(mark);
  }

  wordsRange(addresses: PostingLists): readonly [first: number, last: number] {
    const mark = this.memory.mark();
    const out = this.memory.scratch(8);
    this.exports.wordsRange(this.#writeAddresses(addresses), addresses.length, out);
    const { u32 } = this.memory;
    const range = [u32[out >>> 2]!, u32[(out >>> 2) + 1]!] as const;
    this.memory.release(mark);
    return range;
  }

  #writeAddresses(addresses: PostingLists): Ptr {
    const lists = this.memory.scratch(addresses.length * 4);
    this.memory.u32.set(addresses, lists >>> 2);
    return lists;
  }

  #madeOf(bytes: Uint8Array): MadeList<PostingList> | null {
    if (bytes.length === 0) return null;
    const ptr = this.memory.alloc(bytes.length);
    this.memory.u8.set(bytes, ptr);
    return { ptr: ptr as PostingList, byteCount: bytes.length };
  }

  #meet(
    a: LivePostings,
    b: LivePostings,
    within: Bitmap | None,
    kind: number,
    near1: Bitmap,
    near2: Bitmap,
    near3: Bitmap,
  ): void {
    // words that are not one list are walked against a placed one
    if (b.words) a.place?.();
    else if (a.words) b.place?.();
    const [left, right] = [a.masked ?? 0, b.masked ?? 0];
    const exports = this.exports;
    if (left !== 0 && b.words) this.#meetWords(b, b.words, a, left, 1, [within, kind, near1, near2, near3]);
    else if (right !== 0 && a.words) this.#meetWords(a, a.words, b, right, 0, [within, kind, near1, near2, near3]);
    else if (left !== 0 && right !== 0)
      exports.nearMasked(left, a.deleted, right, b.deleted, within, kind, near1, near2, near3);
    else if (left !== 0)
      exports.nearHalfMasked(b.ptr, b.deleted, left, a.deleted, 1, within, kind, near1, near2, near3);
    else if (right !== 0)
      exports.nearHalfMasked(a.ptr, a.deleted, right, b.deleted, 0, within, kind, near1, near2, near3);
    else exports.nearLists(a.ptr, a.deleted, b.ptr, b.deleted, within, kind, near1, near2, near3);
  }

  #meetWords(
    { deleted }: LivePostings,
    addresses: PostingLists,
    other: LivePostings,
    masked: MaskedList,
    isLeft: 0 | 1,
    rest: readonly [within: Bitmap | None, kind: number, near1: Bitmap, near2: Bitmap, near3: Bitmap],
  ): void {
    const mark = this.memory.mark();
    const lists = this.#writeAddresses(addresses);
    this.exports.nearWordsMasked(lists, addresses.length, deleted, masked, other.deleted, isLeft, ...rest);
    this.memory.release(mark);
  }

  /** Room for a masked list of the documents. */
  #newPlaced(docs: Window, docCount: number, endCount: number): MadeList<MaskedList> {
    const byteCount = PLACED_HEADER_BYTES + this.bitCapacity(docs) / 16 + (docCount + endCount) * 4;
    return { ptr: this.memory.alloc(byteCount) as MaskedList, byteCount };
  }

  #writePairs(lists: readonly LivePostings[]): Ptr {
    const pairs = this.memory.scratch(lists.length * LIST_PAIR_BYTES);
    let at = pairs >>> 2;
    for (const { ptr, deleted } of lists) {
      // asking for an address may read the list, and so detach the views
      const { u32 } = this.memory;
      u32[at++] = ptr;
      u32[at++] = deleted;
    }
    return pairs;
  }
}
