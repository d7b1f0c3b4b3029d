/**
 * The algorithm that all graph-based rules share, in two halves. `next` finds a bucket, the documents that match some path of the next
 * cost, backwards from the end, in O(nodes x costs) steps whatever the number of paths. `matchingPaths` walks the paths in the specification's
 * order and keeps those with documents that no earlier path matched; it enters only branches that lead to such a document, so its work is
 * the number of matching paths. Both run in the kernel, which requests the documents of an edge on demand.
 */

import { type Bitmap, type Block, NEEDS_DOCS, type None, type PathPlan } from '@fossick/kernel';
import { END, type GraphNode, graphOfPaths, type PathNodes, type QueryGraph, START } from '../../query/query-graph.js';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { Finder, StepSource } from './finder.js';

/** Parallel edges are answered for the needed documents as long as all of these answers cost such a part of one for all documents. */
const PARTS_SHARE = 2;

/** Costs of an edge to the end node. */
const FREE: readonly number[] = [0];

export class PathFinder implements Finder {
  private readonly pool: BitmapPool;
  private readonly graph: QueryGraph;
  private readonly source: StepSource;
  private readonly universe: Bitmap;
  readonly longest: number;
  readonly shortest: number;
  /** By edge: its source node, target node, index among parallel edges, and cost. */
  private readonly fromOf: number[] = [];
  private readonly toOf: number[] = [];
  private readonly alternativeOf: number[] = [];
  private readonly costOf: number[] = [];
  /** By the first of parallel edges: what answers for some documents have cost, in documents. */
  private readonly spentOn: number[] = [];
  private readonly plan: PathPlan;
  private readonly scratch: Block;
  private readonly byteCount: number;

  /**
   * @param universe the documents to match: it may lose documents meanwhile, and never gain one
   * @param isDescending whether `next` goes by descending cost
   */
  constructor(pool: BitmapPool, graph: QueryGraph, source: StepSource, universe: Bitmap, isDescending: boolean) {
    this.pool = pool;
    this.graph = graph;
    this.source = source;
    this.universe = universe;
    const { kernel } = pool;
    const firstEdges: number[] = [];
    for (let node = 0; node < graph.nodes.length; node++) {
      firstEdges.push(this.toOf.length);
      this.pushEdges(node);
    }
    firstEdges.push(this.toOf.length);
    const [shortest, longest] = new PathLengths(firstEdges, this.toOf, this.costOf).from(START);
    this.shortest = shortest;
    this.longest = longest;
    const shape = { firstEdges, targets: this.toOf, costs: this.costOf, costCount: longest + 1, isDescending };
    this.byteCount = kernel.paths.byteCount(shape, universe);
    this.scratch = pool.scratch(this.byteCount);
    this.plan = kernel.paths.create(pool.ptr, universe, shape, this.scratch);
  }

  next(): Bitmap | None {
    for (;;) {
      this.pool.checkTime();
      const found = this.plan.next();
      if (found !== NEEDS_DOCS) return found;
      this.answer(this.plan.neededEdge);
    }
  }

  get cost(): number {
    return this.plan.foundCost;
  }

  matchingGraph(docs: Bitmap): QueryGraph {
    return graphOfPaths(this.matchingPaths(docs));
  }

  /** The paths of the last found cost that match some of `docs`, in order; each document belongs to its first path. */
  matchingPaths(docs: Bitmap): PathNodes[] {
    const paths: PathNodes[] = [];
    this.plan.walk(docs);
    for (;;) {
      const frameCount = this.plan.nextPath();
      if (frameCount === 0) return paths;
      this.pool.checkTime();
      paths.push(this.pathOf(frameCount - 1));
    }
  }

  close(): void {
    this.plan.end();
    this.pool.releaseScratch(this.scratch, this.byteCount);
    this.source.close?.();
  }

  private pushEdges(node: number): void {
    const { nodes, next } = this.graph;
    const from = nodes[node]!;
    for (const to of next[node]!) {
      const costs = to === END ? FREE : this.source.costs(from, nodes[to]!);
      for (let alternative = 0; alternative < costs.length; alternative++) {
        this.fromOf.push(node);
        this.toOf.push(to);
        this.alternativeOf.push(alternative);
        this.costOf.push(costs[alternative]!);
      }
    }
  }

  private answer(edge: number): void {
    const { nodes } = this.graph;
    const { plan, source } = this;
    const [from, to] = [nodes[this.fromOf[edge]!]!, nodes[this.toOf[edge]!]!];
    const alternative = this.alternativeOf[edge]!;
    const answerCost = source.answerCost?.(from, to, alternative) ?? null;
    if (answerCost !== null && this.answerNeeded(edge, answerCost)) return;
    const docs = source.docs(from, to, alternative);
    if (typeof docs === 'number') {
      plan.setDocs(edge, docs);
      return;
    }
    for (let other = 0; other < docs.length; other++) plan.setDocs(edge - alternative + other, docs[other]!);
  }

  /** Answers an edge for the needed documents, while such answers cost little; false: it is to be answered for all. */
  private answerNeeded(edge: number, answerCost: number): boolean {
    const { plan, pool, source, graph } = this;
    const { bitmaps } = pool.kernel;
    const alternative = this.alternativeOf[edge]!;
    const first = edge - alternative;
    const costMax = bitmaps.count(this.universe) / PARTS_SHARE;
    if (answerCost >= costMax) return false;
    const needed = plan.neededDocs();
    if (needed === 0) {
      plan.skip(edge);
      return true;
    }
    const spent = (this.spentOn[first] ?? 0) + bitmaps.count(needed) + answerCost;
    const isCheap = spent < costMax;
    if (isCheap) {
      this.spentOn[first] = spent;
      const docs = source.docs(graph.nodes[this.fromOf[edge]!]!, graph.nodes[this.toOf[edge]!]!, alternative, needed);
      if (typeof docs === 'number') plan.resolve(edge, docs);
      else for (let other = 0; other < docs.length; other++) plan.resolve(first + other, docs[other]!);
    }
    pool.release(needed);
    return isCheap;
  }

  private pathOf(edgeCount: number): PathNodes {
    const path: GraphNode[] = [];
    for (let at = 0; at < edgeCount; at++) {
      const edge = this.plan.edgeOfFrame(at);
      path.push(this.source.narrowed(this.graph.nodes[this.toOf[edge]!]!, this.alternativeOf[edge]!));
    }
    return path;
  }
}

/** Least and greatest cost from a node to the end. O(edges). */
class PathLengths {
  private readonly firstEdges: readonly number[];
  private readonly targets: readonly number[];
  private readonly costs: readonly number[];
  private readonly known: (readonly [number, number] | undefined)[] = [];

  constructor(firstEdges: readonly number[], targets: readonly number[], costs: readonly number[]) {
    this.firstEdges = firstEdges;
    this.targets = targets;
    this.costs = costs;
  }

  from(node: number): readonly [shortest: number, longest: number] {
    if (node === END) return [0, 0];
    const known = this.known[node];
    if (known) return known;
    let shortest = Number.POSITIVE_INFINITY;
    let longest = 0;
    for (let edge = this.firstEdges[node]!; edge < this.firstEdges[node + 1]!; edge++) {
      const cost = this.costs[edge]!;
      const [least, most] = this.from(this.targets[edge]!);
      shortest = Math.min(shortest, cost + least);
      longest = Math.max(longest, cost + most);
    }
    const found = [shortest, longest] as const;
    this.known[node] = found;
    return found;
  }
}
