/** What the writer has waited for since it was opened. Counts and times only grow; times in milliseconds. */
export interface WriterWaits {
  /** Frames handed to the thread of extraction, and frames of segments asked back from it. */
  readonly handOverCount: number;
  /** Those of them at which the writer stood still: the pipe was full, or the segment not made yet. */
  readonly blockedCount: number;
  readonly extractionMs: number;
  /** Between the last row of a commit and its return: pages are written and flushed. */
  readonly diskMs: number;
}

/** Counts what the writer waits for, in its thread. */
export class WaitCounter implements WriterWaits {
  handOverCount = 0;
  blockedCount = 0;
  extractionMs = 0;
  diskMs = 0;
  private isBlocked = false;

  /** A frame begins. */
  handOver(): void {
    this.handOverCount += 1;
    this.isBlocked = false;
  }

  /** The frame that was begun last had to wait, maybe not for the first time. */
  waited(forMs: number): void {
    this.extractionMs += forMs;
    if (this.isBlocked) return;
    this.isBlocked = true;
    this.blockedCount += 1;
  }

  committed(diskMs: number): void {
    this.diskMs += diskMs;
  }

  /** The counts as they are now. */
  read(): WriterWaits {
    const { handOverCount, blockedCount, extractionMs, diskMs } = this;
    return { handOverCount, blockedCount, extractionMs, diskMs };
  }
}
