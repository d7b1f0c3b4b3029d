/**
 * Number of addresses that are counted separately in the memory of a limit. Addresses with the same index share a
 * limit, which is stricter than necessary.
 */
export const ADDRESS_SLOTS = 16;
/** Slots per address: this many moments of requests are distinguished. Limits above that count requests in groups. */
const SLOTS_MAX = 1_024;
const MINUTE_MS = 60_000;
/** Milliseconds after which a waiting request checks again: others share the memory. */
const LOOK_MS = 250;
/** The low bits of a slot count its requests, the others are the time of the last of them. */
const COUNT_BITS = 22n;
const COUNT_MASK = (1n << COUNT_BITS) - 1n;
/** The largest limit that is enforced exactly, four thousand million a minute; it also applies to larger ones. */
const PER_MINUTE_MAX = SLOTS_MAX * Number(COUNT_MASK);

interface Shape {
  readonly slotCount: number;
  /** Requests per slot. */
  readonly groupSize: number;
}

/** Slots times group size is at most the limit, and less than one group below it: a thousandth, where requests are counted in groups. */
function shapeOf(perMinute: number): Shape {
  const limit = Math.min(perMinute, PER_MINUTE_MAX);
  const groupSize = Math.ceil(limit / SLOTS_MAX);
  return { slotCount: Math.floor(limit / groupSize), groupSize };
}

/**
 * Memory for the times of the requests of the last minute: at most 128 KiB. Embedders of several threads that get the
 * same memory share one limit.
 */
export function minuteLimitMemory(perMinute: number): SharedArrayBuffer {
  return new SharedArrayBuffer(ADDRESS_SLOTS * (shapeOf(perMinute).slotCount + 1) * BigInt64Array.BYTES_PER_ELEMENT);
}

/**
 * Limits the requests to an address that begin within any minute. Each address has the number of the current slot and a
 * ring of slots, each with the number of its requests and the time of the last one, in milliseconds of the process's
 * monotonic clock. When a slot is full, the next one is used as soon as its last request is a minute old. There is no
 * lock: a thread that ends at any point here costs at most one slot for a minute.
 */
export class MinuteLimit {
  private readonly shape: Shape;
  private readonly begun: BigInt64Array;
  private readonly at: number;

  /** `memory`: of `minuteLimitMemory` with the same limit. */
  constructor(perMinute: number, memory: SharedArrayBuffer, address: string) {
    this.shape = shapeOf(perMinute);
    this.begun = new BigInt64Array(memory);
    this.at = addressSlot(address) * (this.shape.slotCount + 1);
  }

  /** Counts a request that begins and returns 0, or returns the milliseconds after which to try again. */
  begin(): number {
    const { slotCount, groupSize } = this.shape;
    const begun = this.begun;
    const slotOf = (number: bigint): number => this.at + 1 + Number(number % BigInt(slotCount));
    const number = Atomics.load(begun, this.at);
    const now = process.hrtime.bigint() / 1_000_000n + 1n;
    const slot = slotOf(number);
    const before = Atomics.load(begun, slot);
    const count = before & COUNT_MASK;
    // a successful change of the slot admits the request; if another thread changed it meanwhile, it is read again
    if (count < BigInt(groupSize))
      return Atomics.compareExchange(begun, slot, before, packed(now, count + 1n)) === before ? 0 : 1;
    const nextSlot = slotOf(number + 1n);
    const next = Atomics.load(begun, nextSlot);
    const waitMs = next === 0n ? 0 : Number((next >> COUNT_BITS) - now) + MINUTE_MS;
    if (waitMs > 0) {
      // a slot with free capacity was begun just now by another thread, which has not published it yet
      if ((next & COUNT_MASK) >= BigInt(groupSize)) return Math.min(waitMs, LOOK_MS);
      Atomics.compareExchange(begun, this.at, number, number + 1n);
      return 1;
    }
    if (Atomics.compareExchange(begun, nextSlot, next, packed(now, 1n)) !== next) return 1;
    Atomics.compareExchange(begun, this.at, number, number + 1n);
    return 0;
  }
}

const packed = (ms: bigint, count: bigint): bigint => (ms << COUNT_BITS) | count;

/** The index of an address. */
export function addressSlot(address: string): number {
  let hash = 0;
  for (const letter of address) hash = (hash * 31 + letter.codePointAt(0)!) >>> 0;
  return hash % ADDRESS_SLOTS;
}
