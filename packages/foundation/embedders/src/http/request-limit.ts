import type { MinuteLimit } from './minute-limit.js';
import type { RequestSlots } from './request-slots.js';

/** Milliseconds after which waiting requests check again: other threads share the limit. */
const LOOK_MS = 5;

/** The address and counts that share a limit. */
export interface RequestScope {
  readonly address: string;
  /** The most concurrent requests to it. */
  readonly atOnce: number;
  readonly slots: RequestSlots;
}

/**
 * Limits the concurrent requests to an address, over all threads that share the slots, and the requests that begin
 * within any minute if there is such a limit. Waiting requests of one embedder are admitted in their order. A waiting
 * request holds nothing: if it held a slot while it waits for the minute, requests without a limit per minute would
 * lack that slot.
 */
export class RequestLimit {
  private readonly scope: RequestScope;
  private readonly minute: Pick<MinuteLimit, 'begin'> | null;
  private readonly waiting: (() => void)[] = [];
  private look: NodeJS.Timeout | undefined;

  constructor(scope: RequestScope, minute: Pick<MinuteLimit, 'begin'> | null) {
    this.scope = scope;
    this.minute = minute;
  }

  /** Runs `work` when its turn has come. Rejects with the signal's reason when it is aborted before. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.enter(signal);
    try {
      return await work();
    } finally {
      this.scope.slots.give(this.scope.address);
      this.letIn();
    }
  }

  private async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { slots, address } = this.scope;
    if (this.waiting.length === 0 && this.begin() === 0) return;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        signal.removeEventListener('abort', leave);
        slots.await(address, -1);
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
      slots.await(address, 1);
      signal.addEventListener('abort', leave, { once: true });
      this.lookAgain();
    });
  }

  /**
   * Takes both a slot and one of the minute's requests and returns 0, or neither: then returns the milliseconds after
   * which to try again.
   */
  private begin(): number {
    const { slots, address, atOnce } = this.scope;
    if (!slots.take(address, atOnce)) return LOOK_MS;
    const waitMs = this.minute?.begin() ?? 0;
    if (waitMs > 0) slots.give(address);
    return waitMs;
  }

  /** The slot is taken before the waiting request continues, so that no other request can come first. */
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
