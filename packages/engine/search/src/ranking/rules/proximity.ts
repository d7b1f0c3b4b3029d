import type { Bitmap, None } from '@fossick/kernel';
import type { GraphNode } from '../../query/query-graph.js';
import { idCount, phrasesOf } from '../../query/query-term.js';
import { createFinder } from '../paths/create-finder.js';
import type { Finder, StepSource } from '../paths/finder.js';
import type { Occurrences } from '../terms/near-words.js';
import type { TermDocs } from '../terms/term-docs.js';
import { DocumentSplitter } from './document-splitter.js';
import { nodeKey } from './fields.js';
import { GraphCursor } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';
import type { ScoreDetail } from './score-details.js';
import { isPair, SPLIT_SHARE, SplitAheadCursor } from './split-ahead.js';

/** Documents with two neighbouring words at distance 1, 2 or 3. */
type NearDocs = readonly [near1: Bitmap, near2: Bitmap, near3: Bitmap];

/** What the rule may use. */
export interface ProximityScope {
  /** The next rules that split their documents (`RankingRule.isPerDocument`). */
  readonly next: () => readonly RankingRule[];
  /** Number of documents up to the end of the page. */
  readonly wantedCount: number;
}

/**
 * The rule `proximity`: neighbours of the query close together rank first. No pairs are stored: distances are computed
 * from the positions of both words, only in the documents of this bucket.
 */
export function proximityRule(docs: TermDocs, { next, wantedCount }: ProximityScope): RankingRule {
  const { pool } = docs;
  const detail = (cost: number, max: number): ScoreDetail => ({ kind: 'proximity', rank: max - cost, max });
  const splitMin = SPLIT_SHARE * Math.max(1, wantedCount);
  return {
    readsGraph: true,
    isScored: true,
    start: (universe, graph, needsGraph) => {
      const finderFor = (within: Bitmap): Finder =>
        createFinder(pool, graph!, new ProximitySteps(docs, within), within);
      const following = next();
      if (following.length > 0 && isPair(graph!) && pool.kernel.bitmaps.count(universe) >= splitMin) {
        const splitter = new DocumentSplitter({ pool, graph: graph!, rules: following, splitMin }, universe);
        return new SplitAheadCursor({ pool, graph: graph!, splitter, finderFor, detail, needsGraph });
      }
      return new GraphCursor(graph!, finderFor(universe), detail, needsGraph);
    },
  };
}

/** Costs of neighbours at distance 1, 2, 3 and more, and of pairs that are no neighbours, by the number of words joined. */
const NEAR_COSTS: readonly (readonly number[])[] = [0, 0, 1, 2].map((joined) => [
  joined,
  joined + 1,
  joined + 2,
  joined + 3,
]);
const APART_COSTS: readonly (readonly number[])[] = [[0], [0], [1], [2]];

/** As many documents take as long as to walk the lists of a short prefix. */
const LISTS_COST = 4_096;

class ProximitySteps implements StepSource {
  private readonly docsOf: TermDocs;
  private readonly universe: Bitmap;
  private readonly pairs = new Map<number, NearPair>();
  /** For more documents, only those with both words adjacent are found at first: most pages need no others. */
  private readonly sparse: Bitmap | None;

  constructor(docsOf: TermDocs, universe: Bitmap) {
    this.docsOf = docsOf;
    this.universe = universe;
    this.sparse = docsOf.pool.ifSparse(universe);
  }

  costs(from: GraphNode, to: GraphNode): readonly number[] {
    return (areNeighbours(from, to) ? NEAR_COSTS : APART_COSTS)[idCount(to.term!)]!;
  }

  /** Distances are found document by document, in the lists of both words. */
  answerCost(from: GraphNode, to: GraphNode, alternative: number): number | null {
    return this.sparse === 0 && alternative !== 3 && areNeighbours(from, to) ? LISTS_COST : null;
  }

  docs(
    from: GraphNode,
    to: GraphNode,
    alternative: number,
    within: Bitmap = this.universe,
  ): Bitmap | readonly Bitmap[] {
    if (alternative === 3 || !areNeighbours(from, to)) return this.docsOf.ofSet(to.term!, to.set);
    const key = nodeKey(from) * PAIR_KEY_STEP + nodeKey(to);
    let pair = this.pairs.get(key);
    if (!pair) {
      pair = new NearPair(this.docsOf, from, to, this.universe, this.sparse);
      this.pairs.set(key, pair);
    }
    return alternative === 0 && this.sparse === 0 ? pair.adjacent(within) : pair.all(within);
  }

