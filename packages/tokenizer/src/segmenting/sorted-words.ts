/** Words in byte order, found by halving: less memory than an array of states, and nothing to build (3 bytes a word on top of the words). */
export class SortedWords {
  /** All words, one behind the other; word n is [starts[n], starts[n + 1]). */
  private readonly bytes: Uint8Array;
  private readonly starts: Uint32Array;

  /** `coded`: each word as the bytes it shares with the one before, the number of the others, and these. O(bytes of the words) */
  constructor(coded: Uint8Array, wordCount: number) {
    this.starts = new Uint32Array(wordCount + 1);
    let size = 0;
    let word = 0;
    for (let at = 0; at < coded.length; at += 2 + coded[at + 1]!) {
      size += coded[at]! + coded[at + 1]!;
      this.starts[++word] = size;
    }
    if (word !== wordCount) throw new RangeError(`${word} words where there should be ${wordCount}`);
    this.bytes = new Uint8Array(size);
    word = 0;
    for (let at = 0; at < coded.length; at += 2 + coded[at + 1]!) {
      const [shared, start] = [coded[at]!, this.starts[word]!];
      if (word > 0) this.bytes.copyWithin(start, this.starts[word - 1]!, this.starts[word - 1]! + shared);
      this.bytes.set(coded.subarray(at + 2, at + 2 + coded[at + 1]!), start + shared);
      word++;
    }
  }

  /** Every word that the text has at `start`: where it ends, and its number; the shortest first. O(length of the longest x log words) */
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

  /** Of the words [first, last), which are alike up to `depth`, the first whose next byte is at least `byte`. */
  private firstFrom(first: number, last: number, depth: number, byte: number): number {
    const { bytes, starts } = this;
    let [low, high] = [first, last];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = starts[middle]! + depth;
      // a word that ends here goes before all that go on
      if (at >= starts[middle + 1]! || bytes[at]! < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
