import type { LivePostings } from '@fossick/kernel';
import type { IndexView } from '../view/index-view.js';
import type { Lexicon } from './lexicon.js';

/** Pairs found in a view, kept as long as the view; forgotten all at once when there are too many. */
const pairsByView = new WeakMap<IndexView, Map<string, readonly [string, string] | null>>();
const MAX_KEPT_PAIRS = 10_000;

interface Cut {
  readonly left: string;
  readonly right: string;
  readonly countMax: number;
}

/** Finds the best way to read one word as two (spec 11 section 2.4). */
export class SplitWords {
  constructor(
    private readonly view: IndexView,
    private readonly lexicon: Lexicon,
  ) {}

  /** The pair with the most documents where its words stand side by side; ties go to the shortest left word. */
  bestPair(word: string): readonly [string, string] | null {
    const pairs = pairsByView.get(this.view) ?? new Map<string, readonly [string, string] | null>();
    pairsByView.set(this.view, pairs);
    let pair = pairs.get(word);
    if (pair === undefined) {
      if (pairs.size >= MAX_KEPT_PAIRS) pairs.clear();
      pair = this.findPair(word);
      pairs.set(word, pair);
    }
    return pair;
  }

  private findPair(word: string): readonly [string, string] | null {
    let best: Cut | null = null;
    let bestCount = 0;
    // Cuts that may have the most documents first: those that cannot beat what was found are not counted at all.
    const cuts = this.cuts(word);
    for (const [place, cut] of cuts.entries()) {
      if (cut.countMax < bestCount) break;
      // the last one only has to beat the best of the others: often there is one alone, and any document will do
      const limit = place === cuts.length - 1 ? bestCount + 1 : undefined;
      const count = this.pairCount(cut.left, cut.right, limit);
      if (count > bestCount || (best !== null && count === bestCount && cut.left.length < best.left.length)) {
        best = count > 0 ? cut : null;
        bestCount = count;
      }
    }
    return best && [best.left, best.right];
  }

  /** Ways to cut the word into two indexed ones, by the number of documents that there can be at most. */
  private cuts(word: string): Cut[] {
    const cuts: Cut[] = [];
    let at = 0;
    for (const char of word) {
      at += char.length;
      if (at >= word.length) break;
      const left = word.slice(0, at);
      const right = word.slice(at);
      if (!this.lexicon.isIndexed(left, false) || !this.lexicon.isIndexed(right, false)) continue;
      cuts.push({ left, right, countMax: Math.min(this.docCount(left), this.docCount(right)) });
    }
    return cuts.sort((a, b) => b.countMax - a.countMax);
  }

  /** Documents in the lists of a word, those of both tables and the dead ones included. */
  private docCount(word: string): number {
    let count = 0;
    for (const lists of this.lexicon.listsOf(word, false))
      for (const { ptr } of lists) count += this.view.kernel.docCount(ptr);
    return count;
  }

  /** Documents where both stand side by side; a few more or less once `limit` is reached. */
  private pairCount(left: string, right: string, limit?: number): number {
    const { kernel, settings } = this.view;
    const leftLists = this.lexicon.listsOf(left, false);
    const rightLists = this.lexicon.listsOf(right, false);
    const countOf = (a: LivePostings, b: LivePostings): number =>
      settings.proximityPrecision === 'byWord' ? kernel.adjacentCount(a, b, limit) : kernel.sameFieldCount(a, b, limit);
    let count = 0;
    leftLists.forEach((lists, segment) => {
      for (const a of lists) for (const b of rightLists[segment]!) count += countOf(a, b);
    });
    return count;
  }
}
