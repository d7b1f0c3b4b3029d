import { isKernelFault } from './fault.js';
import type { KernelExports } from './kernel-exports.js';

/** The kernel's memory: a new buffer after each growth. */
export interface LinearMemory {
  readonly buffer: ArrayBuffer;
}

/**
 * The host's view of the kernel's memory. Growth detaches typed arrays, and the getters remake them: read a getter anew after every call that may allocate,
 * never store its result.
 */
export class MemoryView {
  private readonly exports: KernelExports;
  private readonly memory: LinearMemory;
  private u8View = new Uint8Array(0);
  private u16View = new Uint16Array(0);
  private u32View = new Uint32Array(0);
  private f32View = new Float32Array(0);
  private f64View = new Float64Array(0);

  constructor(exports: KernelExports, memory: LinearMemory) {
    this.exports = exports;
    this.memory = memory;
  }

  get u8(): Uint8Array {
    if (this.u8View.length === 0) this.u8View = new Uint8Array(this.memory.buffer);
    return this.u8View;
  }

  /** Indexed by address / 2. */
  get u16(): Uint16Array {
    if (this.u16View.length === 0) this.u16View = new Uint16Array(this.memory.buffer);
    return this.u16View;
  }

  /** Indexed by address / 4. */
  get u32(): Uint32Array {
    if (this.u32View.length === 0) this.u32View = new Uint32Array(this.memory.buffer);
    return this.u32View;
  }

  /** Indexed by address / 4. */
  get f32(): Float32Array {
    if (this.f32View.length === 0) this.f32View = new Float32Array(this.memory.buffer);
    return this.f32View;
  }

  /** Indexed by address / 8. */
  get f64(): Float64Array {
    if (this.f64View.length === 0) this.f64View = new Float64Array(this.memory.buffer);
    return this.f64View;
  }

  /** Long-lived bytes, 16-byte aligned, contents undefined. Traps when memory ends. */
  alloc(byteCount: number): number {
    return this.exports.heapAlloc(byteCount) >>> 0;
  }

  free(ptr: number): void {
    this.exports.heapFree(ptr);
  }

  /** Bytes until the release of an earlier mark, 16-byte aligned, contents undefined. */
  scratch(byteCount: number): number {
    return this.exports.scratchAlloc(byteCount) >>> 0;
  }

  /** Runs work that allocates long-lived memory: when `onPause` or an error of the host ends it, all of that memory is freed. */
  attempt<T>(work: () => T): T {
    this.exports.attemptStart();
    try {
      const made = work();
      this.exports.attemptEnd();
      return made;
    } catch (error) {
      if (!isKernelFault(error)) this.exports.attemptAbandon();
      throw error;
    }
  }

  /** Copies bytes to an address. */
  put(bytes: Uint8Array, to: number): void {
    this.u8.set(bytes, to);
  }

  /** A copy of the numbers in scratch. */
  written(numbers: Uint32Array): number {
    const at = this.scratch(numbers.byteLength);
    this.u32.set(numbers, at >>> 2);
    return at;
  }

  /** A copy of `count` numbers from the address on. */
  copiedU32(at: number, count: number): Uint32Array<ArrayBuffer> {
    return this.u32.slice(at >>> 2, (at >>> 2) + count);
  }

  mark(): number {
    return this.exports.scratchMark() >>> 0;
  }

  release(mark: number): void {
    this.exports.scratchRelease(mark);
  }
}

/** Operations on one kind of object in the kernel's memory. */
export abstract class KernelPart {
  protected readonly exports: KernelExports;
  protected readonly memory: MemoryView;

  constructor(exports: KernelExports, memory: MemoryView) {
    this.exports = exports;
    this.memory = memory;
  }
}
