import { Inverter } from '../inverting/inverter.js';
import { KernelPart } from '../memory-view.js';
import type { Bitmap, BitmapRow, Block, None, PostingList, PostingLists, RankIndexedList } from '../ptr.js';
import { type LivePostings, loadedList, type NearTargets, writtenPairs } from './live-postings.js';

/** No limit for a count of documents. */
const MAX_COUNT = 0xffff_ffff;

/** Posting lists: their documents, the positions of words, and the proximity of two words. */
export class Lists extends KernelPart {
  createInverter(): Inverter {
    return new Inverter(this.exports, this.memory);
  }

  /** A copy of stored bytes in scratch. */
  scratch(bytes: Uint8Array): PostingList {
    const ptr = this.memory.scratch(bytes.length);
    this.memory.put(bytes, ptr);
    return ptr as PostingList;
  }

  /** Number of documents in the list (deleted ones included). */
  docCount(postings: PostingList): number {
    return this.exports.postingsDocCount(postings) >>> 0;
  }

  /** target |= documents of the list that are not deleted. */
  orDocs(target: Bitmap, list: LivePostings): void {
    this.exports.orDocs(target, loadedList(list), list.deleted);
  }

  /** The same for several lists. */
  orListsDocs(target: Bitmap, lists: readonly LivePostings[]): void {
    const mark = this.memory.mark();
    this.exports.orListsDocs(target, writtenPairs(this.memory, lists), lists.length);
    this.memory.release(mark);
  }

  /** The same for documents with an occurrence in a field f where byte `fields[f]` is 1 (`fieldCount` bytes). */
  orDocsInFields(target: Bitmap, list: LivePostings, fields: Block, fieldCount: number): void {
    this.exports.orDocsInFields(target, loadedList(list), list.deleted, fields, fieldCount);
  }

  /** Live documents where an occurrence of `left` directly precedes one of `right` in the same field, counted up to `limit`. Lists of one segment. */
  adjacentCount(left: LivePostings, right: LivePostings, limit = MAX_COUNT): number {
    return this.exports.nearDocsCount(loadedList(left), left.deleted, loadedList(right), right.deleted, 2, limit) >>> 0;
  }

  /** Live documents with occurrences of both in a common field, counted up to `limit`. Lists of one segment. */
  sameFieldCount(left: LivePostings, right: LivePostings, limit = MAX_COUNT): number {
    return this.exports.nearDocsCount(loadedList(left), left.deleted, loadedList(right), right.deleted, 1, limit) >>> 0;
  }

  /** `PositionTables.scatterFields` directly from lists, without deleted documents: nothing is gathered. */
  scatterFields(lists: readonly LivePostings[], universe: Bitmap, bitmaps: BitmapRow, fieldCount: number): void {
    const mark = this.memory.mark();
    this.exports.scatterListFields(writtenPairs(this.memory, lists), lists.length, universe, bitmaps, fieldCount);
    this.memory.release(mark);
  }

  /** `PositionTables.scatterPositions` directly from lists, without deleted documents. */
  scatterPositions(lists: readonly LivePostings[], universe: Bitmap, bitmaps: BitmapRow): void {
    const mark = this.memory.mark();
    this.exports.scatterListPositions(writtenPairs(this.memory, lists), lists.length, universe, bitmaps);
    this.memory.release(mark);
  }

  /** `PositionTables.near` directly from two lists of one segment, without deleted documents. O(occurrences in their common documents). */
  near(left: LivePostings, right: LivePostings, universe: Bitmap, targets: NearTargets): void {
    this.join(left, right, universe, 0, targets);
  }

  /** Only the near1 of `near`, at less cost: a document is finished at its first pair. */
  adjacent(left: LivePostings, right: LivePostings, universe: Bitmap, target: Bitmap): void {
    this.join(left, right, universe, 2, [target, target, target]);
  }

  /** `PositionTables.sameField` directly from two lists of one segment, without deleted documents. */
  sameField(left: LivePostings, right: LivePostings, universe: Bitmap, target: Bitmap): void {
    this.join(left, right, universe, 1, [target, target, target]);
  }

  /** Merges lists (of different segments) into one encoded list without the deleted documents; empty array when none is left. */
  merge(lists: readonly LivePostings[]): Uint8Array {
    const mark = this.memory.mark();
    const pairs = writtenPairs(this.memory, lists);
    const merged = this.memory.attempt(() => this.exports.mergePostings(pairs, lists.length) >>> 0);
    this.memory.release(mark);
    if (merged === 0) return new Uint8Array(0);
    const bytes = this.memory.u8.slice(merged + 8, merged + 8 + this.memory.u32[merged >>> 2]!);
    this.memory.free(merged);
    return bytes;
  }

  private join(a: LivePostings, b: LivePostings, within: Bitmap, kind: number, targets: NearTargets): void {
    // lists of several words are walked against a rank-indexed list
    if (b.words) a.makeMasks?.();
    else if (a.words) b.makeMasks?.();
    const [left, right] = [a.indexed ?? 0, b.indexed ?? 0];
    const { exports } = this;
    const [near1, near2, near3] = targets;
    if (left !== 0 && b.words) this.joinWords(b, b.words, 1, [left, a.deleted, within, kind, ...targets]);
    else if (right !== 0 && a.words) this.joinWords(a, a.words, 0, [right, b.deleted, within, kind, ...targets]);
    else if (left !== 0 && right !== 0)
      exports.nearIndexed(left, a.deleted, right, b.deleted, within, kind, near1, near2, near3);
    else if (left !== 0)
      exports.nearHalfIndexed(loadedList(b), b.deleted, left, a.deleted, 1, within, kind, near1, near2, near3);
    else if (right !== 0)
      exports.nearHalfIndexed(loadedList(a), a.deleted, right, b.deleted, 0, within, kind, near1, near2, near3);
    else exports.nearLists(loadedList(a), a.deleted, loadedList(b), b.deleted, within, kind, near1, near2, near3);
  }

  private joinWords(
    { deleted }: LivePostings,
    addresses: PostingLists,
    isLeft: 0 | 1,
    [indexed, indexedDeleted, ...rest]: readonly [RankIndexedList, Bitmap | None, Bitmap, kind: number, ...NearTargets],
  ): void {
    const mark = this.memory.mark();
    const lists = this.memory.written(addresses);
    this.exports.nearWordsIndexed(lists, addresses.length, deleted, indexed, indexedDeleted, isLeft, ...rest);
    this.memory.release(mark);
  }
}
