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

/** Answers that are compressed, and those that wait for it, first come, first served. What waits holds its answer only. */
export class CompressionTurns {
  private readonly waiting: Waiter[] = [];
  private running = 0;

  /** Compressions under way. */
  get runningCount(): number {
    return this.running;
  }

  /** Answers that wait for their turn. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** The result of the work; null when it is its turn and it is not wanted any more. */
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

  private beginNext(): void {
    while (this.running < AT_ONCE) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      if (next.isWanted()) next.begin();
      else next.skip();
    }
  }
}
