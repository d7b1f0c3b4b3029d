/**
 * Finds buckets from the start of a graph instead of its end: an edge is then needed only in documents that match a path up to it. The last word of
 * a query is often a prefix, whose many lists are the costliest to read. Documents belong to paths in the order of the specification, by a plan of the bucket alone.
 */
import type { Bitmap, None } from '@fossick/kernel';
import { END, type GraphNode, graphOfPaths, type PathNodes, type QueryGraph, START } from '../../query/query-graph.js';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { Finder, StepSource } from './finder.js';
import { PathFinder } from './path-finder.js';

type EdgeDocs = readonly (Bitmap | None)[];

export class ForwardFinder implements Finder {
  private readonly pool: BitmapPool;
  private readonly graph: QueryGraph;
  private readonly source: StepSource;
  private readonly reversed: ReversedSource;
  private readonly finder: PathFinder;

  /** @param universe it may lose documents meanwhile, and never gain one */
  constructor(pool: BitmapPool, graph: QueryGraph, source: StepSource, universe: Bitmap) {
    this.pool = pool;
    this.graph = graph;
    this.source = source;
    this.reversed = new ReversedSource(source, universe);
    this.finder = new PathFinder(pool, reversedGraph(graph), this.reversed, universe, false);
  }

  get longest(): number {
    return this.finder.longest;
  }

  get shortest(): number {
    return this.finder.shortest;
  }

  get cost(): number {
    return this.finder.cost;
  }

  next(): Bitmap | None {
    return this.finder.next();
  }

  matchingGraph(docs: Bitmap): QueryGraph {
    return graphOfPaths(this.matchingPaths(docs));
  }

  /** As that of a PathFinder. */
  matchingPaths(docs: Bitmap): PathNodes[] {
    const { pool, graph, source, reversed } = this;
    // an edge that was not asked for is on no path of these documents
    const known: StepSource = {
      costs: (from, to) => source.costs(from, to),
      docs: (from, to, alternative) => reversed.answered(from, to)?.[alternative] ?? 0,
      narrowed: (to, alternative) => source.narrowed(to, alternative),
    };
    const finder = new PathFinder(pool, graph, known, docs, false);
    const found = finder.next();
    const paths = finder.matchingPaths(docs);
    if (found !== 0) pool.release(found);
    finder.close();
    return paths;
  }

  close(): void {
    this.finder.close();
  }
}

/** The graph with all edges turned around. The node of the start comes last, before the edge to the end, because an edge to the end has no documents. */
function reversedGraph({ nodes, next }: QueryGraph): QueryGraph {
  const start = nodes.length;
  const turned: number[][] = [...nodes.map(() => []), [END]];
  next.forEach((targets, from) => {
    for (const to of targets) turned[to === END ? START : to]!.push(from === START ? start : from);
  });
  turned[END] = [];
  return { nodes: [nodes[END]!, nodes[END]!, ...nodes.slice(END + 1), nodes[START]!], next: turned };
}

/** Costs of the edges that led to the end. */
const FREE: readonly number[] = [0];

/** Answers edges of the turned graph, and keeps the answers. A turned edge that leaves a node without a term led to the end. */
class ReversedSource implements StepSource {
  private readonly source: StepSource;
  private readonly universe: Bitmap;
  private readonly answers = new Map<GraphNode, Map<GraphNode, (Bitmap | None)[]>>();

  constructor(source: StepSource, universe: Bitmap) {
    this.source = source;
    this.universe = universe;
  }

  costs(from: GraphNode, to: GraphNode): readonly number[] {
    return from.term === null ? FREE : this.source.costs(to, from);
  }

  answerCost(from: GraphNode, to: GraphNode, alternative: number): number | null {
    return from.term === null ? null : (this.source.answerCost?.(to, from, alternative) ?? null);
  }

  docs(from: GraphNode, to: GraphNode, alternative: number, within?: Bitmap): Bitmap | None | EdgeDocs {
    if (from.term === null) return this.universe;
    const docs = this.source.docs(to, from, alternative, within);
    const ofEdges = this.answersOf(to, from);
    if (typeof docs === 'number') ofEdges[alternative] = docs;
    else for (const [other, each] of docs.entries()) ofEdges[other] = each;
    return docs;
  }

  narrowed(to: GraphNode): GraphNode {
    return to;
  }

  /** The documents of parallel edges of the graph by alternative, as far as they were asked for. */
  answered(from: GraphNode, to: GraphNode): EdgeDocs | undefined {
    return this.answers.get(from)?.get(to);
  }

  close(): void {
    this.source.close?.();
  }

  private answersOf(from: GraphNode, to: GraphNode): (Bitmap | None)[] {
    let byTarget = this.answers.get(from);
    if (byTarget === undefined) {
      byTarget = new Map();
      this.answers.set(from, byTarget);
    }
    let answers = byTarget.get(to);
    if (answers === undefined) {
      answers = [];
      byTarget.set(to, answers);
    }
    return answers;
  }
}
