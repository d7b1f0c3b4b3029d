import type { PipeWaits } from '@fossick/threads';

/** What the writer has waited for since it was opened. Counts and times only grow; times in milliseconds. */
export interface WriterWaits {
  /** Frames sent to the extraction thread, and segments requested from it. */
  readonly handOverCount: number;
  /** How many of them blocked the writer: the pipe was full, or the segment not finished. */
  readonly blockedCount: number;
  readonly extractionMs: number;
  /** From the last row of a commit to its return: pages are written and flushed. */
  readonly diskMs: number;
}

/** Counts the waits of the writer, in its thread. */
export class WaitCounter implements WriterWaits, PipeWaits {
  handOverCount = 0;
  blockedCount = 0;
  extractionMs = 0;
  diskMs = 0;
  private isBlocked = false;

  /** Counts a frame. */
  handOver(): void {
    this.handOverCount += 1;
    this.isBlocked = false;
  }

  /** Notes that the current frame had to wait, possibly not for the first time. */
  waited(forMs: number): void {
    this.extractionMs += forMs;
    if (this.isBlocked) return;
    this.isBlocked = true;
    this.blockedCount += 1;
  }

  committed(diskMs: number): void {
    this.diskMs += diskMs;
  }

  /** The current counts. */
  read(): WriterWaits {
    const { handOverCount, blockedCount, extractionMs, diskMs } = this;
    return { handOverCount, blockedCount, extractionMs, diskMs };
  }
}
