import type { Bitmap, None } from '@fossick/kernel';
import { END, type GraphNode, type QueryGraph, START } from '../../query/query-graph.js';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { Finder, StepSource } from './finder.js';

/** The only node between start and end of a graph; null when there are several, or an edge that skips it. */
export function onlyNode({ nodes, next }: QueryGraph): GraphNode | null {
  const first = next[START]!;
  if (first.length !== 1 || first[0] === END) return null;
  const after = next[first[0]!]!;
  return after.length === 1 && after[0] === END ? nodes[first[0]!]! : null;
}

/** Finds paths through a graph of one term: each edge to it is a path, and a bucket of its own unless another has the same cost. */
export class SingleFinder implements Finder {
  private readonly pool: BitmapPool;
  private readonly graph: QueryGraph;
  private readonly node: GraphNode;
  private readonly source: StepSource;
  private readonly universe: Bitmap;
  readonly longest: number;
  readonly shortest: number;
  private readonly start: GraphNode;
  private readonly costs: readonly number[];
  private alternative: number;

  constructor(pool: BitmapPool, graph: QueryGraph, node: GraphNode, source: StepSource, universe: Bitmap) {
    this.pool = pool;
    this.graph = graph;
    this.node = node;
    this.source = source;
    this.universe = universe;
    this.start = graph.nodes[START]!;
    this.costs = source.costs(this.start, node);
    this.shortest = this.costs[0]!;
    this.longest = this.costs.at(-1)!;
    this.alternative = -1;
  }

  next(): Bitmap | None {
    const { source, pool, start, node, universe } = this;
    while (++this.alternative < this.costs.length) {
      pool.checkTime();
      const answer = source.docs(start, node, this.alternative);
      const docs = typeof answer === 'number' ? answer : answer[this.alternative]!;
      if (docs === 0) continue;
      const found = pool.intersection(docs, universe);
      if (found !== 0) return found;
    }
    return 0;
  }

  get cost(): number {
    return this.costs[this.alternative]!;
  }

  matchingGraph(): QueryGraph {
    const node = this.source.narrowed(this.node, this.alternative);
    if (node === this.node && this.graph.nodes.length === 3) return this.graph;
    const { nodes } = this.graph;
    return { nodes: [nodes[START]!, nodes[END]!, node], next: [[2], [], [END]] };
  }

  close(): void {
    this.source.close?.();
  }
}
