/** Consecutive turns left to searches. */
const TURNS_LEFT_MAX = 3;

/**
 * Schedules conversations in the event loop. Hundreds of them may begin, or receive a piece of their answer, at the
 * same instant; each step takes a tenth of a millisecond or more, and together they would delay searches. One
 * conversation runs in each turn of the loop, first come, first served, so that other arrivals run in between. While
 * searches wait, only every fourth turn runs a conversation, so that searches come first and conversations still
 * progress.
 */
export class ConversationTurns {
  private readonly isSearching: () => boolean;
  private readonly waiting: (() => void)[] = [];
  /** Turns left to others since the last conversation ran. */
  private leftCount = 0;

  /** `isSearching`: whether searches wait. */
  constructor(isSearching: () => boolean = () => false) {
    this.isSearching = isSearching;
  }

  /** Resolves in a later turn of the event loop, alone among the waiting conversations. */
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
