/**
 * Compressions that run in other threads at a time: half of the threads that Node has for them, so that files are read meanwhile. Each takes
 * up to 20 MB besides the answer.
 */
const AT_ONCE = 2;

interface Waiter {
  readonly isWanted: () => boolean;
  readonly begin: () => void;
  readonly skip: () => void;
}

/** Answers that are compressed, and those that wait for it, first come, first served. What waits holds its answer only, and only while it is wanted. */
export class CompressionTurns {
  private readonly waiting: Waiter[] = [];
  private running = 0;
  private isLooking = false;

  /** Compressions under way. */
  get runningCount(): number {
    return this.running;
  }

  /** Answers that wait for their turn. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** The result of the work; null when it is not wanted any more before its turn. */
  run<T>(work: () => Promise<T>, isWanted: () => boolean): Promise<T | null> {
    return new Promise<T | null>((resolve, reject) => {
      const begin = (): void => {
        this.running += 1;
        work()
          .then(resolve, reject)
          .finally(() => {
            this.running -= 1;
            this.beginNext();
          });
      };
      this.waiting.push({ isWanted, begin, skip: () => resolve(null) });
      this.beginNext();
    });
  }

  /** Called when one of those that wait may not be wanted any more. One look is for all of the turn. */
  lookSoon(): void {
    if (this.isLooking || this.waiting.length === 0) return;
    this.isLooking = true;
    setImmediate(() => {
      this.isLooking = false;
      const waiting = this.waiting.splice(0);
      for (const waiter of waiting) {
        if (waiter.isWanted()) this.waiting.push(waiter);
        else waiter.skip();
      }
    });
  }

  private beginNext(): void {
    while (this.running < AT_ONCE) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      if (next.isWanted()) next.begin();
      else next.skip();
    }
  }
}
