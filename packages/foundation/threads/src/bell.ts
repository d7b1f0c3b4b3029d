/** Indexes of the words: how often it was rung, and 1 once nobody will ring it any more. */
const [RINGS, ENDED] = [0, 1] as const;

/**
 * Wakes a thread that waits without its event loop. The waiting thread reads `rings`, looks for what it waits for, and
 * only then waits for a change of that number, so that no ring is missed.
 */
export class Bell {
  /** Sent to the other thread, which makes its own Bell of it. */
  readonly buffer: SharedArrayBuffer;
  private readonly words: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.words = new Int32Array(buffer);
  }

  get rings(): number {
    return Atomics.load(this.words, RINGS);
  }

  /** Whether nobody rings it any more: what has been sent before is still there. */
  get isEnded(): boolean {
    return Atomics.load(this.words, ENDED) === 1;
  }

  ring(): void {
    Atomics.add(this.words, RINGS, 1);
    Atomics.notify(this.words, RINGS);
  }

  /** Ends all waits, now and later: the thread that rings has ended. */
  end(): void {
    Atomics.store(this.words, ENDED, 1);
    this.ring();
  }

  /** Blocks this thread until the number of rings is not `seen`, for `forMs` milliseconds at most. */
  wait(seen: number, forMs = Number.POSITIVE_INFINITY): void {
    Atomics.wait(this.words, RINGS, seen, forMs);
  }
}
