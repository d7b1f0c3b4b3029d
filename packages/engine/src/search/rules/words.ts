import type { Ptr } from '@fossick/kernel';
import type { BitmapPool } from '../bitmap-pool.js';
import { type EdgeBuilder, PathFinder } from '../path-finder.js';
import { type GraphNode, type PathNodes, type QueryGraph, END, START, graphOfPaths, nodeIdCount, removalGroups } from '../query-graph.js';
import type { TermDocs } from '../term-docs.js';
import type { RankedBucket, RankingRule, RuleCursor } from './ranking-rule.js';

/**
 * The rule `words` (spec 11 section 8.1): documents with more of the words first. Words are given up group by group, so the paths with
 * the first t groups removed are the paths of a graph of their own; a path's cost is the number of terms that it lacks.
 */
export function wordsRule(docs: TermDocs, weightOf: (id: number) => number): RankingRule {
  return {
    readsGraph: true,
    start: (_, graph, needsGraph) => new WordsCursor(docs, graph!, removalGroups(graph!, weightOf), needsGraph),
  };
}

/** The graph without some nodes: their predecessors lead to their successors. */
export function withoutNodes(graph: QueryGraph, removed: ReadonlySet<number>): QueryGraph {
  const next = graph.next.map((_, id) => {
    const targets = new Set<number>();
    const visited = new Set<number>();
    const visit = (from: number): void => {
      for (const to of graph.next[from]!) {
        if (!removed.has(to)) targets.add(to);
        else if (!visited.has(to)) {
          visited.add(to);
          visit(to);
        }
      }
    };
    visit(id);
    return [...targets].sort((a, b) => a - b);
  });
  return { nodes: graph.nodes, next };
}

/** Steps to a term cost the number of terms that it covers: the cost of a path is how many terms it has. */
export function presenceEdges(docs: TermDocs): EdgeBuilder {
  return (_, to) => [{ cost: nodeIdCount(to), docs: () => docs.ofSet(to.term!, to.set), node: to }];
}

/** target |= documents that some path of the graph leads to. */
export function orGraphDocs(docs: TermDocs, graph: QueryGraph, universe: Ptr, target: Ptr): void {
  const finder = new PathFinder(docs.pool, graph, presenceEdges(docs));
  for (const cost of finder.costs()) finder.orDocs(target, cost, universe);
  finder.close();
}

class WordsCursor implements RuleCursor {
  private readonly pool: BitmapPool;
  /** One for each number of removed groups, most removed first. */
  private readonly finders: PathFinder[] = [];
  private readonly termCount: number;
  private readonly maxCost: number;
  private readonly max: number;
  private cost = 0;

  constructor(
    docs: TermDocs,
    private readonly graph: QueryGraph,
    groups: readonly (readonly number[])[],
    private readonly needsGraph: boolean,
  ) {
    this.pool = docs.pool;
    const removed = new Set<number>();
    const graphs = [graph];
    for (const group of groups) {
      for (const node of group) removed.add(node);
      graphs.push(withoutNodes(graph, removed));
    }
    for (const reduced of graphs.reverse()) this.finders.push(new PathFinder(this.pool, reduced, presenceEdges(docs)));
    this.termCount = Math.max(...this.finders.map((finder) => finder.costs().at(-1) ?? 0));
    this.maxCost = this.termCount - Math.min(...this.finders.map((finder) => finder.costs()[0] ?? 0));
    this.max = 1 + Math.max(0, phraseWordCount(graph) - 1) + this.maxCost;
  }

  next(universe: Ptr): RankedBucket | null {
    while (this.cost <= this.maxCost) {
      const cost = this.cost++;
      const kept = this.termCount - cost;
      const docs = this.pool.empty();
      for (const finder of this.finders) finder.orDocs(docs, kept, universe);
      if (this.pool.kernel.isEmpty(docs)) {
        this.pool.giveBack(docs);
        continue;
      }
      const graph = this.needsGraph ? this.creditedGraph(kept, docs) : this.graph;
      return { docs, graph, detail: { kind: 'words', matchingWords: this.max - cost, maxMatchingWords: this.max } };
    }
    return null;
  }

  close(): void {
    for (const finder of this.finders) finder.close();
  }

  private creditedGraph(kept: number, docs: Ptr): QueryGraph {
    const paths: PathNodes[] = [];
    const remaining = this.pool.copyOf(docs);
    for (const finder of this.finders) if (!this.pool.kernel.isEmpty(remaining)) finder.credit(kept, remaining, paths);
    this.pool.giveBack(remaining);
    return graphOfPaths(paths);
  }
}

/** Words inside the query's own phrases, each phrase once. */
function phraseWordCount(graph: QueryGraph): number {
  const seen = new Set<number>();
  let count = 0;
  graph.nodes.forEach((node: GraphNode, id) => {
    if (id === START || id === END || node.term?.kind !== 'phrase' || seen.has(node.term.index)) return;
    seen.add(node.term.index);
    count += node.term.phrase.filter((word) => word !== null).length;
  });
  return count;
}
