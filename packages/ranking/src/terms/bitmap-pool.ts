import type { Bitmap, Block, Kernel, None, Pool, U32Array } from '@fossick/kernel';

/** The search has run as long as it may: whoever ranks stops and gives out what it has. */
export class SearchOverdue extends Error {}

/** So many documents are few: bitmaps of these alone are emptied by them, which takes less time than a bitmap of a hundred thousand. */
export const FEW_DOCS = 500;

/** A few documents, in scratch memory. */
export interface FewDocs {
  readonly docIds: U32Array;
  readonly count: number;
}

/** Rooms of 2^n bytes for n below this one are kept for the next who wants one. */
const SCRATCH_CLASSES = 32;

/** Scratch bitmaps of one search, used again once given back: deep pages must not grow the scratch region. */
export class BitmapPool {
  readonly kernel: Kernel;
  readonly bitCount: number;
  /** The pool as the kernel knows it. */
  readonly ptr: Pool;
  /** On the clock of `performance.now`; checked inside the rules as well, for one bucket of a long query may take seconds. */
  deadlineMs = Number.POSITIVE_INFINITY;
  /** What is left of the buckets that are being cut, the inmost last, and how many documents: rules will be asked about these next. */
  unplaced: readonly { readonly universe: Bitmap; readonly size: number }[] = [];
  /** Free rooms by the logarithm of their size. */
  private readonly freeScratch: (Block[] | undefined)[] = [];

  constructor(kernel: Kernel, bitCount: number) {
    this.kernel = kernel;
    this.bitCount = bitCount;
    this.ptr = kernel.pools.create(bitCount);
  }

  /** @throws SearchOverdue once the deadline is past. Called before each costly step of a rule. */
  checkTime(): void {
    if (performance.now() > this.deadlineMs) throw new SearchOverdue('the search is over its cutoff');
  }

  /** Work that `checkTime` may end, and the kernel in the middle of a long call. */
  until<T>(deadlineMs: number, work: () => T): T {
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

  /** Work that takes what it takes. */
  unhurried<T>(work: () => T): T {
    return this.until(Number.POSITIVE_INFINITY, work);
  }

  /** An empty bitmap. */
  empty(): Bitmap {
    return this.kernel.pools.empty(this.ptr);
  }

  copyOf(source: Bitmap): Bitmap {
    return this.kernel.pools.copy(this.ptr, source);
  }

  /** The intersection as a bitmap of the caller's; 0 when it is empty. */
  meet(a: Bitmap, b: Bitmap): Bitmap | None {
    return this.kernel.pools.intersection(this.ptr, a, b);
  }

  giveBack(bitmap: Bitmap): void {
    this.kernel.pools.giveBack(this.ptr, bitmap);
  }

  /** The documents of a bitmap; null where they are more than a few. O(bits) */
  fewOf(bitmap: Bitmap): FewDocs | null {
    const found = this.kernel.bitmaps.members(bitmap, 0, FEW_DOCS + 1);
    return found.length > FEW_DOCS ? null : { docIds: this.kernel.memory.scratchU32(found), count: found.length };
  }

  /** Gives back a bitmap of no other documents than these; null: of any. */
  giveBackFew(bitmap: Bitmap, docs: FewDocs | null): void {
    if (docs === null) this.giveBack(bitmap);
    else this.kernel.pools.giveBackEmptied(this.ptr, bitmap, docs.docIds, docs.count);
  }

  /** Scratch memory of at least so many bytes, to be given back with the same number. */
  scratch(byteCount: number): Block {
    const size = SCRATCH_CLASSES - Math.clz32(byteCount - 1);
    return this.freeScratch[size]?.pop() ?? this.kernel.memory.scratch(2 ** size);
  }

  giveBackScratch(scratch: Block, byteCount: number): void {
    const size = SCRATCH_CLASSES - Math.clz32(byteCount - 1);
    const free = this.freeScratch[size];
    if (free) free.push(scratch);
    else this.freeScratch[size] = [scratch];
  }
}
