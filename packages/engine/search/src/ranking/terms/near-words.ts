/** Proximity of words: from rank-indexed lists, from pairs of lists, or from gathered positions, whichever takes the fewest steps. */

import type { IndexView } from '@fossick/index';
import {
  type Bitmap,
  type Kernel,
  type LivePostings,
  loadedList,
  type NearTargets,
  type None,
  type PostingList,
  postingListsOf,
} from '@fossick/kernel';
import type { SegmentPostings } from '@fossick/postings';
import type { ListsBySegment } from '../../query/lexicon.js';
import type { BitmapPool } from './bitmap-pool.js';
import type { PositionLists, PositionTables } from './position-tables.js';

/** Up to this many pairs of lists are walked without estimating the cost. Above the other bound it is not estimated either: gathered positions are reused. */
const DIRECT_PAIRS_MAX = 4;
const WALKED_PAIRS_MAX = 1000;
/** From this many lists on, they are walked against one list in a single call. */
const MANY_MIN = 3;
/**
 * Estimated costs in steps of some 5 ns, which is the time to decode a document: to call a walk of two lists, to open a list, to gather and sort a found document.
 * The universe's words are scanned as well, many in a step.
 */
const PAIR_STEPS = 150;
const LIST_STEPS = 20;
const GATHER_STEPS = 6;
const BITS_PER_STEP = 4096;
const BLOCK_DOCS = 128;

const positionListsOf = ({ key, lists }: Occurrences, universe: Bitmap): PositionLists => ({
  key,
  lists: lists.map((ofSegment) => positionLists(ofSegment, universe, true)),
});

/** The lists to read positions in documents of `within` from; paired ones keep a rank-indexed list where that is worth it. */
export function positionLists(
  lists: readonly SegmentPostings[],
  within: Bitmap,
  isPaired: boolean,
): readonly LivePostings[] {
  let found: LivePostings[] | null = null;
  for (const [at, list] of lists.entries()) {
    list.prepareWalk(within, isPaired);
    const words = list.positionLists(within, isPaired);
    if (words) {
      found ??= lists.slice(0, at);
      for (const word of words) found.push(word);
    } else found?.push(list);
  }
  return found ?? lists;
}

export class NearWords {
  private readonly view: IndexView;
  private readonly pool: BitmapPool;
  private readonly tables: PositionTables;
  private readonly kernel: Kernel;

  constructor(view: IndexView, pool: BitmapPool, tables: PositionTables) {
    this.view = view;
    this.pool = pool;
    this.tables = tables;
    this.kernel = view.kernel;
  }

  /**
   * Sets the documents of `within` where `right` follows `left` at distance 1, 2 or 3; when proximity is by attribute, all
   * three where they share a field.
   */
  orNear(left: Occurrences, right: Occurrences, within: Bitmap, universe: Bitmap, near: NearTargets): void {
    this.orNearMasks(positionListsOf(left, universe), positionListsOf(right, universe), within, universe, near);
  }

  private orNearMasks(
    left: PositionLists,
    right: PositionLists,
    within: Bitmap,
    universe: Bitmap,
    near: NearTargets,
  ): void {
    const isByWord = this.view.settings.proximityPrecision === 'byWord';
    const isDirect = this.isDirect(left, right, universe);
    const leftTables = isDirect ? null : this.tables.gathered(left, universe);
    const rightTables = isDirect ? null : this.tables.gathered(right, universe);
    this.view.segments.forEach((_, segment) => {
      const [a, b] = [left.lists[segment]!, right.lists[segment]!];
      if (a.length === 0 || b.length === 0) return;
      const [leftTable, rightTable] = [leftTables?.[segment], rightTables?.[segment]];
      if (leftTable && rightTable) {
        if (isByWord) this.kernel.tables.near(leftTable, rightTable, within, near);
        else for (const bitmap of near) this.kernel.tables.sameField(leftTable, rightTable, within, bitmap);
        return;
      }
      eachCommonPair(a, b, (x, y) => {
        if (isByWord) this.kernel.lists.near(x, y, within, near);
        else for (const bitmap of near) this.kernel.lists.sameField(x, y, within, bitmap);
      });
    });
  }

