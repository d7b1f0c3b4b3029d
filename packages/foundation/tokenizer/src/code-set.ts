/** A set of code points: a bitmap for the basic plane, sorted ranges above it. */
export class CodeSet {
  private readonly basic = new Uint8Array(0x10000 >> 3);
  private readonly supplementary: (readonly [number, number])[] = [];

  /** @param ranges inclusive hexadecimal ranges (`0041-005A 005F`) in ascending order, separated by white space */
  constructor(ranges: string) {
    for (const [first, last] of parseRanges(ranges)) {
      for (let code = first; code <= Math.min(last, 0xffff); code++) this.basic[code >> 3]! |= 1 << (code & 7);
      if (last > 0xffff) this.supplementary.push([Math.max(first, 0x10000), last]);
    }
  }

  /** O(1) in the basic plane, O(log ranges) above it. */
  has(code: number): boolean {
    if (code < 0x10000) return (this.basic[code >> 3]! & (1 << (code & 7))) !== 0;
    let low = 0;
    let high = this.supplementary.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const [first, last] = this.supplementary[middle]!;
      if (code < first) high = middle - 1;
      else if (code > last) low = middle + 1;
      else return true;
    }
    return false;
  }
}

/** Reads inclusive hexadecimal ranges; throws RangeError on anything else. */
export function parseRanges(text: string): (readonly [number, number])[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [low, high] = word.split('-');
      const first = Number.parseInt(low!, 16);
      const last = high === undefined ? first : Number.parseInt(high, 16);
      if (!(first <= last)) throw new RangeError(`not a range of code points: ${word}`);
      return [first, last] as const;
    });
}
