import type { Bitmap, None } from '@fossick/kernel';
import { END, type GraphNode, nodeIdCount, type QueryGraph, removalGroups, START } from '../../query/query-graph.js';
import { isIndexedWord } from '../../query/query-terms.js';
import { createFinder } from '../paths/create-finder.js';
import type { StepSource } from '../paths/finder.js';
import { onlyNode } from '../paths/single-finder.js';
import type { TermDocs } from '../terms/term-docs.js';
import { GraphCursor } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';
import type { ScoreDetail } from './score-details.js';

/**
 * The rule `words`: documents with more of the words rank first. The cost of a path is here the number of terms it
 * keeps: every path covers each term once, so the kept terms determine the dropped ones.
 */
export function wordsRule(docs: TermDocs, weightOf: (id: number) => number): RankingRule {
  return {
    readsGraph: true,
    isScored: true,
    start: (universe, graph, needsGraph) => {
      // The last word is never dropped.
      const skipping = onlyNode(graph!) ? graph! : skippingGraph(graph!, removalGroups(graph!, weightOf));
      const finder = createFinder(docs.pool, skipping, new PresenceSteps(docs, false), universe, true);
      const max = 1 + Math.max(0, phraseWordCount(graph!) - 1) + finder.longest - finder.shortest;
      const detail = (kept: number): ScoreDetail => ({
        kind: 'words',
        matchingWords: max - (finder.longest - kept),
        maxMatchingWords: max,
      });
      return new GraphCursor(graph!, finder, detail, needsGraph);
    },
  };
}

/** The graph without some nodes: their predecessors are linked to their successors. */
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

/** Costs of a step by the number of terms that it covers: the cost of a path is its number of terms. */
const TERM_COUNT_COSTS: readonly (readonly number[])[] = [[0], [1], [2], [3]];

/** Steps to a term, by the documents that contain it. */
class PresenceSteps implements StepSource {
  private readonly docsOf: TermDocs;
  private readonly isFree: boolean;

  constructor(docsOf: TermDocs, isFree: boolean) {
    this.docsOf = docsOf;
    this.isFree = isFree;
  }

  costs(_from: GraphNode, to: GraphNode): readonly number[] {
    return TERM_COUNT_COSTS[this.isFree ? 0 : nodeIdCount(to)]!;
  }

  docs(_from: GraphNode, to: GraphNode): Bitmap {
    return this.docsOf.ofSet(to.term!, to.set);
  }

  narrowed(to: GraphNode): GraphNode {
    return to;
  }
}

/** Documents of the universe that match some path of the graph, as a bitmap owned by the caller; 0 for none. */
export function graphDocs(docs: TermDocs, graph: QueryGraph, universe: Bitmap): Bitmap | None {
  const finder = createFinder(docs.pool, graph, new PresenceSteps(docs, true), universe);
  const found = finder.next();
  finder.close();
  return found;
}

/**
 * The graph of all ways to drop words: a node for each term and each highest group dropped before it. A term may be skipped when it
 * is in a removal group; after that, terms of earlier groups may not be used any more.
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

/** Words inside the query's own phrases, each phrase once. */
function phraseWordCount(graph: QueryGraph): number {
  const seen = new Set<number>();
  let count = 0;
  graph.nodes.forEach((node: GraphNode, id) => {
    if (id === START || id === END || node.term?.kind !== 'phrase' || seen.has(node.term.index)) return;
    seen.add(node.term.index);
    count += node.term.phrase.filter(isIndexedWord).length;
  });
  return count;
}
