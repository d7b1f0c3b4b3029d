import type { EngineWriter } from './port.js';

/** How long behind the start merges are taken up that the process before did not get to: the first searches come first, to the disk as well. */
const LEFT_AFTER_MS = 5_000;
/** How long is looked for indexes at a time that the process before left with segments to merge, in milliseconds. */
const LOOK_MS = 5;

/** Indexes that may have something to merge: those that were written to, and those in which an earlier process did not get to it. */
export class PendingMerges {
  private readonly uids = new Set<string>();
  /** Goes through all indexes once; undefined before and after. */
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

  /** To be called at the start: some seconds later lookFor does its work, and `wake` is called. */
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

  /** From now on indexes are looked for in which an earlier process left something. */
  lookFor(writer: Pick<EngineWriter, 'mergesDue'>): void {
    this.left = writer.mergesDue();
  }

  /** The index to go on with; null: none was found yet, ask again; undefined: there is none. A few milliseconds. */
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
