import type { RetryClock } from './retrying.js';

/** A clock of retries whose time passes in pauses and by `pass` only. */
export class PausedClock implements RetryClock {
  /** Pauses so far, in milliseconds. */
  readonly pauses: number[] = [];
  private ms = 0;

  readonly now = (): number => this.ms;
  readonly pause = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted();
    this.pauses.push(ms);
    this.pass(ms);
  };
  /** Lets this time pass. */
  pass(ms: number): void {
    this.ms += ms;
  }
}
