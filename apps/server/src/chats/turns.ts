/**
 * Places of conversations in the event loop. Hundreds of them may begin, or be sent a piece of their answer, in the same instant; each
 * step takes a tenth of a millisecond or more, and one after the other they would keep searches waiting. Here one is let on in each turn
 * of the loop, first come, first served, so that whatever else has arrived goes in between.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a later turn of the event loop, alone among those that wait here. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#letOn);
    });
  }

  readonly #letOn = (): void => {
    this.#waiting.shift()!();
    if (this.#waiting.length > 0) setImmediate(this.#letOn);
  };
}
