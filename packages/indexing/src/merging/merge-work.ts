import type { Kernel } from '@fossick/kernel';
import type { RowSink, SegmentInfo } from '@fossick/segments';
import { CurrentRows } from '@fossick/segments';
import type { MergePlan } from './merge-segments.js';
import { mergeSegments } from './merge-segments.js';

/** The rows of a merged segment, in the making. */
export interface MergeWork {
  /** Whether there are rows to be put: false while another thread is still at the next ones. */
  readonly isReady: boolean;
  /** Puts rows that are ready, of about so many bytes at most; answers what the manifest is to say once all are put. */
  put(rows: RowSink, bytes: number): SegmentInfo | undefined;
  /** Puts rows that another thread has made, if one does: for when the merge may not end now. */
  putMade(rows: RowSink, bytes: number): void;
  /** Gives it up, or back what it holds. */
  stop(): void;
}

/** A merge whose rows are made when they are asked for, in the thread that puts them. */
export class MergeHere implements MergeWork {
  readonly isReady = true;
  private readonly rows = new CurrentRows();
  private readonly steps: Generator<number, SegmentInfo>;

  constructor(kernel: Kernel, plan: MergePlan) {
    this.steps = mergeSegments(kernel, this.rows, plan);
  }

  put(rows: RowSink, bytes: number): SegmentInfo | undefined {
    this.rows.continueWith(rows);
    try {
      for (let left = bytes; left > 0; ) {
        const { done, value } = this.steps.next();
        if (done === true) return value;
        left -= value;
      }
      return undefined;
    } finally {
      this.rows.continueWith(undefined);
    }
  }

  putMade(): void {}

  stop(): void {
    this.steps.return(undefined as never);
  }
}
