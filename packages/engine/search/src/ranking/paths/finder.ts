import type { Bitmap, None } from '@fossick/kernel';
import type { GraphNode, QueryGraph } from '../../query/query-graph.js';

/** Finds the buckets of a rule in a graph, and the paths that match them. */
export interface Finder {
  /** The greatest and the least cost of a path of this graph, whether or not documents match it. */
  readonly longest: number;
  readonly shortest: number;
  /** Documents of the universe that match a path of the next cost with matches, as a bitmap owned by the caller; 0 when no cost is left. */
  next(): Bitmap | None;
  /** The cost of the documents that `next` found last. */
  readonly cost: number;
  /** The graph of the paths of that cost that match documents of `docs`. Must be called before the universe loses these documents. */
  matchingGraph(docs: Bitmap): QueryGraph;
  close(): void;
}

/** The costs and documents of a rule's steps from one term to the next. */
export interface StepSource {
  /** Costs of the edges to `to`, ascending; edges of one cost are in the rule's order. */
  costs(from: GraphNode, to: GraphNode): readonly number[];
  /**
   * Documents that match an edge, by its index among the costs, or those of all parallel edges at once; 0 for none. The source keeps
   * ownership. `within`: the answer is needed in these documents only, and may lack others, apart from those of earlier answers. Absent: in all.
   */
  docs(
    from: GraphNode,
    to: GraphNode,
    alternative: number,
    within?: Bitmap,
  ): Bitmap | None | readonly (Bitmap | None)[];
  /**
   * Where `docs` of an edge costs less within fewer documents: as many documents as cost what each answer costs besides; null elsewhere. Absent: null for
   * all edges.
   */
  answerCost?(from: GraphNode, to: GraphNode, alternative: number): number | null;
  /** The node as passed to the next rule. */
  narrowed(to: GraphNode, alternative: number): GraphNode;
  /** Frees its bitmaps. */
  close?(): void;
}
