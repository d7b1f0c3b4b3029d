import type { Bitmap, NEEDS_DOCS, None } from '../ptr.js';

/** A graph whose edges have costs. Node 0 is the start, node 1 the end; alternatives between two nodes are parallel edges. */
export interface PathPlanShape {
  /** By node, plus one entry at the end: its first edge. Edges are ordered by the node that they leave. */
  readonly firstEdges: readonly number[];
  /** By edge: the node that it leads to, and its cost. */
  readonly targets: readonly number[];
  readonly costs: readonly number[];
  /** One more than the greatest cost of a path. */
  readonly costCount: number;
  readonly isDearestFirst: boolean;
}

/** Paths through a graph, by ascending or descending cost, as the kernel walks them. The plan is in its caller's memory, until `end`. */
export interface PathPlan {
  /**
   * Documents of the plan's universe (which may have lost some since the start) that match a path of the next cost that has any, in a bitmap of the pool; 0
   * when no cost is left. NEEDS_DOCS: the documents of `neededEdge` are needed first.
   */
  next(): Bitmap | None | typeof NEEDS_DOCS;
  readonly neededEdge: number;
  /** The cost of the documents that `next` returned last. */
  readonly foundCost: number;
  /** Sets all documents that match an edge; 0 for none. */
  setDocs(edge: number, docs: Bitmap | None): void;
  /** The documents in which `neededEdge` has to be known, as a bitmap that the caller returns to the pool; 0 when the universe has lost all of them. */
  neededDocs(): Bitmap | None;
  /**
   * Sets the documents that match the needed edge, or one parallel to it: `docs` is right in the needed documents and those of earlier calls. The edge is
   * needed again for others.
   */
  resolve(edge: number, docs: Bitmap | None): void;
  /** The same when the universe has lost all needed documents. */
  skip(edge: number): void;
  /** Begins the walk over the paths of the last found cost that match some of `docs`, which the universe must still have. */
  credit(docs: Bitmap): void;
  /** The next path that matches documents that no earlier path matched: how many frames hold its edges, the last one to the end; 0 for none. */
  nextCredited(): number;
  edgeOfFrame(frame: number): number;
  /** Returns the plan's bitmaps to its pool. */
  end(): void;
}
