import type { Kernel, None, Window } from '@fossick/kernel';

/** Makes the windows of one list, all over its docid range, in long-lived kernel memory. */
export class SpanWindows {
  private readonly kernel: Kernel;
  private readonly firstDoc: number;
  /** The length of the docid range. */
  readonly bitCount: number;

  constructor(kernel: Kernel, firstDoc: number, bitCount: number) {
    this.kernel = kernel;
    this.firstDoc = firstDoc;
    this.bitCount = bitCount;
  }

  /** Whole bytes of a window: totals then stay small integers, for which V8 compiles faster code. */
  get windowBytes(): number {
    return (this.bitCount + 7) >>> 3;
  }

  /** Empty windows, which the caller frees. */
  create(count: number): readonly Window[] {
    const made: Window[] = [];
    try {
      while (made.length < count) made.push(this.kernel.windows.create(this.firstDoc, this.bitCount));
    } catch (error) {
      for (const window of made) this.kernel.memory.free(window);
      throw error;
    }
    return made;
  }

  /** Fills windows, and frees them when the search ends meanwhile, so that incomplete windows are never cached. */
  fill(windows: readonly Window[], fill: () => void): void {
    try {
      fill();
    } catch (error) {
      for (const window of windows) this.kernel.memory.free(window);
      throw error;
    }
  }

  /** The windows without those that are empty, for which 0 stands, and which are freed. */
  withoutEmpty(windows: readonly Window[]): readonly (Window | None)[] {
    return windows.map((window) => {
      if (!this.kernel.bitmaps.isEmpty(window)) return window;
      this.kernel.memory.free(window);
      return 0;
    });
  }
}
