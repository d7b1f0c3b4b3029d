import type { PairRanges, StoredRangePairs } from '../bytes/pair-ranges.js';

/** The pairs of a source of a merge, by the numbers that its words have in the merged segment. */
export class JoinedPairs {
  private readonly ranges: PairRanges;
  private readonly numbers: readonly (number | null)[];
  private readonly deleted: Uint32Array | null;
  private range = 0;
  private pairs: StoredRangePairs | null = null;
  private hasDeleted = false;
  private joined: Uint32Array;

  /**
   * @param numbers of the merged segment's words in the source; null: it does not have the word
   * @param deleted a bit for each document; null: none is deleted
   */
  constructor(ranges: PairRanges, numbers: readonly (number | null)[], deleted: Uint32Array | null) {
    this.ranges = ranges;
    this.numbers = numbers;
    this.deleted = deleted;
    this.joined = new Uint32Array(2 ** ranges.header.rangeBits);
  }

  get rangeBits(): number {
    return this.ranges.header.rangeBits;
  }

  /** Goes to a range, by its number from docid 0 on. */
  open(range: number): void {
    this.range = range;
    this.pairs = this.ranges.range(range);
    const [from, to] = [range, range + 1].map((at) => (at * 2 ** this.rangeBits) / 32);
    this.hasDeleted = this.deleted?.subarray(from, to).some((bits) => bits !== 0) ?? false;
  }

  /** Whether it has documents in the range. */
  get hasRange(): boolean {
    return this.pairs !== null;
  }

  /** Whether no document of the range is deleted: its lists may stay as they are. */
  get isWhole(): boolean {
    return this.pairs !== null && !this.hasDeleted;
  }

  /** The pair's list as it is stored; empty when there is none. */
  listOf(pair: number): Uint8Array {
    const number = this.numberOf(pair);
    return number === null || this.pairs === null ? NO_BYTES : this.pairs.listOf(number);
  }

  /** Documents of other sources and of this one, ascending, counted from the start of the range; valid until the next call. O(documents * log) */
  join(others: Uint16Array | Uint32Array, pair: number): Uint16Array | Uint32Array {
    const number = this.numberOf(pair);
    if (number === null || this.pairs === null) return others;
    const own = this.pairs.docsOf(number);
    if (own.length === 0) return others;
    const { joined, deleted } = this;
    const first = this.range * 2 ** this.rangeBits;
    joined.set(others);
    let count = others.length;
    for (const doc of own) if (deleted === null || !isSet(deleted, first + doc)) joined[count++] = doc;
    const docs = joined.subarray(0, count);
    // others are below all of these unless documents of several segments alternate
    const isAscending =
      count === others.length || others.length === 0 || joined[others.length - 1]! < joined[others.length]!;
    return isAscending ? docs : docs.sort();
  }

  /** The pair's number in the source. */
  private numberOf(pair: number): number | null {
    const { numbers } = this;
    const [left, right] = [numbers[Math.floor(pair / numbers.length)]!, numbers[pair % numbers.length]!];
    return left === null || right === null ? null : left * this.ranges.header.words.length + right;
  }
}

const NO_BYTES = new Uint8Array(0);

function isSet(bits: Uint32Array, at: number): boolean {
  const word = at >>> 5;
  return word < bits.length && ((bits[word]! >>> (at & 31)) & 1) === 1;
}
