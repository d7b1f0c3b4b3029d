import type { Ptr } from '@fossick/kernel';
import type { BitmapPool } from '../bitmap-pool.js';
import { type EdgeBuilder, PathFinder } from '../path-finder.js';
import { graphOfPaths, type PathNodes, type QueryGraph } from '../query-graph.js';
import type { ScoreDetail } from '../score-details.js';
import type { RankedBucket, RankingRule, RuleCursor } from './ranking-rule.js';

/** What tells one graph-based rule from another. */
export interface GraphRuleOptions {
  /** Edges for a rule that starts in this universe. */
  readonly edges: (universe: Ptr) => EdgeBuilder;
  readonly detail: (cost: number, max: number) => ScoreDetail;
}

/** A rule whose buckets are the costs of paths through the query graph (spec 11 section 4). */
export function graphRule(pool: BitmapPool, options: GraphRuleOptions): RankingRule {
  return {
    readsGraph: true,
    start: (universe, graph, needsGraph) => new GraphCursor(pool, graph!, universe, options, needsGraph),
  };
}

class GraphCursor implements RuleCursor {
  private readonly base: Ptr;
  private readonly finder: PathFinder;
  private readonly costs: readonly number[];
  private readonly max: number;
  private nextCost = 0;

  constructor(
    private readonly pool: BitmapPool,
    private readonly graph: QueryGraph,
    universe: Ptr,
    private readonly options: GraphRuleOptions,
    private readonly needsGraph: boolean,
  ) {
    this.base = pool.copyOf(universe);
    this.finder = new PathFinder(pool, graph, options.edges(this.base));
    this.costs = this.finder.costs();
    this.max = 1 + (this.costs.at(-1) ?? 0);
  }

  next(universe: Ptr): RankedBucket | null {
    while (this.nextCost < this.costs.length) {
      const cost = this.costs[this.nextCost++]!;
      const docs = this.pool.empty();
      this.finder.orDocs(docs, cost, universe);
      if (this.pool.kernel.isEmpty(docs)) {
        this.pool.giveBack(docs);
        continue;
      }
      return {
        docs,
        graph: this.needsGraph ? this.creditedGraph(cost, docs) : this.graph,
        detail: this.options.detail(cost, this.max),
      };
    }
    return null;
  }

  close(): void {
    this.finder.close();
    this.pool.giveBack(this.base);
  }

  private creditedGraph(cost: number, docs: Ptr): QueryGraph {
    const paths: PathNodes[] = [];
    const remaining = this.pool.copyOf(docs);
    this.finder.credit(cost, remaining, paths);
    this.pool.giveBack(remaining);
    return graphOfPaths(paths);
  }
}
