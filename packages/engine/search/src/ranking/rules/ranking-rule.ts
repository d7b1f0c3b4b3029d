import type { Bitmap, Kernel } from '@fossick/kernel';
import type { QueryGraph } from '../../query/query-graph.js';
import type { RuleTrace } from '../../request/answer-parts.js';
import type { ScoreDetail } from './score-details.js';

/** Documents that a rule ranks equal, and the graph for the next rule. */
export interface RankedBucket {
  /** Owned by the receiver. */
  readonly docs: Bitmap;
  /** The graph narrowed to the paths that match these documents; null in placeholder searches. */
  readonly graph: QueryGraph | null;
  readonly detail: ScoreDetail | null;
}

/** The cursor of one rule inside one bucket of the previous rule. */
export interface RuleCursor {
  /** The next best bucket within `universe` (the rest of the bucket that it started with), or null when there is none. */
  next(universe: Bitmap): RankedBucket | null;
  /**
   * For a rule that orders by similarity: the documents of the universe with at least this one, as a bitmap owned by
   * the caller.
   */
  atLeast?(similarity: number, universe: Bitmap): Bitmap;
  /** Releases its bitmaps. */
  close(): void;
}

/** A ranking rule of the list. */
export interface RankingRule {
  /**
   * @param needsGraph false when no later rule uses the graph
   */
  start(universe: Bitmap, graph: QueryGraph | null, needsGraph: boolean): RuleCursor;
  readonly readsGraph: boolean;
  /**
   * True: its buckets are computed cheaply for each document independently when the graph is a chain, and it leaves such a graph unchanged. False:
   * the same holds because all documents are in one bucket.
   */
  readonly isPerDocument?: boolean | undefined;
  /** Whether it contributes to the score of a document. */
  readonly isScored: boolean;
  /** Whether its score replaces the scores of the previous rules. */
  readonly isWholeScore?: boolean;
}

/** The rule, which notes in `trace` what it does. Only a search that is explained counts its documents. */
export function tracedRule(rule: RankingRule, trace: RuleTrace, { bitmaps }: Pick<Kernel, 'bitmaps'>): RankingRule {
  const { readsGraph, isPerDocument, isScored, isWholeScore = false } = rule;
  return {
    readsGraph,
    isPerDocument,
    isScored,
    isWholeScore,
    start: (universe, graph, needsGraph) => {
      trace.starts += 1;
      trace.divided += bitmaps.count(universe);
      const cursor = rule.start(universe, graph, needsGraph);
      const next: RuleCursor['next'] = (rest) => {
        const bucket = cursor.next(rest);
        if (bucket !== null) trace.buckets += 1;
        return bucket;
      };
      const close = (): void => cursor.close();
      if (cursor.atLeast === undefined) return { next, close };
      return { next, close, atLeast: (similarity, rest) => cursor.atLeast!(similarity, rest) };
    },
  };
}
