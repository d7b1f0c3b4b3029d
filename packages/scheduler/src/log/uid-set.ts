/** Uids per stored piece of a set: 2 KiB of bits. Small enough to rewrite on every enqueue. */
export const UIDS_PER_CHUNK = 16_384;
const BYTES_PER_CHUNK = UIDS_PER_CHUNK / 8;

/** A set of uids as bits, in pieces; a missing piece is empty. Set operations touch 2 KiB per 16,384 uids. */
export class UidSet {
  readonly chunks = new Map<number, Uint8Array>();

  static of(uids: Iterable<number>): UidSet {
    const set = new UidSet();
    for (const uid of uids) set.add(uid);
    return set;
  }

  add(uid: number): void {
    const chunk = Math.floor(uid / UIDS_PER_CHUNK);
    let bits = this.chunks.get(chunk);
    if (bits === undefined) {
      bits = new Uint8Array(BYTES_PER_CHUNK);
      this.chunks.set(chunk, bits);
    }
    setBit(bits, uid % UIDS_PER_CHUNK, true);
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
    for (const [chunk, bits] of this.chunks) result.chunks.set(chunk, bits.slice());
    for (const [chunk, bits] of other.chunks) {
      const mine = result.chunks.get(chunk);
      if (mine === undefined) result.chunks.set(chunk, bits.slice());
      else for (let at = 0; at < BYTES_PER_CHUNK; at += 1) mine[at]! |= bits[at]!;
    }
    return result;
  }

  intersect(other: UidSet): UidSet {
    const result = new UidSet();
    for (const [chunk, bits] of this.chunks) {
      const theirs = other.chunks.get(chunk);
      if (theirs !== undefined)
        result.chunks.set(
          chunk,
          bits.map((byte, at) => byte & theirs[at]!),
        );
    }
    return result;
  }

  /** Members in ascending (or descending) order. */
  *uids(isReversed = false): Generator<number> {
    const order = [...this.chunks.keys()].sort((left, right) => (isReversed ? right - left : left - right));
    for (const chunk of order) {
      const bits = this.chunks.get(chunk)!;
      for (let step = 0; step < BYTES_PER_CHUNK; step += 1) {
        const at = isReversed ? BYTES_PER_CHUNK - 1 - step : step;
        const byte = bits[at]!;
        if (byte === 0) continue;
        for (let bitStep = 0; bitStep < 8; bitStep += 1) {
          const bit = isReversed ? 7 - bitStep : bitStep;
          if ((byte & (1 << bit)) !== 0) yield chunk * UIDS_PER_CHUNK + at * 8 + bit;
        }
      }
    }
  }
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

const BITS_SET = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);
