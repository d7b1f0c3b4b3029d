/** Turns in a row that are left to searches. */
const TURNS_LEFT_MAX = 3;

/**
 * Places of conversations in the event loop. Hundreds of them may begin, or be sent a piece of their answer, in the same instant; each
 * step takes a tenth of a millisecond or more, and one after the other they would keep searches waiting. Here one is let on in each turn
 * of the loop, first come, first served, so that whatever else has arrived goes in between. While searches wait for turns of theirs, only
 * every fourth turn is one of a conversation: people who type are waiting, and conversations still get on however many searches there are.
 */
export class Turns {
  private readonly isSearching: () => boolean;
  private readonly waiting: (() => void)[] = [];
  /** Turns that were left to others since the last conversation was let on. */
  private leftCount = 0;

  /** `isSearching`: whether searches wait. */
  constructor(isSearching: () => boolean = () => false) {
    this.isSearching = isSearching;
  }

  /** Resolves in a later turn of the event loop, alone among those that wait here. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) setImmediate(this.letOn);
    });
  }

  private readonly letOn = (): void => {
    if (this.leftCount < TURNS_LEFT_MAX && this.isSearching()) this.leftCount += 1;
    else {
      this.leftCount = 0;
      this.waiting.shift()!();
    }
    if (this.waiting.length > 0) setImmediate(this.letOn);
  };
}
