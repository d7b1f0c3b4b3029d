/** Addresses that have places of their own in the memory of a limit. Those of one place share it, which is stricter than need be. */
export const PLACES = 16;
/** Slots of a place: so many times of requests are told apart. Limits above that count requests in groups. */
const SLOTS_MAX = 1_024;
const MINUTE_MS = 60_000;
/** Milliseconds after which one that waits looks again: others who share the memory come and go. */
const LOOK_MS = 250;
/** The low bits of a slot count its requests, those above are the time of the last of them. */
const COUNT_BITS = 22n;
const COUNT_MASK = (1n << COUNT_BITS) - 1n;
/** The largest limit that counts for itself, four thousand millions a minute; above it, this one holds. */
const PER_MINUTE_MAX = SLOTS_MAX * Number(COUNT_MASK);

interface Shape {
  readonly slotCount: number;
  /** Requests of a slot. */
  readonly groupSize: number;
}

/** Slots times group size is at most the limit, and less than one group below it: a thousandth, where requests are counted in groups. */
function shapeOf(perMinute: number): Shape {
  const limit = Math.min(perMinute, PER_MINUTE_MAX);
  const groupSize = Math.ceil(limit / SLOTS_MAX);
  return { slotCount: Math.floor(limit / groupSize), groupSize };
}

/**
 * Memory for when the requests of the last minute began: 128 KiB at most. Given to embedders of several threads, it makes them share one limit.
 */
export function begunMemory(perMinute: number): SharedArrayBuffer {
  return new SharedArrayBuffer(PLACES * (shapeOf(perMinute).slotCount + 1) * BigInt64Array.BYTES_PER_ELEMENT);
}

/**
 * So many requests to an address begun within any minute. For each place the number of the slot that requests go into now, and a ring of slots: how many
 * requests went into each, and when the last did, in milliseconds of the process's monotonic clock. A slot that is full is followed by the next, once the
 * last request of that one is a minute ago. No lock: a thread that ends anywhere in here costs one slot for a minute at most.
 */
export class MinuteLimit {
  private readonly shape: Shape;
  private readonly begun: BigInt64Array;
  private readonly at: number;

  /** `memory`: of `begunMemory` for as many. */
  constructor(perMinute: number, memory: SharedArrayBuffer, address: string) {
    this.shape = shapeOf(perMinute);
    this.begun = new BigInt64Array(memory);
    this.at = placeOf(address) * (this.shape.slotCount + 1);
  }

  /** Notes that a request begins and answers 0, or the milliseconds after which to ask again. */
  begin(): number {
    const { slotCount, groupSize } = this.shape;
    const begun = this.begun;
    const slotOf = (number: bigint): number => this.at + 1 + Number(number % BigInt(slotCount));
    const number = Atomics.load(begun, this.at);
    const now = process.hrtime.bigint() / 1_000_000n + 1n;
    const slot = slotOf(number);
    const before = Atomics.load(begun, slot);
    const count = before & COUNT_MASK;
    // whoever changes a slot has the turn; a slot that others changed meanwhile is looked at again
    if (count < BigInt(groupSize))
      return Atomics.compareExchange(begun, slot, before, packed(now, count + 1n)) === before ? 0 : 1;
    const nextSlot = slotOf(number + 1n);
    const next = Atomics.load(begun, nextSlot);
    const waitMs = next === 0n ? 0 : Number((next >> COUNT_BITS) - now) + MINUTE_MS;
    if (waitMs > 0) {
      // one that has room was begun just now, by somebody who has not said so yet
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

/** The place of an address among so many. */
export function placeOf(address: string): number {
  let hash = 0;
  for (const letter of address) hash = (hash * 31 + letter.codePointAt(0)!) >>> 0;
  return hash % PLACES;
}
