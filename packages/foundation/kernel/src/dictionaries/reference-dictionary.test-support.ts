import type { FuzzyMatches } from './dictionaries.js';

/** The dictionary operations in their plainest form, over a sorted array of words. Slow: the oracle of the tests. */
export class ReferenceDictionary {
  readonly words: readonly string[];
  private readonly encoded: readonly Uint8Array[];

  /** Sorts the words by their bytes and drops repeated ones. */
  constructor(words: Iterable<string>) {
    this.words = [...new Set(words)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    this.encoded = this.words.map((word) => new TextEncoder().encode(word));
  }

  get bytes(): readonly Uint8Array[] {
    return this.encoded;
  }

  findWord(word: string): number {
    return this.words.indexOf(word);
  }

  prefixRange(prefix: Uint8Array): readonly [from: number, to: number] {
    const starts = (bytes: Uint8Array): boolean => Buffer.compare(bytes.subarray(0, prefix.length), prefix) === 0;
    const from = this.encoded.findIndex(starts);
    return from < 0 ? [0, 0] : [from, this.encoded.findLastIndex(starts) + 1];
  }

  /** The fuzzy words of a dictionary, word by word; the empty query has none. */
  fuzzyWords(word: string, budget: 1 | 2, isPrefix: boolean): FuzzyMatches {
    const query = [...word];
    const candidates = query.length === 0 ? [] : this.words;
    const ordinals: number[] = [];
    const distances: number[] = [];
    const firstDiffers: number[] = [];
    let ones = 0;
    let twos = 0;
    for (const [ordinal, candidate] of candidates.entries()) {
      if (ones >= 150 && (budget === 1 || twos >= 50)) break;
      const letters = [...candidate];
      const differs = letters[0] !== query[0];
      const distance = isPrefix ? prefixDistance(letters, query) : osaDistance(letters, query);
      const isWithin = budget === 1 ? !differs && distance === 1 : distance > 0 && distance <= (differs ? 1 : 2);
      if (!isWithin) continue;
      const isTwo = distance === 2 || (differs && twos < 50);
      if (isTwo ? twos >= 50 : ones >= 150) continue;
      if (isTwo) twos++;
      else ones++;
      ordinals.push(ordinal);
      distances.push(distance);
      firstDiffers.push(differs ? 1 : 0);
    }
    return {
      ordinals: Uint32Array.from(ordinals),
      distances: Uint8Array.from(distances),
      firstDiffers: Uint8Array.from(firstDiffers),
    };
  }
}

/** Restricted Damerau-Levenshtein distance: adjacent transpositions, no letter edited twice. O(length x length). */
export function osaDistance(left: readonly string[], right: readonly string[]): number {
  return osaRows(left, right).at(-1)!.at(-1)!;
}

/**
 * The distance of the first prefix of `candidate` to which the whole query is nearer than any of its own prefixes; of the whole candidate when there is none.
 */
export function prefixDistance(candidate: readonly string[], query: readonly string[]): number {
  const rows = osaRows(candidate, query);
  return (rows.find((row) => row.every((cell) => cell >= row.at(-1)!)) ?? rows.at(-1)!).at(-1)!;
}

/** Distances of every prefix of `left` to every prefix of `right`. */
function osaRows(left: readonly string[], right: readonly string[]): number[][] {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    const above = rows[i - 1] as number[];
    for (let j = 1; j <= right.length; j++) {
      const cost = left[i - 1] === right[j - 1] ? 0 : 1;
      let cell = Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, (above[j - 1] as number) + cost);
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        cell = Math.min(cell, (rows[i - 2]?.[j - 2] as number) + 1);
      }
      row.push(cell);
    }
    rows.push(row);
  }
  return rows;
}
