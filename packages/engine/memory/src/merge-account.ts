import type { Kernel } from '@fossick/kernel';
import type { MergeAccount } from './merge-accounts.js';

/** What a merging thread has from its start on: the pipe for its rows, its own heap and code. */
const THREAD_BYTES = 16 << 20;
/** A merge that takes this much more memory waits until searches have freed it. */
const GROWTH_BYTES = 4 << 20;
/** How long a wait takes, and how often it looks, in milliseconds. */
const [WAIT_MS, LOOK_MS] = [1_000, 10];
/** The most waits of one merge: segments would pile up if it never ended, and slow down all searches. */
const WAITS_MAX = 20;

/** Counts what a merge holds. */
export interface MergeMemory {
  /** The merge is about to hold this many bytes outside of its kernel, instead of those before. */
  hold(hostBytes: number): void;
}

/** For merges that are small, or run where nobody searches. */
export const UNCOUNTED: MergeMemory = { hold: () => undefined };

/**
 * Reports what a merge holds as part of the memory of searches, which free as much (memory-budget.ts), and makes the
 * merge wait for that when it grows: searches have priority. Used in a thread of its own, which it blocks.
 */
export class CountedMemory implements MergeMemory {
  private readonly kernel: Kernel;
  private readonly account: Pick<MergeAccount, 'report' | 'isShort'>;
  private readonly pause: (milliseconds: number) => void;
  private hostBytes = 0;
  /** The most bytes that searches have made room for. */
  private grantedBytes = 0;
  private waitCount = 0;

  constructor(
    kernel: Kernel,
    account: Pick<MergeAccount, 'report' | 'isShort'>,
    pause: (milliseconds: number) => void,
  ) {
    this.kernel = kernel;
    this.account = account;
    this.pause = pause;
    this.settle();
  }

  hold(hostBytes: number): void {
    this.hostBytes = hostBytes;
    this.settle();
  }

  /** Called between the steps of the merge: its kernel may have grown. */
  settle(): void {
    const bytes = THREAD_BYTES + this.kernel.memory.byteCount + this.hostBytes;
    this.account.report(bytes);
    if (bytes < this.grantedBytes + GROWTH_BYTES) return;
    this.grantedBytes = bytes;
    this.waitForSearches();
  }

  private waitForSearches(): void {
    if (this.waitCount >= WAITS_MAX || !this.account.isShort) return;
    this.waitCount += 1;
    for (let waitedMs = 0; waitedMs < WAIT_MS && this.account.isShort; waitedMs += LOOK_MS) this.pause(LOOK_MS);
  }
}

/** Blocks the thread. */
export function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
