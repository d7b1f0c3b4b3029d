import type { Ptr } from '@fossick/kernel';
import type { BitmapPool } from '../bitmap-pool.js';
import { type EdgeBuilder, PathFinder } from '../path-finder.js';
import {
  END,
  type GraphNode,
  graphOfPaths,
  nodeIdCount,
  type PathNodes,
  type QueryGraph,
  removalGroups,
  START,
} from '../query-graph.js';
import type { TermDocs } from '../term-docs.js';
import type { RankedBucket, RankingRule, RuleCursor } from './ranking-rule.js';

/**
 * The rule `words` (spec 11 section 8.1): documents with more of the words first. The cost of a path is here the number of terms that it
 * keeps: every path covers all terms once, so what it keeps tells what it lacks.
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

/**
 * The graph of all ways to give up words: a node for each term and each highest group given up before it. A term may be skipped when
 * it is in a removal group; after that, terms of earlier groups may not be taken any more.
 */
export function skippingGraph(graph: QueryGraph, groups: readonly (readonly number[])[]): QueryGraph {
  const groupOf = new Map(groups.flatMap((group, at) => group.map((nodeId) => [nodeId, at] as const)));
  const nodes: GraphNode[] = [graph.nodes[START]!, graph.nodes[END]!];
  const next: number[][] = [[], []];
  const ids = new Map<string, number>();
  const idOf = (nodeId: number, skipped: number): number => {
    const key = `${nodeId}.${skipped}`;
    let id = ids.get(key);
    if (id === undefined) {
      id = nodes.push(graph.nodes[nodeId]!) - 1;
      next.push([]);
      ids.set(key, id);
      next[id] = targets(nodeId, skipped);
    }
    return id;
  };
  const targets = (nodeId: number, skipped: number): number[] => {
    const found = new Set<number>();
    for (const to of graph.next[nodeId]!) {
      const group = groupOf.get(to);
      if (to === END) found.add(END);
      else {
        if (group !== undefined) for (const beyond of targets(to, Math.max(skipped, group))) found.add(beyond);
        if (group === undefined || group >= skipped) found.add(idOf(to, skipped));
      }
    }
    return [...found];
  };
  next[START] = targets(START, -1);
  return { nodes, next };
}

class WordsCursor implements RuleCursor {
  private readonly pool: BitmapPool;
  private readonly finder: PathFinder;
  /** Numbers of terms that a path may keep, most first. */
  private readonly keptCounts: readonly number[];
  private readonly max: number;
  private at = 0;

  constructor(
    docs: TermDocs,
    private readonly graph: QueryGraph,
    groups: readonly (readonly number[])[],
    private readonly needsGraph: boolean,
  ) {
    this.pool = docs.pool;
    this.finder = new PathFinder(this.pool, skippingGraph(graph, groups), presenceEdges(docs));
    this.keptCounts = this.finder.costs().reverse();
    const lostMax = (this.keptCounts[0] ?? 0) - (this.keptCounts.at(-1) ?? 0);
    this.max = 1 + Math.max(0, phraseWordCount(graph) - 1) + lostMax;
  }

  next(universe: Ptr): RankedBucket | null {
    while (this.at < this.keptCounts.length) {
      const kept = this.keptCounts[this.at++]!;
      const docs = this.pool.empty();
      this.finder.orDocs(docs, kept, universe);
      if (this.pool.kernel.isEmpty(docs)) {
        this.pool.giveBack(docs);
        continue;
      }
      const graph = this.needsGraph ? this.creditedGraph(kept, docs) : this.graph;
      const matchingWords = this.max - (this.keptCounts[0]! - kept);
      return { docs, graph, detail: { kind: 'words', matchingWords, maxMatchingWords: this.max } };
    }
    return null;
  }

  close(): void {
    this.finder.close();
  }

  private creditedGraph(kept: number, docs: Ptr): QueryGraph {
    const paths: PathNodes[] = [];
    const remaining = this.pool.copyOf(docs);
    this.finder.credit(kept, remaining, paths);
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
