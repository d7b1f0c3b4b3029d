import type { TermOrdinal } from '@fossick/base';
import type { LivePostings } from '@fossick/kernel';
import type { IndexView, SegmentView, WordLocation, WordTable } from '@fossick/views';

type WordPair = readonly [left: string, right: string];

/** Pairs found in a view, cached as long as the view; the cache is cleared when it holds too many. */
const pairsByView = new WeakMap<IndexView, Map<string, WordPair | null>>();
const MAX_CACHED_PAIRS = 10_000;
const TABLES: readonly WordTable[] = ['fuzzy', 'exact'];
/** Numbers that describe a split in the kernel's result. */
const CUT_NUMBERS = 3;
/** A limit that no count reaches. */
const ALL = 0xffff_ffff;

/** Both words of a split in one segment. */
interface SegmentCut {
  readonly segment: SegmentView;
  readonly left: WordLocation;
  readonly right: WordLocation;
}

/** A split of a word into two words that some segment has both. */
interface Cut {
  /** Bytes of the left word. */
  readonly leftBytes: number;
  readonly segmentCuts: SegmentCut[];
  /** Upper bound of the number of documents where both words are adjacent. */
  countMax: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Finds the best split of one word into two. */
export class SplitWords {
  private readonly view: IndexView;

  constructor(view: IndexView) {
    this.view = view;
  }

  /** The pair with the most documents where its words are adjacent; ties go to the shortest left word. */
  bestPair(word: string): WordPair | null {
    const pairs = pairsByView.get(this.view) ?? new Map<string, WordPair | null>();
    pairsByView.set(this.view, pairs);
    let pair = pairs.get(word);
    if (pair === undefined) {
      if (pairs.size >= MAX_CACHED_PAIRS) pairs.clear();
      pair = this.findPair(word);
      pairs.set(word, pair);
    }
    return pair;
  }

  private findPair(word: string): WordPair | null {
    let best: Cut | null = null;
    let bestCount = 0;
    // Only the last split, which may have the most documents, need not be counted to its end: it wins as soon as it has more than the others.
    const cuts = this.cuts(word);
    for (const cut of cuts) {
      const winsTies = best !== null && cut.leftBytes < best.leftBytes;
      const winningCount = winsTies ? bestCount : bestCount + 1;
      if (cut.countMax < winningCount) continue;
      const count = this.pairCount(cut, cut === cuts.at(-1) ? winningCount : ALL);
      if (count < winningCount) continue;
      best = cut;
      bestCount = count;
    }
    if (best === null) return null;
    const bytes = encoder.encode(word);
    return [decoder.decode(bytes.subarray(0, best.leftBytes)), decoder.decode(bytes.subarray(best.leftBytes))];
  }

  /** Splits with both words in one segment, the lowest upper bound of documents first. */
  private cuts(word: string): Cut[] {
    const cuts = new Map<number, Cut>();
    for (const segment of this.view.segments)
      for (const left of TABLES) for (const right of TABLES) this.addCuts(cuts, word, segment, left, right);
    return [...cuts.values()].sort((a, b) => a.countMax - b.countMax);
  }

  private addCuts(cuts: Map<number, Cut>, word: string, segment: SegmentView, left: WordTable, right: WordTable): void {
    const found = this.view.kernel.dictionaries.cuts(segment.dictionary(left), segment.dictionary(right), word);
    for (let at = 0; at < found.length; at += CUT_NUMBERS) {
      const leftBytes = found[at]!;
      const [leftOrdinal, rightOrdinal] = [found[at + 1] as TermOrdinal, found[at + 2] as TermOrdinal];
      const cut = cuts.get(leftBytes) ?? { leftBytes, segmentCuts: [], countMax: 0 };
      cuts.set(leftBytes, cut);
      cut.countMax += Math.min(segment.docCount(left, leftOrdinal), segment.docCount(right, rightOrdinal));
      cut.segmentCuts.push({ segment, left: [left, leftOrdinal], right: [right, rightOrdinal] });
    }
  }

  /** Documents where both words are adjacent; approximate once `limit` is reached. */
  private pairCount({ segmentCuts }: Cut, limit: number): number {
    const { kernel, settings } = this.view;
    const countOf = (a: LivePostings, b: LivePostings): number =>
      settings.proximityPrecision === 'byWord'
        ? kernel.lists.adjacentCount(a, b, limit)
        : kernel.lists.sameFieldCount(a, b, limit);
    let count = 0;
    for (const { segment, left, right } of segmentCuts) {
      count += countOf(segment.postings(...left), segment.postings(...right));
      if (count >= limit) break;
    }
    return count;
  }
}
