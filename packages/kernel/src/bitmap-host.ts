import { DictionaryHost } from './dictionary.js';
import { BITMAP_HEADER_BYTES } from './layout.js';
import { planByteCount, WasmPathPlan } from './path-plan.js';
import type { PathPlan, PathPlanShape } from './path-plan-port.js';
import type { Bitmap, BitmapRow, Block, None, Pool, U32Array, Window } from './ptr.js';

/** Room for so many members is taken without asking how many there are. */
const FEW_MEMBERS = 1000;

/** The port's bitmaps, pools of them, and ways through a graph over them: every method is a call or two. */
export class BitmapHost extends DictionaryHost {
  bitmap(bitCount: number): Bitmap {
    return (this.exports.bitmapScratch(bitCount) >>> 0) as Bitmap;
  }

  bitmapResident(bitCount: number): Bitmap {
    return (this.exports.bitmapHeap(bitCount) >>> 0) as Bitmap;
  }

  copyOf(source: Bitmap): Bitmap {
    return (this.exports.bitmapCopy(source) >>> 0) as Bitmap;
  }

  clear(bitmap: Window): void {
    this.exports.bitmapClear(bitmap);
  }

  assign(target: Bitmap, source: Bitmap): void {
    this.exports.bitmapAssign(target, source);
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

  orMasked(target: Bitmap, source: Bitmap, within: Bitmap | None, without: Bitmap | None): void {
    this.exports.bitmapOrMasked(target, source, within, without);
  }

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

  intersects(a: Bitmap, b: Bitmap): boolean {
    return this.exports.bitmapIntersects(a, b) !== 0;
  }

  set(bitmap: Bitmap, bit: number): void {
    this.exports.bitmapSet(bitmap, bit);
  }

  unset(bitmap: Bitmap, bit: number): void {
    this.exports.bitmapUnset(bitmap, bit);
  }

  has(bitmap: Bitmap, bit: number): boolean {
    return this.exports.bitmapHas(bitmap, bit) !== 0;
  }

  next(bitmap: Bitmap, from: number): number {
    return this.exports.bitmapNext(bitmap, from);
  }

  members(bitmap: Bitmap, skip: number, limit: number): Uint32Array {
    const mark = this.memory.mark();
    // Counting first costs a pass over the bitmap: it is spared where room for all that may come is small.
    const most = limit <= FEW_MEMBERS ? limit : Math.min(limit, Math.max(0, this.count(bitmap) - skip));
    const out = this.memory.scratch(most * 4);
    const found = most === 0 ? 0 : this.exports.bitmapMembers(bitmap, skip, most, out);
    const members = this.memory.u32.slice(out >>> 2, (out >>> 2) + found);
    this.memory.release(mark);
    return members;
  }

  bits(bitmap: Bitmap): Uint32Array {
    const from = (bitmap + BITMAP_HEADER_BYTES) >>> 2;
    return this.memory.u32.slice(from, from + this.memory.u32[bitmap >>> 2]!);
  }

  setMany(bitmap: Bitmap, docIds: U32Array, count: number): void {
    this.exports.bitmapSetMany(bitmap, docIds, count);
  }

  takeOut(bitmap: Bitmap, part: Bitmap): number {
    return this.exports.bitmapTakeOut(bitmap, part) >>> 0;
  }

  window(firstBit: number, bitCount: number): Window {
    return (this.exports.windowHeap(firstBit, bitCount) >>> 0) as Window;
  }

  orWindow(target: Bitmap, window: Window, within: Bitmap | None, without: Bitmap | None): void {
    this.exports.windowOr(target, window, within, without);
  }

  addStoredWindow(window: Window, from: Block, byteCount: number): void {
    this.exports.windowAddStored(window, from, byteCount);
  }

  joinWindow(window: Window, other: Window): void {
    this.exports.windowJoin(window, other);
  }

  countBeside(bitmap: Bitmap, window: Window): number {
    return this.exports.countBeside(bitmap, window) >>> 0;
  }

  bitmapRow(bitmaps: readonly (Window | None)[]): BitmapRow {
    const row = this.memory.scratch(bitmaps.length * 4) as BitmapRow;
    this.fillRow(row, bitmaps);
    return row;
  }

  fillRow(row: BitmapRow, bitmaps: readonly (Window | None)[]): void {
    this.memory.u32.set(bitmaps, row >>> 2);
  }

  createPool(bitCount: number): Pool {
    return (this.exports.poolNew(bitCount) >>> 0) as Pool;
  }

  poolEmpty(pool: Pool): Bitmap {
    return (this.exports.poolEmpty(pool) >>> 0) as Bitmap;
  }

  poolCopy(pool: Pool, source: Bitmap): Bitmap {
    return (this.exports.poolCopy(pool, source) >>> 0) as Bitmap;
  }

  poolMeet(pool: Pool, a: Bitmap, b: Bitmap): Bitmap | None {
    return (this.exports.poolMeet(pool, a, b) >>> 0) as Bitmap | None;
  }

  poolGive(pool: Pool, bitmap: Bitmap): void {
    this.exports.poolGive(pool, bitmap);
  }

  writeBits(bitmap: Bitmap, firstByte: number, bytes: Uint8Array): void {
    const capacity = this.bitCapacity(bitmap) / 8 - firstByte;
    if (capacity > 0) this.memory.u8.set(bytes.subarray(0, capacity), bitmap + BITMAP_HEADER_BYTES + firstByte);
  }

  windowBits(window: Window): Block {
    return (window + BITMAP_HEADER_BYTES) as Block;
  }

  pathPlanBytes({ firstEdges, targets, costCount }: PathPlanShape, universe: Bitmap): number {
    return planByteCount(firstEdges.length - 1, targets.length, costCount, this.bitCapacity(universe));
  }

  createPathPlan(pool: Pool, universe: Bitmap, shape: PathPlanShape, capacity: Block): PathPlan {
    return new WasmPathPlan(this.exports, this.memory, { pool, universe, shape, ptr: capacity });
  }
}
