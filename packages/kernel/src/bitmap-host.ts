import { DictionaryHost } from './dictionary.js';
import { BITMAP_HEADER_BYTES } from './layout.js';
import type { KernelExports, MemoryView } from './memory.js';
import type { Ptr } from './ptr.js';

/** Room for so many members is taken without asking how many there are. */
const FEW_MEMBERS = 1000;

/** The port's bitmaps, pools of them, and ways through a graph over them: every method is a call or two. */
export class BitmapHost extends DictionaryHost {
  readonly #exports: KernelExports;
  readonly #memory: MemoryView;

  constructor(exports: KernelExports, memory: MemoryView) {
    super(exports, memory);
    this.#exports = exports;
    this.#memory = memory;
  }

  bitmap(bitCount: number): Ptr {
    return this.#exports['bitmapScratch']!(bitCount) >>> 0;
  }

  bitmapResident(bitCount: number): Ptr {
    return this.#exports['bitmapHeap']!(bitCount) >>> 0;
  }

  copyOf(source: Ptr): Ptr {
    return this.#exports['bitmapCopy']!(source) >>> 0;
  }

  clear(bitmap: Ptr): void {
    this.#exports['bitmapClear']!(bitmap);
  }

  assign(target: Ptr, source: Ptr): void {
    this.#exports['bitmapAssign']!(target, source);
  }

  and(target: Ptr, other: Ptr): void {
    this.#exports['bitmapAnd']!(target, other);
  }

  or(target: Ptr, other: Ptr): void {
    this.#exports['bitmapOr']!(target, other);
  }

  andNot(target: Ptr, other: Ptr): void {
    this.#exports['bitmapAndNot']!(target, other);
  }

  orMasked(target: Ptr, source: Ptr, within: Ptr, without: Ptr): void {
    this.#exports['bitmapOrMasked']!(target, source, within, without);
  }

  bitCapacity(bitmap: Ptr): number {
    return this.#memory.u32[bitmap >>> 2]! * 32;
  }

  count(bitmap: Ptr): number {
    return this.#exports['bitmapCount']!(bitmap) >>> 0;
  }

  intersectionCount(a: Ptr, b: Ptr): number {
    return this.#exports['bitmapIntersectionCount']!(a, b) >>> 0;
  }

  isEmpty(bitmap: Ptr): boolean {
    return this.#exports['bitmapIsEmpty']!(bitmap) !== 0;
  }

  intersects(a: Ptr, b: Ptr): boolean {
    return this.#exports['bitmapIntersects']!(a, b) !== 0;
  }

  set(bitmap: Ptr, bit: number): void {
    this.#exports['bitmapSet']!(bitmap, bit);
  }

  unset(bitmap: Ptr, bit: number): void {
    this.#exports['bitmapUnset']!(bitmap, bit);
  }

  has(bitmap: Ptr, bit: number): boolean {
    return this.#exports['bitmapHas']!(bitmap, bit) !== 0;
  }

  next(bitmap: Ptr, from: number): number {
    return this.#exports['bitmapNext']!(bitmap, from);
  }

  members(bitmap: Ptr, skip: number, limit: number): Uint32Array {
    const mark = this.#memory.mark();
    // Counting first costs a pass over the bitmap: it is spared where room for all that may come is small.
    const most = limit <= FEW_MEMBERS ? limit : Math.min(limit, Math.max(0, this.count(bitmap) - skip));
    const out = this.#memory.scratch(most * 4);
    const found = most === 0 ? 0 : this.#exports['bitmapMembers']!(bitmap, skip, most, out);
    const members = this.#memory.u32.slice(out >>> 2, (out >>> 2) + found);
    this.#memory.release(mark);
    return members;
  }

  bits(bitmap: Ptr): Uint32Array {
    const from = (bitmap + BITMAP_HEADER_BYTES) >>> 2;
    return this.#memory.u32.slice(from, from + this.#memory.u32[bitmap >>> 2]!);
  }

  setMany(bitmap: Ptr, docIds: Ptr, count: number): void {
    this.#exports['bitmapSetMany']!(bitmap, docIds, count);
  }

  takeOut(bitmap: Ptr, part: Ptr): number {
    return this.#exports['bitmapTakeOut']!(bitmap, part) >>> 0;
  }

  window(firstBit: number, bitCount: number): Ptr {
    return this.#exports['windowHeap']!(firstBit, bitCount) >>> 0;
  }

  orWindow(target: Ptr, window: Ptr, within: Ptr, without: Ptr): void {
    this.#exports['windowOr']!(target, window, within, without);
  }

  addStoredWindow(window: Ptr, from: Ptr, byteCount: number): void {
    this.#exports['windowAddStored']!(window, from, byteCount);
  }

  joinWindow(window: Ptr, other: Ptr): void {
    this.#exports['windowJoin']!(window, other);
  }

  countBeside(bitmap: Ptr, window: Ptr): number {
    return this.#exports['countBeside']!(bitmap, window) >>> 0;
  }

  createPool(bitCount: number): Ptr {
    return this.#exports['poolNew']!(bitCount) >>> 0;
  }

  poolEmpty(pool: Ptr): Ptr {
    return this.#exports['poolEmpty']!(pool) >>> 0;
  }

  poolCopy(pool: Ptr, source: Ptr): Ptr {
    return this.#exports['poolCopy']!(pool, source) >>> 0;
  }

  poolMeet(pool: Ptr, a: Ptr, b: Ptr): Ptr {
    return this.#exports['poolMeet']!(pool, a, b) >>> 0;
  }

  poolGive(pool: Ptr, bitmap: Ptr): void {
    this.#exports['poolGive']!(pool, bitmap);
  }

  pathsStart(plan: Ptr): void {
    this.#exports['pathsStart']!(plan);
  }

  pathsEnd(plan: Ptr): void {
    this.#exports['pathsEnd']!(plan);
  }

  pathsNext(plan: Ptr): number {
    return this.#exports['pathsNext']!(plan) >>> 0;
  }

  pathsCredit(plan: Ptr, docs: Ptr): void {
    this.#exports['pathsCredit']!(plan, docs);
  }

  pathsCreditNext(plan: Ptr): number {
    return this.#exports['pathsCreditNext']!(plan);
  }
}
