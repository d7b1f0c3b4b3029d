/** All words, concatenated; word n is [starts[n], starts[n + 1]). */
export interface WordTables {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

/**
 * Words in byte order, found by binary search: less memory than an automaton, and nothing to build (3 bytes for each word besides its text).
 */
export class SortedWords {
  private readonly bytes: Uint8Array;
  private readonly starts: Uint32Array;

  constructor({ bytes, starts }: WordTables) {
    this.bytes = bytes;
    this.starts = starts;
  }

  /** Visits every word that the text has at `start`, shortest first: its end and its number. O(length of the longest x log words) */
  visit(text: Uint8Array, start: number, found: (end: number, word: number) => void): void {
    const { starts } = this;
    let first = 0;
    let last = starts.length - 1;
    for (let at = start; at < text.length; at++) {
      const depth = at - start;
      first = this.firstFrom(first, last, depth, text[at]!);
      last = this.firstFrom(first, last, depth, text[at]! + 1);
      if (first === last) return;
      if (starts[first + 1]! - starts[first]! === depth + 1) found(at + 1, first);
    }
  }

  /**
   * Among the words [first, last), which share their first `depth` bytes, the first whose next byte is at least `byte`.
   */
  private firstFrom(first: number, last: number, depth: number, byte: number): number {
    const { bytes, starts } = this;
    let [low, high] = [first, last];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = starts[middle]! + depth;
      // a word that ends here precedes all its extensions
      if (at >= starts[middle + 1]! || bytes[at]! < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Decodes words. `coded` has for each word the number of bytes it shares with the previous one, the number of the others, and these.
 * Throws RangeError for another number of words. O(bytes of the words)
 */
export function readSortedWords(coded: Uint8Array, wordCount: number): WordTables {
  const starts = new Uint32Array(wordCount + 1);
  let size = 0;
  let word = 0;
  for (let at = 0; at < coded.length; at += 2 + coded[at + 1]!) {
    size += coded[at]! + coded[at + 1]!;
    starts[++word] = size;
  }
  if (word !== wordCount) throw new RangeError(`${word} words where there should be ${wordCount}`);
  const bytes = new Uint8Array(size);
  word = 0;
  for (let at = 0; at < coded.length; at += 2 + coded[at + 1]!) {
    const [shared, start] = [coded[at]!, starts[word]!];
    if (word > 0) bytes.copyWithin(start, starts[word - 1]!, starts[word - 1]! + shared);
    bytes.set(coded.subarray(at + 2, at + 2 + coded[at + 1]!), start + shared);
    word++;
  }
  return { bytes, starts };
}
