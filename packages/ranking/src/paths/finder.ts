import type { Bitmap, None } from '@fossick/kernel';
import type { GraphNode, QueryGraph } from '@fossick/query';

/** Finds the buckets of a rule in a graph, and what earned them. */
export interface Finder {
  /** The cost of the dearest and of the cheapest path that there may be, by structure alone. */
  readonly longest: number;
  readonly shortest: number;
  /** Documents of the universe with a path of the next cost that has any, a bitmap of the caller's; 0 when no cost is left. */
  next(): Bitmap | None;
  /** The cost of the documents that `next` found last. */
  readonly cost: number;
  /** The graph of the paths of that cost that bring documents of `docs`, to be asked for before the universe loses them. */
  creditedGraph(docs: Bitmap): QueryGraph;
  close(): void;
}

/** What a rule knows about the steps from one term to the next. */
export interface StepSource {
  /** What each way to step to `to` costs, in the rule's order, ascending. */
  costs(from: GraphNode, to: GraphNode): readonly number[];
  /**
   * Documents that meet the condition of a way, by its place among the costs, or those of all ways at once; 0 for none. They stay the
   * source's own.
   */
  docs(from: GraphNode, to: GraphNode, way: number): Bitmap | None | readonly (Bitmap | None)[];
  /** The node as the next rule shall see it. */
  narrowed(to: GraphNode, way: number): GraphNode;
  /** Gives its bitmaps back. */
  close?(): void;
}
