import type { SearchQueue } from './search-queue.js';

/** Milliseconds that one request works on before others get their turn. */
const TURN_MS = 5;

/** The turns of one long request in this thread: between two of its pieces it lets others go first once it has had its time. */
export class Turns {
  private readonly searches: SearchQueue;
  private sinceMs = performance.now();

  constructor(searches: SearchQueue) {
    this.searches = searches;
  }

  /** Waits for the next turn, if this one was long enough. */
  async breathe(): Promise<void> {
    if (performance.now() - this.sinceMs < TURN_MS) return;
    await this.searches.nextTurn();
    this.sinceMs = performance.now();
  }
}
