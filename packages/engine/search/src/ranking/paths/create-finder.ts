import type { Bitmap } from '@fossick/kernel';
import { END, type QueryGraph, START } from '../../query/query-graph.js';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { Finder, StepSource } from './finder.js';
import { ForwardFinder } from './forward-finder.js';
import { PathFinder } from './path-finder.js';
import { onlyNode, SingleFinder } from './single-finder.js';

/** With fewer documents, answers for some of them and a plan for the paths of each bucket cost more than is saved. */
const FORWARD_DOCS_MIN = 16_384;

/**
 * @param universe the documents to match: it may lose documents meanwhile, and never gain one
 * @param costliestFirst whether `next` goes by descending cost
 */
export function createFinder(
  pool: BitmapPool,
  graph: QueryGraph,
  source: StepSource,
  universe: Bitmap,
  costliestFirst = false,
): Finder {
  const only = onlyNode(graph);
  if (only) return new SingleFinder(pool, graph, only, source, universe);
  const isForward =
    source.answerCost !== undefined &&
    !costliestFirst &&
    hasThreeTerms(graph) &&
    pool.kernel.bitmaps.count(universe) >= FORWARD_DOCS_MIN;
  return isForward
    ? new ForwardFinder(pool, graph, source, universe)
    : new PathFinder(pool, graph, source, universe, costliestFirst);
}

/** Whether some path has three terms, and so an edge between two terms whose documents limit those of another one. */
function hasThreeTerms({ next }: QueryGraph): boolean {
  const termsAfter = (node: number): readonly number[] => next[node]!.filter((to) => to !== END);
  return termsAfter(START).some((first) => termsAfter(first).some((second) => termsAfter(second).length > 0));
}
