import { CurrentRows, type MergePlan, type RowSink, type SegmentInfo } from '@fossick/format';
import type { Kernel } from '@fossick/kernel';
import { mergeSegments } from './merge-segments.js';

/** Produces the rows of a merged segment. */
export interface MergeWork {
  /** Whether rows are ready to be put: false while another thread is making the next ones. */
  readonly isReady: boolean;
  /** Puts ready rows of about this many bytes; returns the segment's entry in the manifest once all are put. */
  put(rows: RowSink, bytes: number): SegmentInfo | undefined;
  /** Puts rows that another thread has made, for use where the merge may not end. */
  putMade(rows: RowSink, bytes: number): void;
  /** Aborts the work and frees what it holds, as soon as it notices. */
  stop(): void;
  /** Resolves when nothing of it runs any more. */
  readonly ended: Promise<void>;
}

/** A merge whose rows are made on demand, in the thread that puts them. */
export class MergeHere implements MergeWork {
  readonly isReady = true;
  readonly ended = Promise.resolve();
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