  narrowed(to: GraphNode): GraphNode {
    return to;
  }

  close(): void {
    for (const pair of this.pairs.values()) pair.close();
  }
}

/** Greater than any key of a node: a query has at most ten terms, with two n-grams each. */
const PAIR_KEY_STEP = 1024;

const areNeighbours = (from: GraphNode, to: GraphNode): boolean =>
  from.term !== null && from.term.endPosition + 1 === to.term!.startPosition;

/** The documents of one pair of neighbours, found lazily. */
class NearPair {
  private readonly docs: TermDocs;
  private readonly from: GraphNode;
  private readonly to: GraphNode;
  private readonly universe: Bitmap;
  private readonly near1: Bitmap;
  /** Once all are wanted. */
  private near: NearDocs | null = null;
  private readonly sparse: Bitmap | None;
  /** Whether they are known in the whole universe. */
  private isAdjacentKnown = false;
  private isAllKnown = false;

  /**
   * @param few the universe, when its documents are few
   */
  constructor(docs: TermDocs, from: GraphNode, to: GraphNode, universe: Bitmap, sparse: Bitmap | None) {
    this.docs = docs;
    this.sparse = sparse;
    this.from = from;
    this.to = to;
    this.universe = universe;
    this.near1 = docs.pool.empty();
  }

  /** Documents where both are adjacent: all those of `within`, and some of the universe. */
  adjacent(within: Bitmap): Bitmap {
    const { near1, docs } = this;
    if (this.isAdjacentKnown || this.isAllKnown) return near1;
    this.isAdjacentKnown = within === this.universe;
    this.eachPairInOrder(within, (left, right, both) => docs.near.orAdjacent(left, right, both, within, near1));
    return near1;
  }

  /** Documents where they are at distance 1, 2 and 3, likewise. */
  all(within: Bitmap): NearDocs {
    this.near ??= [this.near1, this.docs.pool.empty(), this.docs.pool.empty()];
    if (!this.isAllKnown) this.addAll(this.near, within);
    this.isAllKnown ||= within === this.universe;
    return this.near;
  }

  close(): void {
    for (const bitmap of this.near ?? [this.near1]) this.docs.pool.releaseWithin(bitmap, this.sparse);
  }

  private addAll(near: NearDocs, within: Bitmap): void {
    const { docs, from, to } = this;
    const [, near2, near3] = near;
    this.eachPairInOrder(within, (left, right, both) => docs.near.orNear(left, right, both, within, near));
    // In reverse order, single words only; the cost is one more than for their distance.
    const unused = docs.pool.empty();
    const forwardLeft = docs.wordOccurrences(to.term!, to.set, false);
    const forwardRight = docs.wordOccurrences(from.term!, from.set, false);
    docs.pool.checkTime();
    docs.near.orNear(forwardLeft, forwardRight, within, within, [near2, near3, unused]);
    docs.pool.releaseWithin(unused, this.sparse);
  }

  private eachPairInOrder(
    universe: Bitmap,
    visit: (left: Occurrences, right: Occurrences, within: Bitmap) => void,
  ): void {
    const { docs, from, to } = this;
    const lefts = [docs.wordOccurrences(from.term!, from.set, true), ...phraseEnds(docs, from, 'last')];
    const rights = [docs.wordOccurrences(to.term!, to.set, true), ...phraseEnds(docs, to, 'first')];
    for (const left of lefts)
      for (const right of rights) {
        docs.pool.checkTime();
        const parts = [left.within, right.within].filter((part): part is Bitmap => part !== 0);
        if (parts.length === 0) {
          visit(left, right, universe);
          continue;
        }
        const within = docs.pool.copyOf(universe);
        for (const part of parts) docs.pool.kernel.bitmaps.and(within, part);
        visit(left, right, within);
        docs.pool.release(within);
      }
  }
}

function phraseEnds(docs: TermDocs, node: GraphNode, end: 'first' | 'last'): Occurrences[] {
  return phrasesOf(node.term!, node.set).flatMap((phrase) => docs.phraseOccurrences(phrase, end) ?? []);
}
