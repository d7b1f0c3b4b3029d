import { isPast } from '@fossick/base';
import type { Bitmap, Block, Kernel, None, Pool } from '@fossick/kernel';

/** Thrown when the search has reached its deadline: the ranking stops and returns what it has. */
export class SearchOverdue extends Error {}

/** The most documents that count as few: bitmaps with only these are cleared where these are, whatever the width of the index. */
export const SPARSE_DOCS = 500;

/** Blocks of 2^n bytes are reused for n below this. */
const SCRATCH_CLASSES = 32;

/** The scratch bitmaps of one search, which reuses released ones: deep pages must not grow the scratch region. */
export class BitmapPool {
  readonly kernel: Kernel;
  readonly bitCount: number;
  /** The kernel's handle of the pool. */
  readonly ptr: Pool;
  /**
   * On the clock of `performance.now`; checked inside of the rules too, because one bucket of a long query may take seconds.
   */
  deadlineMs = Number.POSITIVE_INFINITY;
  /** The rests of the buckets being divided, the innermost last, with their sizes: the rules will need these next. */
  openRests: readonly { readonly universe: Bitmap; readonly size: number }[] = [];
  /** Free blocks by the logarithm of their size. */
  private readonly freeScratch: (Block[] | undefined)[] = [];

  constructor(kernel: Kernel, bitCount: number) {
    this.kernel = kernel;
    this.bitCount = bitCount;
    this.ptr = kernel.pools.create(bitCount);
  }

  /**
   * @throws SearchOverdue after the deadline. Called before each costly step of a rule.
   */
  checkTime(): void {
    if (isPast(this.deadlineMs)) throw new SearchOverdue('the search is over its cutoff');
  }

  /** Runs work with a deadline: `checkTime` may end it, also in the middle of a long call of the kernel. */
  withDeadline<T>(deadlineMs: number, work: () => T): T {
    const { kernel, deadlineMs: outerMs } = this;
    const { onPause } = kernel;
    this.deadlineMs = deadlineMs;
    kernel.onPause = () => this.checkTime();
    try {
      return work();
    } finally {
      this.deadlineMs = outerMs;
      kernel.onPause = onPause;
    }
  }

  /** Runs work without a deadline. */
  withoutDeadline<T>(work: () => T): T {
    return this.withDeadline(Number.POSITIVE_INFINITY, work);
  }

  /** An empty bitmap. */
  empty(): Bitmap {
    return this.kernel.pools.empty(this.ptr);
  }

  copyOf(source: Bitmap): Bitmap {
    return this.kernel.pools.copy(this.ptr, source);
  }

  /** The intersection as a bitmap owned by the caller; 0 when it is empty. */
  intersection(a: Bitmap, b: Bitmap): Bitmap | None {
    return this.kernel.pools.intersection(this.ptr, a, b);
  }

  release(bitmap: Bitmap): void {
    this.kernel.pools.release(this.ptr, bitmap);
  }

  /** The bitmap itself when its documents are few, else 0. */
  ifSparse(bitmap: Bitmap): Bitmap | None {
    return this.kernel.bitmaps.isSparse(bitmap, SPARSE_DOCS) ? bitmap : 0;
  }

  /** Releases a bitmap that has no other documents than `sparse` had when it was found to be few, and not gained since; 0: any. */
  releaseWithin(bitmap: Bitmap, sparse: Bitmap | None): void {
    if (sparse === 0) this.release(bitmap);
    else this.kernel.pools.releaseWithin(this.ptr, bitmap, sparse);
  }

  /** Scratch memory of at least this many bytes, to be released with the same number. */
  scratch(byteCount: number): Block {
    const size = SCRATCH_CLASSES - Math.clz32(byteCount - 1);
    return this.freeScratch[size]?.pop() ?? this.kernel.memory.scratch(2 ** size);
  }

  releaseScratch(scratch: Block, byteCount: number): void {
    const size = SCRATCH_CLASSES - Math.clz32(byteCount - 1);
    const free = this.freeScratch[size];
    if (free) free.push(scratch);
    else this.freeScratch[size] = [scratch];
  }
}
