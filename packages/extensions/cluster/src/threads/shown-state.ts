/** Places in the memory: the applied position, and when the node last had contact, in nanoseconds of the system's clock. */
const [POSITION, CONTACT] = [0, 1] as const;
const NANOSECONDS = 1_000_000n;

/** What the thread of a cluster shows to another thread without being asked: in memory that both share. */
export class ShownState {
  readonly buffer: SharedArrayBuffer;
  private readonly numbers: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.numbers = new BigInt64Array(buffer);
  }

  /** The last applied position of the log. */
  get position(): number {
    return Number(Atomics.load(this.numbers, POSITION));
  }

  set position(position: number) {
    Atomics.store(this.numbers, POSITION, BigInt(position));
  }

  /** Milliseconds since the node had contact with the log or the leader. The clock is the same in all threads. */
  get silentMs(): number {
    const contact = Atomics.load(this.numbers, CONTACT);
    return contact === 0n ? 0 : Number((process.hrtime.bigint() - contact) / NANOSECONDS);
  }

  /** The node had contact this many milliseconds ago. */
  set silentMs(silentMs: number) {
    const before = BigInt(Math.round(silentMs)) * NANOSECONDS;
    Atomics.store(this.numbers, CONTACT, process.hrtime.bigint() - before);
  }
}
