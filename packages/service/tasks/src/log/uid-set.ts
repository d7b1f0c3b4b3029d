/** Uids per stored piece of a set: 2 KiB of bits, small enough to rewrite on every enqueue. */
export const UIDS_PER_CHUNK = 16_384;
const BYTES_PER_CHUNK = UIDS_PER_CHUNK / 8;
/** Bytes that are compared at once. */
const BYTES_PER_STRETCH = 128;
const ZEROS = new Uint8Array(BYTES_PER_CHUNK);

/** A set of uids as bits, in pieces; a missing piece is empty. Set operations touch 2 KiB per 16,384 uids. */
export class UidSet {
  readonly chunks = new Map<number, Uint8Array>();
  /** The piece that `add` wrote last: consecutive uids are usually in the same piece. */
  private latest: { readonly chunk: number; readonly bits: Uint8Array } | undefined;

  static of(uids: Iterable<number>): UidSet {
    const set = new UidSet();
    for (const uid of uids) set.add(uid);
    return set;
  }

  add(uid: number): void {
    const chunk = Math.floor(uid / UIDS_PER_CHUNK);
    if (this.latest?.chunk !== chunk) {
      const bits = this.chunks.get(chunk) ?? new Uint8Array(BYTES_PER_CHUNK);
      this.chunks.set(chunk, bits);
      this.latest = { chunk, bits };
    }
    setBit(this.latest.bits, uid % UIDS_PER_CHUNK, true);
  }

  /** Adds the members of a stored piece. */
  addChunk(chunk: number, bits: Uint8Array): void {
    const mine = this.chunks.get(chunk);
    if (mine === undefined) this.chunks.set(chunk, bits.slice());
    else for (let at = 0; at < BYTES_PER_CHUNK; at += 1) mine[at] = mine[at]! | bits[at]!;
  }

  delete(uid: number): void {
    const chunk = Math.floor(uid / UIDS_PER_CHUNK);
    const bits = this.chunks.get(chunk);
    if (bits === undefined) return;
    setBit(bits, uid % UIDS_PER_CHUNK, false);
    if (!isZero(bits)) return;
    this.chunks.delete(chunk);
    this.latest = undefined;
  }

  has(uid: number): boolean {
    const bits = this.chunks.get(Math.floor(uid / UIDS_PER_CHUNK));
    const at = uid % UIDS_PER_CHUNK;
    return bits !== undefined && (bits[at >> 3]! & (1 << (at & 7))) !== 0;
  }

  /** Number of members. O(bytes). */
  count(): number {
    let total = 0;
    for (const bits of this.chunks.values()) for (const byte of bits) total += BITS_SET[byte]!;
    return total;
  }

  union(other: UidSet): UidSet {
    const result = new UidSet();
    for (const set of [this, other]) for (const [chunk, bits] of set.chunks) result.addChunk(chunk, bits);
    return result;
  }

  intersect(other: UidSet): UidSet {
    const result = new UidSet();
    for (const [chunk, bits] of this.chunks) {
      const theirs = other.chunks.get(chunk);
      if (theirs === undefined) continue;
      result.chunks.set(chunk, inBoth(bits, theirs));
    }
    return result;
  }

  /** The members that are not in `other`. */
  without(other: UidSet): UidSet {
    const result = new UidSet();
    for (const [chunk, bits] of this.chunks) {
      const theirs = other.chunks.get(chunk);
      const mine = bits.slice();
      if (theirs !== undefined) for (let at = 0; at < BYTES_PER_CHUNK; at += 1) mine[at]! &= ~theirs[at]!;
      result.chunks.set(chunk, mine);
    }
    return result;
  }

  /** Members in ascending (or descending) order, from the member `from` on (or the next in that order). */
  *uids(isReversed = false, from?: number): Generator<number> {
    const order = [...this.chunks.keys()].sort((left, right) => (isReversed ? right - left : left - right));
    const firstChunk = from === undefined ? undefined : Math.floor(from / UIDS_PER_CHUNK);
    for (const chunk of order) {
      if (firstChunk !== undefined && (isReversed ? chunk > firstChunk : chunk < firstChunk)) continue;
      const start = chunk === firstChunk ? from! % UIDS_PER_CHUNK : undefined;
      const bits = this.chunks.get(chunk)!;
      for (const position of isReversed ? bitsDown(bits, start) : bitsUp(bits, start)) {
        yield chunk * UIDS_PER_CHUNK + position;
      }
    }
  }
}

function* bitsUp(bits: Uint8Array, start = 0): Generator<number> {
  for (let at = start >> 3; at < BYTES_PER_CHUNK; at += 1) {
    if (at % BYTES_PER_STRETCH === 0) at = endOfZeros(bits, at);
    const byte = bits[at] ?? 0;
    if (byte === 0) continue;
    for (let bit = 0; bit < 8; bit += 1) {
      if ((byte & (1 << bit)) !== 0 && at * 8 + bit >= start) yield at * 8 + bit;
    }
  }
}

function* bitsDown(bits: Uint8Array, start = UIDS_PER_CHUNK - 1): Generator<number> {
  for (let at = start >> 3; at >= 0; at -= 1) {
    const byte = bits[at]!;
    if (byte === 0) continue;
    for (let bit = 7; bit >= 0; bit -= 1) {
      if ((byte & (1 << bit)) !== 0 && at * 8 + bit <= start) yield at * 8 + bit;
    }
  }
}

/**
 * The first byte at or after `from`, in steps of a stretch, whose stretch has members; the length of the piece when
 * there is none. Most sets are a few members in 2 KiB, which takes a quarter of a millisecond in loops that are not
 * compiled yet, and some microseconds in the C library.
 */
function endOfZeros(bits: Uint8Array, from: number): number {
  let at = from;
  while (at < bits.length && isZero(bits, at, at + BYTES_PER_STRETCH)) at += BYTES_PER_STRETCH;
  return at;
}

/** Whether all bytes of a piece, or of a part of it, are zero. */
export function isZero(bits: Uint8Array, from = 0, to = bits.length): boolean {
  return Buffer.compare(bits.subarray(from, to), ZEROS.subarray(0, to - from)) === 0;
}

/** The members that two pieces share; cheapest when the first has few. */
export function inBoth(bits: Uint8Array, others: Uint8Array): Uint8Array {
  const both = emptyChunk();
  for (let start = endOfZeros(bits, 0); start < BYTES_PER_CHUNK; start = endOfZeros(bits, start + BYTES_PER_STRETCH)) {
    for (let at = start; at < start + BYTES_PER_STRETCH; at += 1) both[at] = bits[at]! & others[at]!;
  }
  return both;
}

/** Writes one bit of a piece. */
export function setBit(bits: Uint8Array, at: number, isSet: boolean): void {
  if (isSet) bits[at >> 3]! |= 1 << (at & 7);
  else bits[at >> 3]! &= ~(1 << (at & 7));
}

/** An empty piece. */
export function emptyChunk(): Uint8Array {
  return new Uint8Array(BYTES_PER_CHUNK);
}

/** Number of bits that are set in each byte. */
const BITS_SET = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);
