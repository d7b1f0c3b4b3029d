import type { DocId, DocIds } from '@fossick/base';
import { BITMAP_HEADER_BYTES } from '../layout.js';
import { KernelPart } from '../memory-view.js';
import type { Bitmap, BitmapRow, None, Pool, U32Array, Window } from '../ptr.js';

/** Up to this many members, the result is allocated without counting them first. */
const FEW_MEMBERS = 1000;

/**
 * Dense bitmaps, 16-byte aligned: `[u32 wordCount, 3 x u32 reserved][u32 words...]`, wordCount a multiple of 4; operands of one call have equal
 * wordCount. They are made in scratch, `createResident` in long-lived memory that the caller frees. `clear`, `count` and `isEmpty` take windows, too.
 */
export class Bitmaps extends KernelPart {
  create(bitCount: number): Bitmap {
    return (this.exports.bitmapScratch(bitCount) >>> 0) as Bitmap;
  }

  createResident(bitCount: number): Bitmap {
    return (this.exports.windowHeap(0, bitCount) >>> 0) as Bitmap;
  }

  copy(source: Bitmap): Bitmap {
    return (this.exports.bitmapCopy(source) >>> 0) as Bitmap;
  }

  clear(bitmap: Window): void {
    this.exports.bitmapClear(bitmap);
  }

  and(target: Bitmap, other: Bitmap): void {
    this.exports.bitmapAnd(target, other);
  }

  or(target: Bitmap, other: Bitmap): void {
    this.exports.bitmapOr(target, other);
  }

  andNot(target: Bitmap, other: Bitmap): void {
    this.exports.bitmapAndNot(target, other);
  }

  /** The number of bits that the bitmap can hold. */
  bitCapacity(bitmap: Window): number {
    return this.memory.u32[bitmap >>> 2]! * 32;
  }

  count(bitmap: Window): number {
    return this.exports.bitmapCount(bitmap) >>> 0;
  }

  intersectionCount(a: Bitmap, b: Bitmap): number {
    return this.exports.bitmapIntersectionCount(a, b) >>> 0;
  }

  isEmpty(bitmap: Window): boolean {
    return this.exports.bitmapIsEmpty(bitmap) !== 0;
  }

  /** Whether the bitmap has at most this many bits, 512 at most: what is done with it from then on costs as much as they are, not as the bitmap is wide. */
  isSparse(bitmap: Bitmap, most: number): boolean {
    return this.exports.bitmapIsSparse(bitmap, most) !== 0;
  }

  set(bitmap: Bitmap, docId: DocId): void {
    this.exports.bitmapSet(bitmap, docId);
  }

  unset(bitmap: Bitmap, docId: DocId): void {
    this.exports.bitmapUnset(bitmap, docId);
  }

  has(bitmap: Bitmap, docId: DocId): boolean {
    return this.exports.bitmapHas(bitmap, docId) !== 0;
  }

  /** The first set bit >= from, or -1. */
  next(bitmap: Bitmap, from: number): DocId | -1 {
    return this.exports.bitmapNext(bitmap, from) as DocId | -1;
  }

  /** The set bits, ascending: skips the first `skip`, returns at most `limit`. */
  members(bitmap: Bitmap, skip: number, limit: number): DocIds {
    const mark = this.memory.mark();
    // Counting costs a pass over the bitmap; it is skipped where the limit is small.
    const most = limit <= FEW_MEMBERS ? limit : Math.min(limit, Math.max(0, this.count(bitmap) - skip));
    const out = this.memory.scratch(most * 4);
    const found = most === 0 ? 0 : this.exports.bitmapMembers(bitmap, skip, most, out);
    const members = this.memory.u32.slice(out >>> 2, (out >>> 2) + found) as DocIds;
    this.memory.release(mark);
    return members;
  }

  /** A copy of the bits, 32 to a word, lowest first: for many tests of single documents outside of the kernel. */
  bits(bitmap: Bitmap): Uint32Array {
    const from = (bitmap + BITMAP_HEADER_BYTES) >>> 2;
    return this.memory.u32.slice(from, from + this.memory.u32[bitmap >>> 2]!);
  }

  /** Overwrites the bytes of bits [firstByte * 8, ...), 8 to a byte, lowest first; bytes beyond the bitmap are ignored. */
  writeBits(bitmap: Bitmap, firstByte: number, bytes: Uint8Array): void {
    const capacity = this.bitCapacity(bitmap) / 8 - firstByte;
    if (capacity > 0) this.memory.put(bytes.subarray(0, capacity), bitmap + BITMAP_HEADER_BYTES + firstByte);
  }

  /** Sets the `count` u32 bits at `docIds`. */
  setMany(bitmap: Bitmap, docIds: U32Array, count: number): void {
    this.exports.bitmapSetMany(bitmap, docIds, count);
  }

  /** Clears the bits of `part` in the bitmap; returns the number of bits of `part`. */
  subtract(bitmap: Bitmap, part: Bitmap): number {
    return this.exports.bitmapSubtract(bitmap, part) >>> 0;
  }

  row(bitmaps: readonly (Window | None)[]): BitmapRow {
    const row = this.memory.scratch(bitmaps.length * 4) as BitmapRow;
    this.fillRow(row, bitmaps);
    return row;
  }

  /** A row for scatters by position: for each different number of `groups`, one bitmap is taken from the pool when a position of the group is met. */
  groupedRow(pool: Pool, groups: readonly number[]): BitmapRow {
    const row = this.memory.scratch(groups.length * 4 + 4) as BitmapRow;
    this.memory.u32.set([...groups.map((group) => group * 2 + 1), pool], row >>> 2);
    return row;
  }

  /** The bitmap of a position of such a row; 0 when none was needed. */
  ofGroup(row: BitmapRow, position: number): Bitmap | None {
    const entry = this.memory.u32[(row >>> 2) + position]! as Bitmap;
    return entry % 2 === 1 ? 0 : entry;
  }

  fillRow(row: BitmapRow, bitmaps: readonly (Window | None)[]): void {
    this.memory.u32.set(bitmaps, row >>> 2);
  }
}
