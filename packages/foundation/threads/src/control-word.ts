/** The value after a stop. 0 is the first value; any other is the number of a work that is canceled. */
const STOP = -1;

/**
 * Tells another thread, which reads no messages while it works, to give up: one number of 32 bits in shared memory.
 * Works are numbered by that thread from 1, so that a cancelation that comes late meets no later work.
 */
export class ControlWord {
  /** Sent to the other thread, which makes its own ControlWord of it. */
  readonly buffer: SharedArrayBuffer;
  private readonly word: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.word = new Int32Array(buffer);
  }

  /** The work with this number is not wanted any more. Nothing after `stop`. */
  cancel(work: number): void {
    for (let known = Atomics.load(this.word, 0); known !== STOP; ) {
      const found = Atomics.compareExchange(this.word, 0, known, work);
      if (found === known) break;
      known = found;
    }
    Atomics.notify(this.word, 0);
  }

  /** No work is wanted any more. */
  stop(): void {
    Atomics.store(this.word, 0, STOP);
    Atomics.notify(this.word, 0);
  }

  get isStopping(): boolean {
    return Atomics.load(this.word, 0) === STOP;
  }

  /** One read of memory. False after `stop`, which is no cancelation. */
  isCanceled(work: number): boolean {
    return Atomics.load(this.word, 0) === work;
  }

  /**
   * Calls `listener` when the work is canceled or everything stops: at once if that is so already. Returns a function
   * that ends the watch. For work that waits in its event loop.
   */
  watch(work: number, listener: () => void): () => void {
    let isWatching = true;
    const look = async (): Promise<void> => {
      while (isWatching) {
        const known = Atomics.load(this.word, 0);
        if (known === STOP || known === work) {
          isWatching = false;
          return listener();
        }
        const wait = Atomics.waitAsync(this.word, 0, known);
        if (wait.async) await wait.value;
      }
    };
    void look();
    return () => {
      isWatching = false;
      // wakes the wait above, which ends then
      Atomics.notify(this.word, 0);
    };
  }
}
