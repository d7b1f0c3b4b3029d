import type { KernelExports } from '../kernel-exports.js';
import type { Bitmap, None, Pool } from '../ptr.js';

/** Pools of bitmaps of one size in scratch, which reuse released bitmaps. */
export class BitmapPools {
  private readonly exports: KernelExports;

  constructor(exports: KernelExports) {
    this.exports = exports;
  }

  create(bitCount: number): Pool {
    return (this.exports.poolNew(bitCount) >>> 0) as Pool;
  }

  empty(pool: Pool): Bitmap {
    return (this.exports.poolEmpty(pool) >>> 0) as Bitmap;
  }

  copy(pool: Pool, source: Bitmap): Bitmap {
    return (this.exports.poolCopy(pool, source) >>> 0) as Bitmap;
  }

  /** The intersection of two bitmaps; 0, with nothing allocated, when it is empty. */
  intersection(pool: Pool, a: Bitmap, b: Bitmap): Bitmap | None {
    return (this.exports.poolIntersection(pool, a, b) >>> 0) as Bitmap | None;
  }

  /** Makes this many bitmaps free, if they are not yet: for calls that take bitmaps by themselves (`Bitmaps.groupedRow`). */
  reserve(pool: Pool, count: number): void {
    this.exports.poolReserve(pool, count);
  }

  release(pool: Pool, bitmap: Bitmap): void {
    this.exports.poolRelease(pool, bitmap);
  }

  /** The same for a bitmap that has no other bits than `within` had when `isSparse` said so of it. */
  releaseWithin(pool: Pool, bitmap: Bitmap, within: Bitmap): void {
    this.exports.poolReleaseWithin(pool, bitmap, within);
  }
}
