/**
 * The algorithm that all graph-based rules share, in two halves. `next` is the bucket: documents that some path of
 * the next cost leads to, found backwards from the end, so that its work is nodes x costs and not the number of paths. `credit` walks the
 * paths in the specification's order and keeps those that bring documents which no earlier one brought; only branches that surely end in
 * such a document are entered, so its work is the number of credited paths. Both are done in the kernel, which asks for the documents of an
 * edge when it needs them.
 */

import { type Kernel, PLAN_EDGE_BYTES, PLAN_FRAME_BYTES, PLAN_HEADER_BYTES, type Ptr } from '@fossick/kernel';
import { END, type GraphNode, graphOfPaths, type PathNodes, type QueryGraph, START } from '@fossick/query';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { Finder, StepSource } from './finder.js';
import { onlyNode, SingleFinder } from './single-finder.js';

/**
 * @param universe what `next` may be asked for: it may lose documents meanwhile, and never get one
 * @param dearestFirst whether `next` begins with the dearest paths
 */
export function createFinder(
  pool: BitmapPool,
  graph: QueryGraph,
  source: StepSource,
  universe: Ptr,
  dearestFirst = false,
): Finder {
  const only = onlyNode(graph);
  return only
    ? new SingleFinder(pool, graph, only, source, universe)
    : new PathFinder(pool, graph, source, universe, dearestFirst);
}

/** Documents that are not known yet, and the costs of an edge to the end. */
const UNKNOWN = -1;
const FREE: readonly number[] = [0];
const EDGE_WORDS = PLAN_EDGE_BYTES / 4;
/** Documents of a lane of a bitmap; a plan has room for the number of each lane. */
const LANE_BITS = 128;
/** Of the plan's header, in words: which cost was found last. */
const FOUND_COST_AT = 7;

export class PathFinder implements Finder {
  private readonly pool: BitmapPool;
  private readonly graph: QueryGraph;
  private readonly source: StepSource;
  readonly longest: number;
  readonly shortest: number;
  private readonly kernel: Kernel;
  /** By edge: the node that it leads from, the one it leads to, and its place among the ways between them. */
  private readonly fromOf: number[] = [];
  private readonly toOf: number[] = [];
  private readonly wayOf: number[] = [];
  private readonly plan: Ptr;
  private readonly byteCount: number;
  private readonly framesAt: Ptr;
  private readonly edgesAt: Ptr;

  /** @see createFinder */
  constructor(pool: BitmapPool, graph: QueryGraph, source: StepSource, universe: Ptr, dearestFirst: boolean) {
    this.pool = pool;
    this.graph = graph;
    this.source = source;
    this.kernel = pool.kernel;
    const { length: nodeCount } = graph.nodes;
    const firstEdges: number[] = [];
    const edges: number[] = [];
    for (let node = 0; node < nodeCount; node++) {
      firstEdges.push(this.toOf.length);
      this.pushEdges(node, edges);
    }
    firstEdges.push(this.toOf.length);
    const [shortest, longest] = new PathLengths(firstEdges, edges).from(START);
    this.shortest = shortest;
    this.longest = longest;
    const costCount = longest + 1;
    const header = [pool.ptr, universe, nodeCount, this.toOf.length, costCount, dearestFirst ? longest : 0];
    header.push(dearestFirst ? -1 : 1, 0, 0, 0, 0, 0);
    const edgesByte = PLAN_HEADER_BYTES + (nodeCount + 1) * 4;
    const framesByte = edgesByte + this.toOf.length * PLAN_EDGE_BYTES;
    const lanesByte = framesByte + (nodeCount + 1) * PLAN_FRAME_BYTES + nodeCount * costCount * 4;
    this.byteCount = lanesByte + (this.kernel.bitCapacity(universe) / LANE_BITS) * 4;
    this.plan = pool.room(this.byteCount);
    this.edgesAt = this.plan + edgesByte;
    this.framesAt = this.plan + framesByte;
    this.kernel.writeU32(this.plan, header);
    this.kernel.writeU32(this.plan + PLAN_HEADER_BYTES, firstEdges);
    this.kernel.writeU32(this.edgesAt, edges);
    this.kernel.pathsStart(this.plan);
  }

