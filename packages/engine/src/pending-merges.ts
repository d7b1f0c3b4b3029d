import type { EngineWriter } from './port.js';

/**
 * Delay after the start before merges that the previous process left are done, in milliseconds: the first searches have
 * priority, also on the disk.
 */
const LEFT_AFTER_MS = 5_000;
/** Milliseconds per slice of the search for indexes that the previous process left with segments to merge. */
const LOOK_MS = 5;

/** Indexes that may have something to merge: those that were written to, and those that an earlier process left. */
export class PendingMerges {
  private readonly uids = new Set<string>();
  /** Iterates over all indexes once; undefined before and after. */
  private left: Iterator<string | null> | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** The index was written to. */
  add(uid: string): void {
    this.uids.add(uid);
  }

  /** There is nothing to merge in it, or it cannot be merged. */
  delete(uid: string): void {
    this.uids.delete(uid);
  }

  /** Called at the start: some seconds later calls lookFor, and then `wake`. */
  lookLater(writer: Pick<EngineWriter, 'mergesDue'>, wake: () => void): void {
    this.timer = setTimeout(() => {
      this.lookFor(writer);
      wake();
    }, LEFT_AFTER_MS).unref();
  }

  close(): void {
    clearTimeout(this.timer);
    this.left = undefined;
  }

  /** From now on searches for indexes that an earlier process left with something to merge. */
  lookFor(writer: Pick<EngineWriter, 'mergesDue'>): void {
    this.left = writer.mergesDue();
  }

  /** The index to continue with; null: none was found yet, call again; undefined: there is none. A few milliseconds. */
  next(): string | null | undefined {
    const untilMs = performance.now() + LOOK_MS;
    while (this.uids.size === 0 && this.left !== undefined && performance.now() < untilMs) {
      const { done, value } = this.left.next();
      if (done === true) this.left = undefined;
      else if (value !== null) this.uids.add(value);
    }
    const [uid] = this.uids;
    return uid ?? (this.left === undefined ? undefined : null);
  }
}
