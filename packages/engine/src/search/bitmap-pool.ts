import type { Kernel, Ptr } from '@fossick/kernel';

/** The search has run as long as it may: whoever ranks stops and gives out what it has (spec 11 section 9.4). */
export class SearchOverdue extends Error {}

/** Scratch bitmaps of one search, used again once given back: deep pages must not grow the scratch region. */
export class BitmapPool {
  private readonly free: Ptr[] = [];
  /** On the clock of `performance.now`; checked inside the rules as well, for one bucket of a long query may take seconds. */
  deadlineMs = Number.POSITIVE_INFINITY;

  constructor(
    readonly kernel: Kernel,
    readonly bitCount: number,
  ) {}

  /** @throws SearchOverdue once the deadline is past. Called before each costly step of a rule. */
  checkTime(): void {
    if (performance.now() > this.deadlineMs) throw new SearchOverdue('the search is over its cutoff');
  }

  /** An empty bitmap. */
  empty(): Ptr {
    const reused = this.free.pop();
    if (reused === undefined) return this.kernel.bitmap(this.bitCount);
    this.kernel.clear(reused);
    return reused;
  }

  copyOf(source: Ptr): Ptr {
    const reused = this.free.pop();
    if (reused === undefined) return this.kernel.copyOf(source);
    this.kernel.assign(reused, source);
    return reused;
  }

  intersection(a: Ptr, b: Ptr): Ptr {
    const target = this.copyOf(a);
    this.kernel.and(target, b);
    return target;
  }

  giveBack(bitmap: Ptr): void {
    this.free.push(bitmap);
  }
}
