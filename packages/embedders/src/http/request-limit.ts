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
 * Those of one embedder that wait are let in in the order in which they came. Whoever waits, for a place or for the minute, holds nothing: a place that
 * waited for the minute would be one less for those whom no minute keeps waiting.
 */
export class RequestLimit {
  private readonly scope: RequestScope;
  private readonly minute: MinuteLimit | null;
  private readonly waiting: (() => void)[] = [];
  private look: NodeJS.Timeout | undefined;

  constructor(scope: RequestScope, minute: MinuteLimit | null) {
    this.scope = scope;
    this.minute = minute;
  }

  /** Runs `work` when its turn has come. Rejects with the signal's reason when it is aborted before. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.enter(signal);
    try {
      return await work();
    } finally {
      this.scope.places.give(this.scope.address);
      this.letIn();
    }
  }

  private async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { places, address } = this.scope;
    if (this.waiting.length === 0 && this.begin() === 0) return;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        signal.removeEventListener('abort', leave);
        places.await(address, -1);
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        stop();
        reject(signal.reason);
      };
      const enter = (): void => {
        stop();
        resolve();
      };
      this.waiting.push(enter);
      places.await(address, 1);
      signal.addEventListener('abort', leave, { once: true });
      this.lookAgain();
    });
  }

  /** Takes a place and one of the minute's requests and answers 0, or neither: then the milliseconds after which to look again. */
  private begin(): number {
    const { places, address, atOnce } = this.scope;
    if (!places.take(address, atOnce)) return LOOK_MS;
    const waitMs = this.minute?.begin() ?? 0;
    if (waitMs > 0) places.give(address);
    return waitMs;
  }

  /** A place is taken for the one that enters before it goes on: nobody comes in between. */
  private letIn(): void {
    let lookMs = 0;
    while (lookMs === 0 && this.waiting.length > 0) {
      lookMs = this.begin();
      if (lookMs === 0) this.waiting.shift()!();
    }
    this.lookAgain(lookMs);
  }

  private lookAgain(afterMs = LOOK_MS): void {
    if (this.waiting.length === 0) return;
    this.look ??= setTimeout(() => {
      this.look = undefined;
      this.letIn();
    }, afterMs);
  }
}
