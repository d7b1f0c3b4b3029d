/**
 * Blocks of 8 to 32 MiB stay in the heap of the C library once they are freed; larger ones are mapped, and given back. The
 * part that is not written takes no memory.
 */
const MAPPED_BYTES = 33 << 20;
/** Smaller blocks are not worth a mapping. */
const LARGE_BYTES = 1 << 20;

/** One block of zeros for all lists of a column. */
export class MergeSpace {
  private readonly buffer: ArrayBuffer;
  private used = 0;

  /** `byteCount`: of all lists, with up to 7 bytes for each to align it. */
  constructor(byteCount: number) {
    this.buffer = new ArrayBuffer(byteCount < LARGE_BYTES ? byteCount : Math.max(byteCount, MAPPED_BYTES));
  }

  doubles(count: number): Float64Array {
    return new Float64Array(this.buffer, this.take(count * 8), count);
  }

  words(count: number): Uint32Array {
    return new Uint32Array(this.buffer, this.take(count * 4), count);
  }

  integers(count: number): Int32Array {
    return new Int32Array(this.buffer, this.take(count * 4), count);
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(this.buffer, this.take(count), count);
  }

  private take(byteCount: number): number {
    const at = this.used;
    this.used += (byteCount + 7) & ~7;
    return at;
  }
}
