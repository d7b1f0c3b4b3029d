/**
 * The algorithm that all graph-based rules share (spec 11 section 4), in two halves. `docs(cost)` is the bucket: documents that some
 * path of exactly this cost leads to, found backwards from the end, so that its work is nodes x costs and not the number of paths.
 * `credit(cost)` walks the paths in the specification's order and keeps those that bring documents which no earlier one brought; only
 * branches that surely end in such a document are entered, so its work is the number of credited paths.
 */
import type { Kernel, Ptr } from '@fossick/kernel';
import type { BitmapPool } from './bitmap-pool.js';
import { END, type GraphNode, type PathNodes, type QueryGraph, START } from './query-graph.js';

/** One way to step to a node. */
export interface RuleEdge {
  readonly cost: number;
  /** Documents that meet the condition; 0 for none. Asked at most once for an edge. */
  readonly docs: () => Ptr;
  /** The node as the next rule shall see it. */
  readonly node: GraphNode;
}

/** The edges of a rule from one term to the next, in the rule's order. */
export type EdgeBuilder = (from: GraphNode, to: GraphNode) => readonly RuleEdge[];

interface Edge {
  readonly cost: number;
  readonly to: number;
  readonly node: GraphNode | null;
  /** undefined: not yet asked; 0: nothing; EVERYTHING: all documents. */
  docs: Ptr | undefined;
  readonly find: (() => Ptr) | null;
}

/** Stands for "all documents of the universe". */
const EVERYTHING = -1;

export class PathFinder {
  private readonly kernel: Kernel;
  private readonly edges: (readonly Edge[] | undefined)[] = [];
  private readonly costSets: (ReadonlySet<number> | undefined)[] = [];
  private readonly reached = new Map<number, Ptr>();
  private readonly owned: Ptr[] = [];

  constructor(
    private readonly pool: BitmapPool,
    private readonly graph: QueryGraph,
    private readonly buildEdges: EdgeBuilder,
  ) {
    this.kernel = pool.kernel;
  }

  /** All costs that a path may have, by structure alone, ascending. */
  costs(): number[] {
    return [...this.costsFrom(START)].sort((a, b) => a - b);
  }

  /** target |= documents of `universe` that a path of exactly this cost leads to. */
  orDocs(target: Ptr, cost: number, universe: Ptr): void {
    const docs = this.reach(START, cost);
    if (docs === 0) return;
    if (docs === EVERYTHING) {
      this.kernel.or(target, universe);
      return;
    }
    const within = this.pool.intersection(docs, universe);
    this.kernel.or(target, within);
    this.pool.giveBack(within);
  }

  /** Appends the paths of this cost that bring documents of `remaining`, and takes those documents out of it. */
  credit(cost: number, remaining: Ptr, paths: PathNodes[]): void {
    this.creditFrom(START, cost, remaining, EVERYTHING, [], paths);
  }

  close(): void {
    for (const bitmap of this.owned) this.pool.giveBack(bitmap);
  }

  private creditFrom(
    nodeId: number,
    cost: number,
    remaining: Ptr,
    prefix: Ptr,
    path: GraphNode[],
    paths: PathNodes[],
  ): void {
    for (const edge of this.edgesOf(nodeId)) {
      const rest = cost - edge.cost;
      if (rest < 0) continue;
      if (edge.to === END) {
        if (rest !== 0) continue;
        paths.push([...path]);
        if (prefix === EVERYTHING) this.kernel.clear(remaining);
        else this.kernel.andNot(remaining, prefix);
        continue;
      }
      const suffix = this.reach(edge.to, rest);
      const docs = suffix === 0 ? 0 : this.docsOf(edge);
      if (docs === 0) continue;
      this.pool.checkTime();
      const here = this.pool.copyOf(remaining);
      for (const part of [prefix, docs, suffix]) if (part !== EVERYTHING) this.kernel.and(here, part);
      if (!this.kernel.isEmpty(here)) {
        path.push(edge.node!);
        this.creditFrom(edge.to, rest, remaining, here, path, paths);
        path.pop();
      }
      this.pool.giveBack(here);
    }
  }

  /** Documents from which the end is reached from this node at exactly this cost. */
  private reach(nodeId: number, cost: number): Ptr {
    if (nodeId === END) return cost === 0 ? EVERYTHING : 0;
    if (!this.costsFrom(nodeId).has(cost)) return 0;
    const key = cost * 4096 + nodeId;
    const known = this.reached.get(key);
    if (known !== undefined) return known;
    let found: Ptr = 0;
    for (const edge of this.edgesOf(nodeId)) {
      if (edge.cost > cost) continue;
      const suffix = this.reach(edge.to, cost - edge.cost);
      if (suffix === 0) continue;
      const docs = this.docsOf(edge);
      if (docs === 0) continue;
      this.pool.checkTime();
      if (docs === EVERYTHING && suffix === EVERYTHING) {
        found = EVERYTHING;
        break;
      }
      found = this.addIntersection(found, docs, suffix);
    }
    if (found > 0 && this.kernel.isEmpty(found)) found = 0;
    this.reached.set(key, found);
    return found;
  }

  private addIntersection(found: Ptr, docs: Ptr, suffix: Ptr): Ptr {
    const both =
      docs === EVERYTHING
        ? this.pool.copyOf(suffix)
        : suffix === EVERYTHING
          ? this.pool.copyOf(docs)
          : this.pool.intersection(docs, suffix);
    if (found === 0) {
      this.owned.push(both);
      return both;
    }
    this.kernel.or(found, both);
    this.pool.giveBack(both);
    return found;
  }

  private docsOf(edge: Edge): Ptr {
    if (edge.docs === undefined) {
      this.pool.checkTime();
      const docs = edge.find!();
      edge.docs = docs === 0 || this.kernel.isEmpty(docs) ? 0 : docs;
    }
    return edge.docs;
  }

  private edgesOf(nodeId: number): readonly Edge[] {
    let edges = this.edges[nodeId];
    if (!edges) {
      const from = this.graph.nodes[nodeId]!;
      edges = this.graph.next[nodeId]!.flatMap((to): Edge[] => {
        if (to === END) return [{ cost: 0, to, node: null, docs: EVERYTHING, find: null }];
        return this.buildEdges(from, this.graph.nodes[to]!).map(({ cost, docs, node }) => ({
          cost,
          to,
          node,
          docs: undefined,
          find: docs,
        }));
      });
      this.edges[nodeId] = edges;
    }
    return edges;
  }

  private costsFrom(nodeId: number): ReadonlySet<number> {
    let costs = this.costSets[nodeId];
    if (!costs) {
      const found = new Set<number>();
      if (nodeId === END) found.add(0);
      else
        for (const edge of this.edgesOf(nodeId))
          for (const rest of this.costsFrom(edge.to)) found.add(edge.cost + rest);
      costs = found;
      this.costSets[nodeId] = costs;
    }
    return costs;
  }
}
