import { setTimeout as pause } from 'node:timers/promises';

const MINUTE_MS = 60_000;

/**
 * At most so many requests at once, and so many begun within any minute. Those that wait are let in in the order in which they came.
 */
export class RequestLimit {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** When the requests of the last minute began, in milliseconds of the monotonic clock. */
  readonly #begun: number[] = [];

  /** `perMinute` null: any number. */
  constructor(
    private readonly atOnce: number,
    private readonly perMinute: number | null,
  ) {}

  /** Runs `work` when its turn has come. Rejects with the signal's reason when it is aborted before. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      await this.#beginInMinute(signal);
      return await work();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running >= this.atOnce) {
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          const at = this.#waiting.indexOf(enter);
          if (at >= 0) this.#waiting.splice(at, 1);
          reject(signal.reason);
        };
        const enter = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        this.#waiting.push(enter);
        signal.addEventListener('abort', leave, { once: true });
      });
    }
    this.#running += 1;
  }

  async #beginInMinute(signal: AbortSignal): Promise<void> {
    if (this.perMinute === null) return;
    for (;;) {
      const now = performance.now();
      while (this.#begun.length > 0 && this.#begun[0]! <= now - MINUTE_MS) this.#begun.shift();
      if (this.#begun.length < this.perMinute) break;
      await pause(this.#begun[0]! + MINUTE_MS - now, undefined, { signal });
    }
    this.#begun.push(performance.now());
  }
}
