import { setTimeout as pause } from 'node:timers/promises';
import type { MinuteLimit } from './minute-limit.js';
import type { RequestPlaces } from './request-places.js';

/** Milliseconds after which those who wait look again: requests of other threads come and go. */
const LOOK_MS = 5;

/** Which requests share a limit. */
export interface RequestScope {
  readonly address: string;
  /** Requests to it at once. */
  readonly atOnce: number;
  readonly places: RequestPlaces;
}

/**
 * At most so many requests to an address at once, by all threads that share the places, and so many begun within any minute where there is such a limit.
 * Those of one embedder that wait are let in in the order in which they came.
 */
export class RequestLimit {
  readonly #waiting: (() => void)[] = [];
  #look: NodeJS.Timeout | undefined;

  constructor(
    private readonly scope: RequestScope,
    private readonly minute: MinuteLimit | null,
  ) {}

  /** Runs `work` when its turn has come. Rejects with the signal's reason when it is aborted before. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      await this.#beginInMinute(signal);
      return await work();
    } finally {
      this.scope.places.give(this.scope.address);
      this.#letIn();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { places, address } = this.scope;
    if (this.#waiting.length === 0 && this.#take()) return;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        signal.removeEventListener('abort', leave);
        places.await(address, -1);
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        stop();
        reject(signal.reason);
      };
      const enter = (): void => {
        stop();
        resolve();
      };
      this.#waiting.push(enter);
      places.await(address, 1);
      signal.addEventListener('abort', leave, { once: true });
      this.#lookAgain();
    });
  }

  #take(): boolean {
    const { places, address, atOnce } = this.scope;
    return places.take(address, atOnce);
  }

  /** A place is taken for the one that enters before it goes on: nobody comes in between. */
  #letIn(): void {
    while (this.#waiting.length > 0 && this.#take()) this.#waiting.shift()!();
    this.#lookAgain();
  }

  #lookAgain(): void {
    if (this.#waiting.length === 0) return;
    this.#look ??= setTimeout(() => {
      this.#look = undefined;
      this.#letIn();
    }, LOOK_MS);
  }

  async #beginInMinute(signal: AbortSignal): Promise<void> {
    for (let waitMs = this.minute?.begin() ?? 0; waitMs > 0; waitMs = this.minute?.begin() ?? 0)
      await pause(waitMs, undefined, { signal });
  }
}
