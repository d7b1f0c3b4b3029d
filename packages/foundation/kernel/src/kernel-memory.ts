import { beyondTimeBudget } from '@fossick/base';
import { isKernelFault } from './fault.js';
import type { KernelExports } from './kernel-exports.js';
import type { MemoryView } from './memory-view.js';
import type { Block, F64Array, Mark, Ptr, U32Array } from './ptr.js';

/** Bytes that are copied from stored pages within some milliseconds. */
const WHOLE_FILL_BYTES = 16 * 2 ** 20;

/**
 * The kernel's memory. Long-lived blocks are allocated and freed one by one; what a search makes is in scratch between mark and release. An operation of
 * the kernel allocates nothing unless it says so.
 */
export class Memory {
  private readonly exports: KernelExports;
  private readonly view: MemoryView;

  constructor(exports: KernelExports, view: MemoryView) {
    this.exports = exports;
    this.view = view;
  }

  /** Long-lived bytes, contents undefined. */
  allocate(byteCount: number): Block {
    return this.view.alloc(byteCount) as Block;
  }

  /**
   * The same, written by `fill`, of which the time budget drops none but long ones: a dropped search would read it again from its start, and so would the next one. Freed
   * when `fill` throws.
   */
  filled(byteCount: number, fill: (block: Block) => void): Block {
    const block = this.allocate(byteCount);
    try {
      if (byteCount > WHOLE_FILL_BYTES) fill(block);
      else beyondTimeBudget(() => fill(block));
      return block;
    } catch (error) {
      if (!isKernelFault(error)) this.free(block);
      throw error;
    }
  }

  /** Frees a long-lived object of any kind. */
  free(made: Ptr): void {
    this.view.free(made);
  }

  /** Marks the scratch region; `release` frees everything that was made in scratch since then. */
  mark(): Mark {
    return this.view.mark() as Mark;
  }

  release(mark: Mark): void {
    this.view.release(mark);
  }

  scratch(byteCount: number): Block {
    return this.view.scratch(byteCount) as Block;
  }

  /** Writes bytes into a block, from its byte `at` on. */
  write(block: Block, bytes: Uint8Array, at = 0): void {
    this.view.put(bytes, block + at);
  }

  /** A copy of bytes of a block, from its byte `at` on. */
  read(block: Block, byteCount: number, at = 0): Uint8Array<ArrayBuffer> {
    return this.view.u8.slice(block + at, block + at + byteCount);
  }

  /** A copy in scratch. */
  scratchBytes(bytes: Uint8Array): Block {
    const block = this.scratch(bytes.length);
    this.write(block, bytes);
    return block;
  }

  scratchU32(numbers: ArrayLike<number>): U32Array {
    const made = this.view.scratch(numbers.length * 4) as U32Array;
    this.writeU32(made, numbers);
    return made;
  }

  /** A copy in long-lived memory that the caller frees. */
  residentU32(numbers: ArrayLike<number>): U32Array {
    const made = this.view.alloc(Math.max(4, numbers.length * 4)) as U32Array;
    this.writeU32(made, numbers);
    return made;
  }

  writeU32(target: U32Array, numbers: ArrayLike<number>): void {
    this.view.u32.set(numbers, target >>> 2);
  }

  u32At(numbers: U32Array, at: number): number {
    return this.view.u32[(numbers >>> 2) + at]!;
  }

  /** A copy of numbers [from, from + count). */
  u32s(numbers: U32Array, from: number, count: number): Uint32Array<ArrayBuffer> {
    const start = (numbers >>> 2) + from;
    return this.view.u32.slice(start, start + count);
  }

  f64At(numbers: F64Array, at: number): number {
    return this.view.f64[numbers / 8 + at]!;
  }

  /** A copy of the first numbers. */
  f64s(numbers: F64Array, count: number): Float64Array<ArrayBuffer> {
    return this.view.f64.slice(numbers / 8, numbers / 8 + count);
  }

  /**
   * Numbers of a block as an array that is valid as long as the block. Only where threads share the memory, because that never grows.
   */
  lastingU32s(numbers: U32Array, count: number): Uint32Array {
    return this.view.u32.subarray(numbers >>> 2, (numbers >>> 2) + count);
  }

  /** Bytes of linear memory in use by long-lived allocations. */
  get allocatedBytes(): number {
    return this.exports.heapUsedBytes() >>> 0;
  }

  /** Bytes of all blocks and scratch, of all threads that share the memory. */
  get totalBytes(): number {
    return this.exports.heapTotalBytes() >>> 0;
  }

  /** The most bytes of linear memory ever used. Memory never shrinks: only dropping the kernel returns it. */
  get byteCount(): number {
    return this.exports.heapEndBytes() >>> 0;
  }

  /** Frees everything, scratch included. Valid for a kernel that lacked memory, not for one that trapped. */
  reset(): void {
    this.exports.heapReset();
  }

  /** Limits memory to this many bytes. Memory that it has already stays. Without a call only the address space limits it. */
  limit(byteCount: number): void {
    this.exports.limitMemory(Math.min(byteCount, 0xffff_ffff));
  }
}
