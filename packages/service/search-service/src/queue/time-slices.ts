import type { SearchQueue } from './search-queue.js';

/** Milliseconds that one request may work before others run. */
const SLICE_MS = 5;

/**
 * The turns of one long request in this thread: between two of its pieces it lets other requests run once its time is
 * used up.
 */
export class TimeSlices {
  private readonly searches: SearchQueue;
  private sinceMs = performance.now();

  constructor(searches: SearchQueue) {
    this.searches = searches;
  }

  /** Waits for the next turn, if the time of this one is used up. */
  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.sinceMs < SLICE_MS) return;
    await this.searches.nextTurn();
    this.sinceMs = performance.now();
  }
}
