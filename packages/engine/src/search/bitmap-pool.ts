import type { Kernel, Ptr } from '@fossick/kernel';

/** Scratch bitmaps of one search, used again once given back: deep pages must not grow the scratch region. */
export class BitmapPool {
  private readonly free: Ptr[] = [];

  constructor(
    readonly kernel: Kernel,
    readonly bitCount: number,
  ) {}

  /** An empty bitmap. */
  empty(): Ptr {
    const reused = this.free.pop();
    if (reused === undefined) return this.kernel.bitmap(this.bitCount);
    this.kernel.clear(reused);
    return reused;
  }

  copyOf(source: Ptr): Ptr {
    const target = this.free.pop() ?? this.kernel.bitmap(this.bitCount);
    this.kernel.assign(target, source);
    return target;
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