  next(): Ptr {
    const { kernel, plan } = this;
    for (;;) {
      this.pool.checkTime();
      const found = kernel.pathsNext(plan);
      if ((found & 1) === 0) return found;
      this.answer(found >>> 1);
    }
  }

  get cost(): number {
    return this.kernel.loadU32(this.plan + FOUND_COST_AT * 4);
  }

  creditedGraph(docs: Ptr): QueryGraph {
    return graphOfPaths(this.credit(docs));
  }

  /** The paths of the cost found last that bring some of `docs`, in order; each document goes to the first one. */
  credit(docs: Ptr): PathNodes[] {
    const paths: PathNodes[] = [];
    this.kernel.pathsCredit(this.plan, docs);
    for (;;) {
      const frameCount = this.kernel.pathsCreditNext(this.plan);
      if (frameCount === 0) return paths;
      this.pool.checkTime();
      paths.push(this.pathOf(frameCount - 1));
    }
  }

  close(): void {
    this.kernel.pathsEnd(this.plan);
    this.pool.giveBackRoom(this.plan, this.byteCount);
    this.source.close?.();
  }

  private pushEdges(node: number, edges: number[]): void {
    const { nodes, next } = this.graph;
    const from = nodes[node]!;
    for (const to of next[node]!) {
      const costs = to === END ? FREE : this.source.costs(from, nodes[to]!);
      for (let way = 0; way < costs.length; way++) {
        edges.push(to, costs[way]!, UNKNOWN, UNKNOWN);
        this.fromOf.push(node);
        this.toOf.push(to);
        this.wayOf.push(way);
      }
    }
  }

  private answer(edge: number): void {
    const { nodes } = this.graph;
    const way = this.wayOf[edge]!;
    const docs = this.source.docs(nodes[this.fromOf[edge]!]!, nodes[this.toOf[edge]!]!, way);
    if (typeof docs === 'number') {
      this.kernel.storeU32(this.edgesAt + edge * PLAN_EDGE_BYTES + 8, docs);
      return;
    }
    let at = this.edgesAt + (edge - way) * PLAN_EDGE_BYTES + 8;
    for (let other = 0; other < docs.length; other++, at += PLAN_EDGE_BYTES) this.kernel.storeU32(at, docs[other]!);
  }

  private pathOf(edgeCount: number): PathNodes {
    const path: GraphNode[] = [];
    for (let at = 0; at < edgeCount; at++) {
      const edge = this.kernel.loadU32(this.framesAt + at * PLAN_FRAME_BYTES + 16);
      path.push(this.source.narrowed(this.graph.nodes[this.toOf[edge]!]!, this.wayOf[edge]!));
    }
    return path;
  }
}

/** Least and greatest cost from a node to the end. O(edges). */
class PathLengths {
  private readonly firstEdges: readonly number[];
  private readonly edges: readonly number[];
  private readonly known: (readonly [number, number] | undefined)[] = [];

  constructor(firstEdges: readonly number[], edges: readonly number[]) {
    this.firstEdges = firstEdges;
    this.edges = edges;
  }

  from(node: number): readonly [shortest: number, longest: number] {
    if (node === END) return [0, 0];
    const known = this.known[node];
    if (known) return known;
    let shortest = Number.POSITIVE_INFINITY;
    let longest = 0;
    for (let edge = this.firstEdges[node]!; edge < this.firstEdges[node + 1]!; edge++) {
      const cost = this.edges[edge * EDGE_WORDS + 1]!;
      const [least, most] = this.from(this.edges[edge * EDGE_WORDS]!);
      shortest = Math.min(shortest, cost + least);
      longest = Math.max(longest, cost + most);
    }
    const found = [shortest, longest] as const;
    this.known[node] = found;
    return found;
  }
}
