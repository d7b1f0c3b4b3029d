/** Finds which common words directly precede which, in the documents of one range: their occurrences are looked up by position, document by document. */
import type { RangePairs } from '../bytes/pair-ranges.js';

/** Slots for positions of one document. Fields begin far from each other, so that neighbouring positions are near in memory and few share a slot. */
const SLOT_COUNT = 2 ** 17;
const FIELD_STEP = 8_191;
const slotOf = (key: number): number => (key + (key >>> 16) * FIELD_STEP) & (SLOT_COUNT - 1);

/** Tokens between two pauses. */
const TOKENS_BETWEEN_PAUSES = 65_536;

/** One list of occurrences: pairs of numbers, key and docid, ascending by docid (`PositionTables.entries`). */
export type Occurrences = Uint32Array;

/** Tokens by document: their keys, and the numbers of their words. */
interface Tokens {
  /** The first token of each document. */
  readonly starts: Uint32Array;
  readonly keys: Uint32Array;
  readonly words: Uint8Array;
}

/** The documents of every pair of words in one range. Words are numbered from 0; a pair's number is left * wordCount + right. */
export class PairRange {
  private readonly firstDoc: number;
  private readonly docCount: number;
  private readonly wordCount: number;
  private readonly occurrences: Occurrences[] = [];
  /** Found pairs, in order of documents: the pair's number in the high half, the document in the low one. */
  private found = new Uint32Array(1 << 16);
  private foundCount = 0;
  private readonly counts: Uint32Array;
  /** The last document of each pair. */
  private readonly last: Int32Array;
  /** The last token in each slot, plus one; 0: none. */
  private readonly heads = new Int32Array(SLOT_COUNT);

  /** @param rangeBits 16 at most */
  constructor(firstDoc: number, rangeBits: number, wordCount: number) {
    this.firstDoc = firstDoc;
    this.docCount = 2 ** rangeBits;
    this.wordCount = wordCount;
    this.counts = new Uint32Array(wordCount * wordCount);
    this.last = new Int32Array(wordCount * wordCount).fill(-1);
  }

  /** Adds the occurrences of the next word in documents of the range. */
  add(occurrences: Occurrences): void {
    this.occurrences.push(occurrences);
  }

  /** Whether it has any occurrences. */
  get isEmpty(): boolean {
    return this.occurrences.every(({ length }) => length === 0);
  }

  /** Finds the pairs. Yields between documents, with the number of tokens since. O(tokens + pairs of words) */
  *find(): Generator<number, RangePairs> {
    const tokens = this.grouped();
    const { starts, keys } = tokens;
    this.occurrences.length = 0;
    yield keys.length;
    /** The token before each in its slot, plus one; 0: none. */
    const chain = new Int32Array(keys.length);
    let paused = 0;
    for (let doc = 0; doc < this.docCount; doc++) {
      const end = starts[doc + 1]!;
      if (end - paused > TOKENS_BETWEEN_PAUSES) {
        yield end - paused;
        paused = end;
      }
      if (end - starts[doc]! > 1) this.meet(tokens, chain, doc);
    }
    return this.byPair();
  }

  private grouped(): Tokens {
    const { firstDoc, docCount } = this;
    const starts = new Uint32Array(docCount + 2);
    for (const list of this.occurrences)
      for (let at = 1; at < list.length; at += 2) starts[list[at]! - firstDoc + 2]! += 1;
    for (let doc = 0; doc <= docCount; doc++) starts[doc + 1] = starts[doc + 1]! + starts[doc]!;
    const keys = new Uint32Array(starts[docCount + 1]!);
    const words = new Uint8Array(keys.length);
    // starts[doc + 1] moves on from the start of the document to its end
    for (const [word, list] of this.occurrences.entries())
      for (let at = 0; at < list.length; at += 2) {
        const token = starts[list[at + 1]! - firstDoc + 1]!++;
        keys[token] = list[at]!;
        words[token] = word;
      }
    return { starts, keys, words };
  }

  /** Notes each two tokens at neighbouring positions of one field. Position 0 has none before it: the key before is of another field. */
  private meet({ starts, keys, words }: Tokens, chain: Int32Array, doc: number): void {
    const { heads, wordCount } = this;
    const [from, to] = [starts[doc]!, starts[doc + 1]!];
    for (let at = from; at < to; at++) {
      const slot = slotOf(keys[at]!);
      chain[at] = heads[slot]!;
      heads[slot] = at + 1;
    }
    for (let at = from; at < to; at++) {
      const next = keys[at]! + 1;
      if ((next & 0xffff) === 0) continue;
      for (let right = heads[slotOf(next)]!; right !== 0; right = chain[right - 1]!)
        if (keys[right - 1] === next) this.note(words[at]! * wordCount + words[right - 1]!, doc);
    }
    for (let at = from; at < to; at++) heads[slotOf(keys[at]!)] = 0;
  }

  private note(pair: number, doc: number): void {
    if (this.last[pair] === doc) return;
    this.last[pair] = doc;
    this.counts[pair]! += 1;
    if (this.foundCount === this.found.length) {
      const larger = new Uint32Array(this.found.length * 2);
      larger.set(this.found);
      this.found = larger;
    }
    this.found[this.foundCount++] = pair * 0x1_0000 + doc;
  }

  private byPair(): RangePairs {
    const { counts, found, foundCount } = this;
    const docs = new Uint16Array(foundCount);
    const ends = new Uint32Array(counts.length);
    for (let pair = 1; pair < counts.length; pair++) ends[pair] = ends[pair - 1]! + counts[pair - 1]!;
    for (let at = 0; at < foundCount; at++) docs[ends[found[at]! >>> 16]!++] = found[at]! & 0xffff;
    return { docsOf: (pair) => docs.subarray(ends[pair]! - counts[pair]!, ends[pair]!) };
  }
}
