/** Addresses that have places of their own in the memory of a limit. Those of one place share it, which is stricter than need be. */
const PLACES = 16;
const MINUTE_MS = 60_000;
/** Milliseconds after which one that waits looks again: others who share the memory come and go. */
const LOOK_MS = 250;

/** Memory for when the requests of the last minute began. Given to embedders of several threads, it makes them share one limit. */
export function begunMemory(perMinute: number): SharedArrayBuffer {
  return new SharedArrayBuffer(PLACES * (perMinute + 1) * BigInt64Array.BYTES_PER_ELEMENT);
}

/**
 * So many requests to an address begun within any minute. For each place a ring of the times at which requests began, in milliseconds of the process's
 * monotonic clock, behind the number of them all. No lock: a thread that ends anywhere in here costs one request a minute at most.
 */
export class MinuteLimit {
  readonly #perMinute: number;
  readonly #begun: BigInt64Array;
  readonly #at: number;

  /** `memory`: of `begunMemory` for as many. */
  constructor(perMinute: number, memory: SharedArrayBuffer, address: string) {
    this.#perMinute = perMinute;
    this.#begun = new BigInt64Array(memory);
    this.#at = placeOf(address) * (perMinute + 1);
  }

  /** Notes that a request begins and answers 0, or the milliseconds after which to ask again. */
  begin(): number {
    const count = Atomics.load(this.#begun, this.#at);
    const slot = this.#at + 1 + Number(count % BigInt(this.#perMinute));
    const before = Atomics.load(this.#begun, slot);
    const now = process.hrtime.bigint() / 1_000_000n + 1n;
    const waitMs = before === 0n ? 0 : Number(before - now) + MINUTE_MS;
    if (waitMs > 0) return Math.min(waitMs, LOOK_MS);
    // whoever changes the time has the turn
    if (Atomics.compareExchange(this.#begun, slot, before, now) !== before) return 1;
    Atomics.add(this.#begun, this.#at, 1n);
    return 0;
  }
}

function placeOf(address: string): number {
  let hash = 0;
  for (const letter of address) hash = (hash * 31 + letter.codePointAt(0)!) >>> 0;
  return hash % PLACES;
}
