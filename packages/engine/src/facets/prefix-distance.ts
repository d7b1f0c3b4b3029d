/** What stands for "further than anybody asks" in a row of distances. */
const FAR = 0x3fff_ffff;

/**
 * Tells which texts begin with something close to a query: `text`, or a prefix of it that settles the matter, is within `budget` edits
 * (insert, delete, replace, swap of neighbours), by code points. A prefix settles it only when no shorter start of the query comes closer
 * to it: else the query's rest is still expected behind it.
 *
 * Only distances next to the diagonal are computed: those further off than `budget` + 1 can't come back. O(text * budget) a text.
 */
export class PrefixDistance {
  /** Of the latest text: UTF-16 units that decided. Every text that begins with the same ones has the same answer; infinite when its end did. */
  decidingUnits = Number.POSITIVE_INFINITY;
  readonly #wanted: Uint32Array;
  readonly #budget: number;
  #row: Int32Array;
  #next: Int32Array;
  #before: Int32Array;

  constructor(query: string, budget: number) {
    this.#wanted = Uint32Array.from(query, (char) => char.codePointAt(0)!);
    this.#budget = budget;
    const size = this.#wanted.length + 1;
    [this.#row, this.#next, this.#before] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
  }

  includes(text: string): boolean {
    const wanted = this.#wanted;
    const budget = this.#budget;
    this.decidingUnits = Number.POSITIVE_INFINITY;
    if (wanted.length === 0) {
      this.decidingUnits = 0;
      return true;
    }
    if (text === '') return wanted.length <= budget;
    const width = budget + 1;
    const longest = wanted.length + budget;
    for (let j = 0; j <= Math.min(width + 1, wanted.length); j++) this.#row[j] = j <= width ? j : FAR;
    let previous = -1;
    let at = 0;
    for (let length = 1; at < text.length && length <= longest; length++) {
      const code = text.codePointAt(at)!;
      at += code > 0xffff ? 2 : 1;
      const least = this.#fill(length, width, code, previous);
      previous = code;
      const distance = Math.abs(length - wanted.length) <= width ? this.#next[wanted.length]! : FAR;
      const isLast = at >= text.length || length === longest;
      if (length === longest || least > width) this.decidingUnits = at;
      if (distance <= budget) {
        if (least >= distance) this.decidingUnits = at;
        if (isLast || least >= distance) return true;
      }
      if (least > width) return false; // a swap looks two rows back, hence the slack of one
      [this.#before, this.#row, this.#next] = [this.#row, this.#next, this.#before];
    }
    return false;
  }

  /** Fills the row of the first `length` characters of the text, the last of which is `code`; answers its least distance. */
  #fill(length: number, width: number, code: number, previous: number): number {
    const [wanted, row, next, before] = [this.#wanted, this.#row, this.#next, this.#before];
    const low = Math.max(0, length - width);
    const high = Math.min(wanted.length, length + width);
    let least = FAR;
    let j = low;
    if (low === 0) {
      next[0] = least = length;
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
