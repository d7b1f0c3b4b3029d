/** What stands for "further than anybody asks" in a row of distances. */
const FAR = 0x3fff_ffff;

/**
 * Tells which texts begin with something close to a query: `text`, or a prefix of it that settles the matter, is within `budget` edits
 * (insert, delete, replace, swap of neighbours), by code points. A prefix settles it only when no shorter start of the query comes closer
 * to it: else the query's rest is still expected behind it.
 *
 * Only distances next to the diagonal are computed: those further off than `budget` + 1 can't come back. A text that begins like the one
 * before goes on where they part. O(text * budget) a text at most.
 */
export class PrefixDistance {
  /** Of the latest text: UTF-8 bytes that decided. Every text that begins with the same ones has the same answer; infinite when its end did. */
  decidingBytes = Number.POSITIVE_INFINITY;
  readonly #wanted: Uint32Array;
  readonly #budget: number;
  /** Distances of the starts of the query to the first `length` characters of the latest text, by length. */
  readonly #rows: Int32Array[];
  /** UTF-8 bytes, UTF-16 units and the last character of so many characters of the latest text. */
  readonly #bytes: Uint32Array;
  readonly #units: Uint32Array;
  readonly #codes: Uint32Array;
  /** Characters of the latest text that have a row. */
  #length = 0;

  constructor(query: string, budget: number) {
    this.#wanted = Uint32Array.from(query, (char) => char.codePointAt(0)!);
    this.#budget = budget;
    const longest = this.#wanted.length + budget;
    this.#rows = Array.from({ length: longest + 1 }, () => new Int32Array(this.#wanted.length + 2));
    [this.#bytes, this.#units, this.#codes] = [
      new Uint32Array(longest + 1),
      new Uint32Array(longest + 1),
      new Uint32Array(longest + 1),
    ];
    const width = budget + 1;
    for (let j = 0; j <= Math.min(width + 1, this.#wanted.length); j++) this.#rows[0]![j] = j <= width ? j : FAR;
  }

  /** @param sharedBytes bytes that the text has in common with the one asked about before, as UTF-8 */
  includes(text: string, sharedBytes = 0): boolean {
    const wanted = this.#wanted;
    const [budget, width, longest] = [this.#budget, this.#budget + 1, this.#rows.length - 1];
    this.decidingBytes = Number.POSITIVE_INFINITY;
    if (wanted.length === 0) {
      this.decidingBytes = 0;
      return true;
    }
    if (text === '') {
      this.#length = 0;
      return wanted.length <= budget;
    }
    while (this.#length > 0 && this.#bytes[this.#length]! > sharedBytes) this.#length -= 1;
    if (this.#length > 0 && this.#units[this.#length]! >= text.length) this.#length -= 1;
    while (this.#length < longest && this.#units[this.#length]! < text.length) {
      const length = ++this.#length;
      const code = text.codePointAt(this.#units[length - 1]!)!;
      this.#codes[length] = code;
      this.#units[length] = this.#units[length - 1]! + (code > 0xffff ? 2 : 1);
      this.#bytes[length] = this.#bytes[length - 1]! + (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
      const least = this.#fill(length, width);
      const distance = Math.abs(length - wanted.length) <= width ? this.#rows[length]![wanted.length]! : FAR;
      const isSettled = distance <= budget && least >= distance;
      if (length === longest || least > width || isSettled) this.decidingBytes = this.#bytes[length]!;
      const isLast = length === longest || this.#units[length]! >= text.length;
      if (isSettled || (distance <= budget && isLast)) return true;
      if (least > width) return false; // a swap looks two rows back, hence the slack of one
    }
    return false;
  }

  /** Fills the row of the first `length` characters of the text; answers its least distance. */
  #fill(length: number, width: number): number {
    const wanted = this.#wanted;
    const [row, next, before] = [this.#rows[length - 1]!, this.#rows[length]!, this.#rows[Math.max(0, length - 2)]!];
    const [code, previous] = [this.#codes[length]!, this.#codes[length - 1]!];
    const low = Math.max(0, length - width);
    const high = Math.min(wanted.length, length + width);
    let least = FAR;
    let j = low;
    if (low === 0) {
      next[0] = length;
      least = length;
      j = 1;
    } else next[low - 1] = FAR;
    for (; j <= high; j++) {
      let cost = Math.min(row[j - 1]! + (code === wanted[j - 1] ? 0 : 1), row[j]! + 1, next[j - 1]! + 1);
      if (length > 1 && j > 1 && code === wanted[j - 2] && previous === wanted[j - 1])
        cost = Math.min(cost, before[j - 2]! + 1);
      next[j] = cost;
      if (cost < least) least = cost;
    }
    if (high < wanted.length) next[high + 1] = FAR;
    return least;
  }
}

/** The same for one text. */
export function isWithinPrefixDistance(query: string, text: string, budget: number): boolean {
  return new PrefixDistance(query, budget).includes(text);
}
