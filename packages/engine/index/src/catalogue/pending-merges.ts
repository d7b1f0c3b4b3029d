import type { EngineWriter } from '../port.js';

/**
 * Delay after the start before merges that the previous process left are done, in milliseconds: the first searches have
 * priority, also on the disk.
 */
const LEFT_AFTER_MS = 5_000;
/**
 * Delay after which a merge that failed is tried again, in milliseconds: doubled by each further failure, so that a disk
 * that recovers is used soon, and a damaged index costs a try an hour.
 */
const [AGAIN_MS, AGAIN_MS_MAX] = [10_000, 3_600_000];
/** Milliseconds per slice of the search for indexes that the previous process left with segments to merge. */
const LOOK_MS = 5;

/** Indexes that may have something to merge: those that were written to, and those that an earlier process left. */
export class PendingMerges {
  private readonly uids = new Set<string>();
  /** Iterates over all indexes once; undefined before and after. */
  private left: Iterator<string | null> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Indexes whose last merge failed. */
  private readonly failed = new Map<string, { readonly count: number; readonly timer: NodeJS.Timeout }>();

  /** The index was written to. */
  add(uid: string): void {
    this.uids.add(uid);
  }

  /** There is nothing more to merge in it. */
  delete(uid: string): void {
    this.uids.delete(uid);
    this.forget(uid);
  }

  /** Its merge failed: some time later it is added again, and `wake` called. */
  postpone(uid: string, wake: () => void): void {
    const count = this.forget(uid);
    this.uids.delete(uid);
    const again = (): void => {
      this.uids.add(uid);
      wake();
    };
    const timer = setTimeout(again, Math.min(AGAIN_MS * 2 ** count, AGAIN_MS_MAX)).unref();
    this.failed.set(uid, { count: count + 1, timer });
  }

  /** Failures in a row so far. */
  private forget(uid: string): number {
    const failure = this.failed.get(uid);
    clearTimeout(failure?.timer);
    this.failed.delete(uid);
    return failure?.count ?? 0;
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
    for (const { timer } of this.failed.values()) clearTimeout(timer);
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
