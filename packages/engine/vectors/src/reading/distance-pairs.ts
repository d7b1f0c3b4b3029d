/** Distances with what they are distances of, in few bytes, and their order. */

/** The bits of a distance that is no number: it sorts after all others. */
const NO_NUMBER = 0x7fc0_0000;
const SIGN = 0x8000_0000;
const PAIR_BYTES = 8;

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/**
 * Pairs of a distance of single precision and an item, a whole number below 2^32. A pair takes 8 bytes and is one number: the bits of its distance, changed
 * so that they have its order, above the item. So pairs are sorted without a comparing function: by distance, ties by item.
 */
export class DistancePairs {
  count = 0;
  private buffer: ArrayBuffer;
  /** The item of a pair, then its distance. */
  private words: Uint32Array;

  constructor(capacity: number) {
    this.buffer = new ArrayBuffer(capacity * PAIR_BYTES);
    this.words = new Uint32Array(this.buffer);
  }

  add(distance: number, item: number): void {
    if (this.count * PAIR_BYTES === this.buffer.byteLength) this.grow();
    this.words[2 * this.count] = item;
    this.words[2 * this.count + 1] = orderOf(distance);
    this.count += 1;
  }

  itemAt(at: number): number {
    return this.words[2 * at]!;
  }

  distanceAt(at: number): number {
    const order = this.words[2 * at + 1]!;
    bits[0] = order >= SIGN ? order ^ SIGN : ~order;
    return float[0]!;
  }

  /** O(pairs * log pairs) */
  sort(): void {
    new BigUint64Array(this.buffer, 0, this.count).sort();
  }

  private grow(): void {
    const { words } = this;
    this.buffer = new ArrayBuffer(Math.max(16 * PAIR_BYTES, 2 * this.buffer.byteLength));
    this.words = new Uint32Array(this.buffer);
    this.words.set(words);
  }
}

/** Bits that are ordered as the distances: those of negative ones are reversed. */
function orderOf(distance: number): number {
  float[0] = distance + 0; // there is one zero
  const all = Number.isNaN(distance) ? NO_NUMBER : bits[0]!;
  return all >= SIGN ? ~all : all ^ SIGN;
}
