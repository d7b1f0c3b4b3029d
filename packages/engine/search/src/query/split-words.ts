import { type TermOrdinal, utf8Length } from '@fossick/base';
import type { IndexView, SegmentView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import type { WordLocation, WordTable } from '@fossick/postings';

export type WordPair = readonly [left: string, right: string];

/** Best splits found in a view, as bytes of the left word (0: none), cached as long as the view; the cache is cleared when it holds too many. */
const splitsByView = new WeakMap<IndexView, Map<string, number>>();
const MAX_CACHED_SPLITS = 10_000;
const TABLES: readonly WordTable[] = ['fuzzy', 'exact'];
/** Numbers that describe a split in the kernel's result. */
const CUT_NUMBERS = 3;

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
  readonly segmentCuts: readonly SegmentCut[];
}

/** Live documents of a segment, in scratch: those where both words are adjacent, or, where finding these takes a walk, those that have both. */
interface MeasuredDocs {
  readonly docs: Bitmap;
  readonly areAdjacent: boolean;
}

/** A split with its documents by segment cut. */
interface MeasuredCut extends Cut {
  readonly measured: readonly MeasuredDocs[];
  /** The number of these documents: an upper bound of the number where both words are adjacent. */
  readonly countMax: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Finds the best split of one word into two. */
export class SplitWords {
  private readonly view: IndexView;

  constructor(view: IndexView) {
    this.view = view;
  }

  /** The pair with the most documents where its words are adjacent; ties go to the shortest left word. Null when there is none, and when it is `except`. */
  bestPair(word: string, except: WordPair | null): WordPair | null {
    const splits = splitsByView.get(this.view) ?? new Map<string, number>();
    splitsByView.set(this.view, splits);
    const exceptBytes = except === null ? 0 : utf8Length(except[0]);
    const key = `${exceptBytes} ${word}`;
    let leftBytes = splits.get(key);
    if (leftBytes === undefined) {
      if (splits.size >= MAX_CACHED_SPLITS) splits.clear();
      leftBytes = this.findSplit(word, exceptBytes);
      splits.set(key, leftBytes);
    }
    if (leftBytes === 0) return null;
    const bytes = encoder.encode(word);
    return [decoder.decode(bytes.subarray(0, leftBytes)), decoder.decode(bytes.subarray(leftBytes))];
  }

  /** Bytes of the left word of the best split; 0 when there is none, and when these are `exceptBytes`, which is cheaper to tell than how many documents it has. */
  private findSplit(word: string, exceptBytes: number): number {
    const cuts = this.cuts(word);
    const except = cuts.find(({ leftBytes }) => leftBytes === exceptBytes);
    const [only, ...others] = cuts.filter((cut) => cut !== except);
    if (only === undefined) return 0;
    if (except === undefined && others.length === 0) return this.hasAdjacent(only, 1) ? only.leftBytes : 0;
    const { leftBytes, count } = this.bestOf([only, ...others]);
    if (except === undefined || count === 0) return leftBytes;
    return this.hasAdjacent(except, exceptBytes < leftBytes ? count : count + 1) ? 0 : leftBytes;
  }

  /** Documents of a split are counted by finding them: they are cached, and those of the best one are usually asked for next. */
  private bestOf(cuts: readonly Cut[]): { readonly leftBytes: number; readonly count: number } {
    const { memory } = this.view.kernel;
    const mark = memory.mark();
    let best = { leftBytes: 0, count: 0 };
    for (const cut of cuts.map((cut) => this.measured(cut)).sort((a, b) => b.countMax - a.countMax)) {
      const { leftBytes } = cut;
      const winningCount = leftBytes < best.leftBytes ? best.count : best.count + 1;
      if (cut.countMax < winningCount) continue;
      const count = this.adjacentCount(cut);
      if (count >= winningCount) best = { leftBytes, count };
    }
    memory.release(mark);
    return best;
  }