  /** Only the first of `orNear`, at less cost. */
  orAdjacent(leftWords: Occurrences, rightWords: Occurrences, within: Bitmap, universe: Bitmap, target: Bitmap): void {
    const left = positionListsOf(leftWords, universe);
    const right = positionListsOf(rightWords, universe);
    if (!this.isDirect(left, right, universe)) {
      const unused = this.pool.empty();
      this.orNearMasks(left, right, within, universe, [target, unused, unused]);
      this.pool.release(unused);
      return;
    }
    const isByWord = this.view.settings.proximityPrecision === 'byWord';
    left.lists.forEach((lists, segment) => {
      eachCommonPair(lists, right.lists[segment]!, (x, y) => {
        if (isByWord) this.kernel.lists.adjacent(x, y, within, target);
        else this.kernel.lists.sameField(x, y, within, target);
      });
    });
  }

  /**
   * Whether walking all pairs of lists is faster than gathering positions. A walk of two lists decodes, for each that is not indexed, the blocks with
   * documents of the universe; gathering does so once for each list, and sorts what it found.
   */
  private isDirect(left: PositionLists, right: PositionLists, universe: Bitmap): boolean {
    const pairCount = left.lists.reduce((sum, lists, at) => sum + lists.length * right.lists[at]!.length, 0);
    if (pairCount <= DIRECT_PAIRS_MAX) return true;
    if (pairCount > WALKED_PAIRS_MAX) return false;
    if ([...left.lists, ...right.lists].some((lists) => lists.some(({ words }) => words))) return true;
    const within = this.kernel.bitmaps.count(universe);
    const pairSteps = PAIR_STEPS + this.pool.bitCount / BITS_PER_STEP;
    let walked = 0;
    let gathered = 0;
    left.lists.forEach((a, segment) => {
      const b = right.lists[segment]!;
      if (a.length === 0 || b.length === 0) return;
      const [x, y] = [this.stepsOf(a, within), this.stepsOf(b, within)];
      if (isOneToMany(a, b)) walked += x.unindexed + y.unindexed + (a.length + b.length) * LIST_STEPS;
      else walked += a.length * b.length * pairSteps + b.length * x.unindexed + a.length * y.unindexed;
      gathered += x.all + y.all + (x.found + y.found) * GATHER_STEPS + (a.length + b.length) * LIST_STEPS;
    });
    return walked <= gathered;
  }

  /** The cost of decoding the blocks of the lists that have some of this many documents, and how many of these they may have. */
  private stepsOf(lists: readonly LivePostings[], within: number): { unindexed: number; all: number; found: number } {
    const steps = { unindexed: 0, all: 0, found: 0 };
    for (const list of lists) {
      const count = this.kernel.lists.docCount(loadedList(list));
      const decoded = Math.min(count, within * BLOCK_DOCS);
      steps.all += decoded;
      if (!list.indexed) steps.unindexed += decoded;
      steps.found += Math.min(count, within);
    }
    return steps;
  }
}

/** Whether `eachCommonPair` walks them in one call. */
function isOneToMany(left: readonly LivePostings[], right: readonly LivePostings[]): boolean {
  const [one, others] = left.length === 1 ? [left[0]!, right] : [right[0]!, left];
  return (left.length === 1 || right.length === 1) && others.length >= MANY_MIN && !!one.indexed && !one.words;
}

/**
 * Calls `visit` for each pair of a left and a right list. Many lists against an indexed one are passed as the words of one list, in one call.
 */
function eachCommonPair(
  left: readonly LivePostings[],
  right: readonly LivePostings[],
  visit: (left: LivePostings, right: LivePostings) => void,
): void {
  if (!isOneToMany(left, right)) {
    for (const x of left) for (const y of right) visit(x, y);
    return;
  }
  const isLeft = left.length === 1;
  const [one, others] = isLeft ? [left[0]!, right] : [right[0]!, left];
  const pair = (other: LivePostings): void => (isLeft ? visit(one, other) : visit(other, one));
  const joined: PostingList[] = [];
  for (const other of others) {
    if (other.words || other.indexed || other.deleted !== one.deleted) pair(other);
    else joined.push(loadedList(other));
  }
  if (joined.length > 0) pair({ ptr: joined[0]!, deleted: one.deleted, words: postingListsOf(...joined) });
}

/** Occurrences of one part of a term, and the documents where they count (0: all). */
export interface Occurrences {
  /** Identifies the lists among all lists of this search. */
  readonly key: string;
  /** Their posting lists, by the segment's index in the view. */
  readonly lists: ListsBySegment;
  /** For a phrase: documents that contain the whole phrase. */
  readonly within: Bitmap | None;
}
