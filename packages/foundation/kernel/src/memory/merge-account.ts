import type { Kernel } from '../kernel.js';
import type { MergeAccount } from './merge-accounts.js';

/** What a merging thread has from its start on: the pipe for its rows, its own heap and code. */
export const MERGE_THREAD_BYTES = 16 << 20;
/** A merge that takes this much more than its claim waits until searches have freed it. */
const GROWTH_BYTES = 4 << 20;
/** A wait ends when searches have freed nothing for this long; and how often it looks, in milliseconds. */
const [WAIT_MS, LOOK_MS] = [1_000, 10];
/** The longest wait of one merge, in seconds: segments would pile up if it never ended, and slow down all searches. */
const WAIT_SECONDS_MAX = 20;

/** Counts what a merge holds. */
export interface MergeMemory {
  /** The merge is about to hold this many bytes outside of its kernel, instead of those before. */
  hold(hostBytes: number): void;
}

/** For merges that are small, or run where nobody searches. */
export const UNCOUNTED: MergeMemory = { hold: () => undefined };

/**
 * Counts a merge in the memory of searches, which free as much (memory-budget.ts): first what it has claimed, and what it
 * holds where that is more. The merge waits for it before it begins, and when it grows beyond its claim. Used in a thread
 * of its own, which it blocks.
 */
export class CountedMemory implements MergeMemory {
  private readonly kernel: Kernel;
  private readonly account: CountedAccount;
  private readonly pause: (milliseconds: number) => void;
  private hostBytes = 0;
  /** The most bytes that searches have made room for. */
  private grantedBytes = 0;
  private waitedMs = 0;

  constructor(kernel: Kernel, account: CountedAccount, pause: (milliseconds: number) => void) {
    this.kernel = kernel;
    this.account = account;
    this.pause = pause;
    this.grantedBytes = account.claimedBytes;
    this.waitForSearches();
    this.settle();
  }

  hold(hostBytes: number): void {
    this.hostBytes = hostBytes;
    this.settle();
  }

  /** Called between the steps of the merge: its kernel may have grown. */
  settle(): void {
    const bytes = MERGE_THREAD_BYTES + this.kernel.memory.byteCount + this.hostBytes;
    this.account.report(bytes);
    if (bytes < this.grantedBytes + GROWTH_BYTES) return;
    this.grantedBytes = bytes;
    this.waitForSearches();
  }

  private waitForSearches(): void {
    let { missingBytes: least } = this.account;
    for (let silentMs = 0; least > 0 && silentMs < WAIT_MS && this.waitedMs < WAIT_SECONDS_MAX * 1_000; ) {
      this.pause(LOOK_MS);
      this.waitedMs += LOOK_MS;
      const { missingBytes } = this.account;
      silentMs = missingBytes < least ? 0 : silentMs + LOOK_MS;
      least = Math.min(least, missingBytes);
    }
  }
}

type CountedAccount = Pick<MergeAccount, 'claimedBytes' | 'report' | 'missingBytes'>;

/** Blocks the thread. */
export function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