  private cuts(word: string): readonly Cut[] {
    const cuts = new Map<number, SegmentCut[]>();
    for (const segment of this.view.segments)
      for (const left of TABLES) for (const right of TABLES) this.addCuts(cuts, word, segment, left, right);
    return Array.from(cuts, ([leftBytes, segmentCuts]) => ({ leftBytes, segmentCuts }));
  }

  private addCuts(
    cuts: Map<number, SegmentCut[]>,
    word: string,
    segment: SegmentView,
    left: WordTable,
    right: WordTable,
  ): void {
    const found = this.view.kernel.dictionaries.cuts(segment.dictionary(left), segment.dictionary(right), word);
    for (let at = 0; at < found.length; at += CUT_NUMBERS) {
      const leftBytes = found[at]!;
      const [leftOrdinal, rightOrdinal] = [found[at + 1] as TermOrdinal, found[at + 2] as TermOrdinal];
      const segmentCuts = cuts.get(leftBytes) ?? [];
      cuts.set(leftBytes, segmentCuts);
      segmentCuts.push({ segment, left: [left, leftOrdinal], right: [right, rightOrdinal] });
    }
  }

  private measured(cut: Cut): MeasuredCut {
    const { bitmaps } = this.view.kernel;
    const measured = cut.segmentCuts.map((segmentCut) => this.measuredDocs(segmentCut));
    return { ...cut, measured, countMax: measured.reduce((sum, { docs }) => sum + bitmaps.count(docs), 0) };
  }

  private measuredDocs({ segment, left, right }: SegmentCut): MeasuredDocs {
    const { bitmaps } = this.view.kernel;
    const docs = bitmaps.create(this.view.bitCount);
    if (this.isByWord && segment.orStoredAdjacent(docs, left, right)) return { docs, areAdjacent: true };
    segment.orWords(docs, left[0], [left[1]]);
    bitmaps.and(docs, this.docsOf(segment, right));
    return { docs, areAdjacent: false };
  }

  private docsOf(segment: SegmentView, [table, ordinal]: WordLocation): Bitmap {
    const docs = this.view.kernel.bitmaps.create(this.view.bitCount);
    segment.orWords(docs, table, [ordinal]);
    return docs;
  }

  /** The sum over all segment cuts. */
  private adjacentCount({ segmentCuts, measured }: MeasuredCut): number {
    const { bitmaps } = this.view.kernel;
    let count = 0;
    segmentCuts.forEach(({ segment, left, right }, at) => {
      const { docs, areAdjacent } = measured[at]!;
      if (areAdjacent) count += bitmaps.count(docs);
      if (areAdjacent || bitmaps.isEmpty(docs)) return;
      const found = bitmaps.create(this.view.bitCount);
      segment.orAdjacent(found, left, right, this.isByWord, docs);
      count += bitmaps.count(found);
    });
    return count;
  }

  /** Whether both words are adjacent in this many documents. */
  private hasAdjacent({ segmentCuts }: Cut, wanted: number): boolean {
    let count = 0;
    return segmentCuts.some((segmentCut) => {
      count += this.countUpTo(segmentCut, wanted);
      return count >= wanted;
    });
  }

  private countUpTo({ segment, left, right }: SegmentCut, wanted: number): number {
    const { lists, memory, bitmaps } = this.view.kernel;
    const mark = memory.mark();
    const docs = this.isByWord ? bitmaps.create(this.view.bitCount) : 0;
    const stored = docs !== 0 && segment.orStoredAdjacent(docs, left, right) ? bitmaps.count(docs) : null;
    memory.release(mark);
    if (stored !== null) return stored;
    const [a, b] = [segment.postings(...left), segment.postings(...right)];
    return this.isByWord ? lists.adjacentCount(a, b, wanted) : lists.sameFieldCount(a, b, wanted);
  }

  private get isByWord(): boolean {
    return this.view.settings.proximityPrecision === 'byWord';
  }
}
