import type { Bitmap, None } from './ptr.js';

/** Answer of a plan that lacks the documents of an edge. Bitmaps lie at multiples of 16. */
export const NEEDS_DOCS = 1;

/** A graph whose edges have costs. Node 0 is the start, node 1 the end; ways between two nodes are edges side by side. */
export interface PathPlanShape {
  /** By node, and one more: its first edge. Edges are in the order of the nodes that they leave. */
  readonly firstEdges: readonly number[];
  /** By edge: the node that it leads to, and what it costs. */
  readonly targets: readonly number[];
  readonly costs: readonly number[];
  /** One more than the dearest path may cost. */
  readonly costCount: number;
  readonly isDearestFirst: boolean;
}

/** Ways through a graph, cheapest or dearest first, as the kernel walks them. It lies in memory of whoever made it, until `end`. */
export interface PathPlan {
  /**
   * Documents of the plan's universe, which may have lost some since the start, with a way of the plan's next cost that has any, in a
   * bitmap of the pool; 0 when no cost is left. NEEDS_DOCS: it needs the documents of `neededEdge` first.
   */
  next(): Bitmap | None | typeof NEEDS_DOCS;
  readonly neededEdge: number;
  /** The cost that `next` found documents for last. */
  readonly foundCost: number;
  /** Documents that meet the condition of an edge; 0 for none. */
  setDocs(edge: number, docs: Bitmap | None): void;
  /** Begins the walk over paths of the cost found last that bring some of `docs`, to be asked for before the universe loses them. */
  credit(docs: Bitmap): void;
  /** The next path that brings some that no earlier one brought: how many frames hold its edges, the last one to the end; 0 for none. */
  nextCredited(): number;
  edgeOfFrame(frame: number): number;
  /** Gives the plan's bitmaps back to its pool. */
  end(): void;
}
