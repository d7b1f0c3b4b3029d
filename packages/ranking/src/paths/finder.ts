import type { Bitmap, None } from '@fossick/kernel';
import type { GraphNode, QueryGraph } from '@fossick/query';

/** Finds the buckets of a rule in a graph, and what earned them. */
export interface Finder {
  /** The highest and the lowest cost that a path of this graph can have, whether or not documents match it. */
  readonly longest: number;
  readonly shortest: number;
  /** Documents of the universe that match a path of the next cost with matches, as a bitmap owned by the caller; 0 when no cost is left. */
  next(): Bitmap | None;
  /** The cost of the documents that `next` found last. */
  readonly cost: number;
  /** The graph of those paths of that cost that match documents of `docs`. To be called before the universe loses these documents. */
  creditedGraph(docs: Bitmap): QueryGraph;
  close(): void;
}

/** What a rule knows about the steps from one term to the next. */
export interface StepSource {
  /** Costs of the edges to `to`, ascending; edges of one cost are in the rule's order. */
  costs(from: GraphNode, to: GraphNode): readonly number[];
  /**
   * Documents that meet the condition of a way, by its place among the costs, or those of all ways at once; 0 for none. They stay the
   * source's own.
   */
  docs(from: GraphNode, to: GraphNode, alternative: number): Bitmap | None | readonly (Bitmap | None)[];
  /** The node as the next rule gets it. */
  narrowed(to: GraphNode, alternative: number): GraphNode;
  /** Frees its bitmaps. */
  close?(): void;
}
