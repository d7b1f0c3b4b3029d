import type { Bitmap } from '@fossick/kernel';
import type { QueryGraph } from '../../query/query-graph.js';
import { createFinder } from '../paths/create-finder.js';
import type { Finder, StepSource } from '../paths/finder.js';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { RankedBucket, RankingRule, RuleCursor } from './ranking-rule.js';
import type { ScoreDetail } from './score-details.js';

/** The parameters of a graph-based rule. */
export interface GraphRuleOptions {
  /** Steps for a rule that starts in this universe. */
  readonly steps: (universe: Bitmap) => StepSource;
  readonly detail: (cost: number, max: number) => ScoreDetail;
  /** See RankingRule. */
  readonly isPerDocument?: boolean;
}

/** A rule whose buckets are the costs of paths through the query graph. */
export function graphRule(pool: BitmapPool, options: GraphRuleOptions): RankingRule {
  return {
    readsGraph: true,
    isScored: true,
    isPerDocument: options.isPerDocument,
    start: (universe, graph, needsGraph) => {
      const finder = createFinder(pool, graph!, options.steps(universe), universe);
      return new GraphCursor(graph!, finder, options.detail, needsGraph);
    },
  };
}

/** The buckets of a finder. */
export class GraphCursor implements RuleCursor {
  private readonly graph: QueryGraph;
  private readonly finder: Finder;
  private readonly detail: (cost: number, max: number) => ScoreDetail;
  private readonly needsGraph: boolean;

  constructor(
    graph: QueryGraph,
    finder: Finder,
    detail: (cost: number, max: number) => ScoreDetail,
    needsGraph: boolean,
  ) {
    this.graph = graph;
    this.finder = finder;
    this.detail = detail;
    this.needsGraph = needsGraph;
  }

  next(): RankedBucket | null {
    const { finder } = this;
    const docs = finder.next();
    if (docs === 0) return null;
    const detail = this.detail(finder.cost, finder.longest + 1);
    return { docs, graph: this.needsGraph ? finder.matchingGraph(docs) : this.graph, detail };
  }

  close(): void {
    this.finder.close();
  }
}
