import type { Bitmap } from '@fossick/kernel';
import type { QueryGraph } from '@fossick/query';
import type { ScoreDetail } from './score-details.js';

/** Documents that a rule holds equal, and what the next rule may build on. */
export interface RankedBucket {
  /** Owned by the receiver. */
  readonly docs: Bitmap;
  /** The graph narrowed to what earned these documents; null in placeholder searches. */
  readonly graph: QueryGraph | null;
  readonly detail: ScoreDetail | null;
}

/** One rule at work inside one bucket of the rule before it. */
export interface RuleCursor {
  /** The next best bucket among `universe` (what is left of the bucket that it started with), or null when the rule has no more. */
  next(universe: Bitmap): RankedBucket | null;
  /** Of a rule that orders by a similarity: what of the universe has at least this one, as a bitmap of the caller's. */
  atLeast?(similarity: number, universe: Bitmap): Bitmap;
  /** Gives its bitmaps back. */
  close(): void;
}

/** A ranking rule with its place in the list. */
export interface RankingRule {
  /** @param needsGraph false when no later rule looks at the query any more */
  start(universe: Bitmap, graph: QueryGraph | null, needsGraph: boolean): RuleCursor;
  readonly readsGraph: boolean;
  /**
   * Its buckets are told document by document, and cheaply, where the graph is a chain; and it leaves such a graph as it is. False: the same, and all
   * documents are in one bucket.
   */
  readonly isOfDocuments?: boolean;
  /** It has a part in the score of a document. */
  readonly isScored: boolean;
  /** Its score is the document's, whatever the rules before it said. */
  readonly isWholeScore?: boolean;
}
