import { type ApiError, apiError } from '@fossick/base';

/** How many searches may run, and how many more may wait. */
export interface SearchQueueOptions {
  /** Searches that count as running: cores times searches per core. */
  readonly slotCount: number;
  /** Requests that may wait beyond those; 0: refused as soon as all slots are busy. */
  readonly capacity: number;
  /** Longest wait in milliseconds; Infinity: no limit. */
  readonly waitMaxMs: number;
  /** A random integer from 0 to below `bound`: chooses the waiting search that runs next, or is refused. */
  readonly pick?: (bound: number) => number;
}

interface Waiter {
  readonly start: () => void;
  readonly drop: () => void;
  readonly sinceMs: number;
}

/**
 * The queue of every read of an index for a request. Searches run in this thread, one per turn of the event loop:
 * everything else that arrived is answered in between, however many searches wait. The first of a turn runs at once.
 * When too many wait, one of them, chosen at random, is refused; so is one that waited too long.
 */
export class SearchQueue {
  private readonly options: SearchQueueOptions;
  private readonly waiters: Waiter[] = [];
  /** Admitted requests that have more work. */
  private readonly parts: (() => void)[] = [];
  private isScheduled = false;
  private isPartNext = false;

  constructor(options: SearchQueueOptions) {
    this.options = options;
  }

  /** Runs the work now or in a later turn, and returns its result. @throws ApiError too_many_search_requests */
  run<T>(work: () => T): T | Promise<T> {
    if (!this.isBusy) {
      this.scheduleNext();
      return work();
    }
    return new Promise<T>((resolve, reject) => {
      const start = (): void => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      const drop = (): void => reject(refusedSearch(this.options.slotCount));
      this.waiters.push({ start, drop, sinceMs: performance.now() });
      const { slotCount, capacity } = this.options;
      if (this.waiters.length > slotCount - 1 + capacity) this.removeOne().drop();
      this.scheduleNext();
    });
  }

  /**
   * Resolves in a later turn: for an admitted request with more work. Such requests alternate with those that wait to
   * be admitted.
   */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.parts.push(resolve);
      this.scheduleNext();
    });
  }

  /** Whether a search would have to wait now. */
  get isBusy(): boolean {
    return this.isScheduled || this.waiters.length > 0 || this.parts.length > 0;
  }

  /** Searches waiting for their turn. */
  get waitingCount(): number {
    return this.waiters.length;
  }

  private scheduleNext(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.dropLate();
      if (this.waiters.length + this.parts.length === 0) return;
      const isPart = this.waiters.length === 0 || (this.isPartNext && this.parts.length > 0);
      this.isPartNext = !isPart;
      const start = isPart ? this.parts.shift()! : this.removeOne().start;
      this.scheduleNext();
      start();
    });
  }

  private dropLate(): void {
    const { waitMaxMs } = this.options;
    if (waitMaxMs === Number.POSITIVE_INFINITY) return;
    const nowMs = performance.now();
    // Arrivals are appended, but random picks leave no order to rely on.
    for (let at = this.waiters.length - 1; at >= 0; at--)
      if (nowMs - this.waiters[at]!.sinceMs > waitMaxMs) this.waiters.splice(at, 1)[0]!.drop();
  }

  private removeOne(): Waiter {
    const pick = this.options.pick ?? ((bound: number) => Math.floor(Math.random() * bound));
    const at = pick(this.waiters.length);
    const chosen = this.waiters[at]!;
    const last = this.waiters.pop()!;
    if (last !== chosen) this.waiters[at] = last;
    return chosen;
  }
}

/** The error of a search that may not wait. */
export function refusedSearch(slotCount: number): ApiError {
  const slots = slotCount === 1 ? 'One search is' : `${slotCount} searches are`;
  return apiError('too_many_search_requests', 'searches', slots);
}
