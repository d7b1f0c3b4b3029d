import { setTimeout as pause } from 'node:timers/promises';
import type { MinuteLimit } from './minute-limit.js';

/**
 * At most so many requests at once, and so many begun within any minute where there is such a limit. Those that wait are let in in the order in which they came.
 */
export class RequestLimit {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly minute: MinuteLimit | null,
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
    for (let waitMs = this.minute?.begin() ?? 0; waitMs > 0; waitMs = this.minute?.begin() ?? 0)
      await pause(waitMs, undefined, { signal });
  }
}
