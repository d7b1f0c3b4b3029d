import type { VectorGraph, VectorSet, WantedDocuments } from '@fossick/kernel';

/** Breadths that are tried, narrow ones first; the last is taken where none is enough. */
const BREADTHS = [24, 32, 40, 48, 64, 96, 128, 192, 256, 384];
/** Queries that are asked of each kind. */
const SAMPLE = 96;
/** Nearest ones that are counted. */
const NEAREST = 10;
/**
 * The share of them that walks have to find of queries like the vectors, and of queries that lie between two of them. Texts asked of the films by a model find a
 * hundredth more than the first kind does; figures of several sets of vectors stand in decision 0063.
 */
const KINDS = [
  { isBetween: false, least: 0.98 },
  { isBetween: true, least: 0.85 },
] as const;
/** Everything counts: whose a vector is makes no difference then. */
const ALL: WantedDocuments = { docIds: 0, within: 0, without: 0 };
/** Distances as codes have them that are the same but for rounding. */
const ROUNDING = 1e-6;

interface MeasuredQuery {
  readonly query: Float32Array;
  /** The distance of the farthest of the nearest. */
  readonly farthest: number;
  readonly count: number;
}

/**
 * How many nodes a walk has to keep to find the nearest: that depends on how the vectors lie. A sample is searched exactly and by walks. Queries that are made
 * as documents are lie among them, yet no links were chosen for them, as they were for the vectors themselves: a point as far beyond a vector as one of
 * its nearest is before it. Queries of another make may lie where no vector does: halfway between two. Pauses often.
 * O(SAMPLE * nodes * dimensions): of 100,000 x 256 two thirds of a second.
 */
export function* measureBreadth(set: VectorSet, graph: VectorGraph, count: number): Generator<void, number> {
  let at = 0;
  for (const { isBetween, least } of KINDS) {
    const queries: MeasuredQuery[] = [];
    for (const query of sampleOf(set, count, isBetween)) {
      queries.push(exactly(set, count, query));
      yield;
    }
    while (at < BREADTHS.length - 1 && recallOf(graph, queries, BREADTHS[at]!, count) < least) {
      at += 1;
      yield;
    }
  }
  return BREADTHS[at]!;
}

/** Spread evenly over the nodes, the same for the same graph. */
function sampleOf(set: VectorSet, count: number, isBetween: boolean): Float32Array[] {
  const nodeOf = (at: number): number => Math.floor(((at + 0.5) / (2 * SAMPLE)) * count);
  const queries = Array.from({ length: SAMPLE }, (_, at) => {
    const query = unit(set, nodeOf(2 * at));
    if (!isBetween) return beyond(set, count, query);
    const other = unit(set, nodeOf((2 * at + SAMPLE + 1) % (2 * SAMPLE)));
    return query.map((value, dim) => value + other[dim]!);
  });
  // what has no direction is compared with nothing
  return queries.filter((query) => query.some((value) => value !== 0));
}

function unit(set: VectorSet, node: number): Float32Array {
  const scale = set.scaleOf(node);
  return set.decoded(node).map((value) => value * scale);
}

/** The reflection of one of the nearest of a vector by it. */
function beyond(set: VectorSet, count: number, vector: Float32Array): Float32Array {
  const near = set.scan(count, vector, Math.min(NEAREST, count), ALL).nodes.at(-1);
  if (near === undefined) return vector;
  const other = unit(set, near);
  return vector.map((value, dim) => 2 * value - other[dim]!);
}

function exactly(set: VectorSet, count: number, query: Float32Array): MeasuredQuery {
  const { distances } = set.scan(count, query, Math.min(NEAREST, count), ALL);
  return { query, farthest: distances.at(-1)!, count: distances.length };
}

/** Who is as near as the farthest of the nearest is as good. */
function recallOf(graph: VectorGraph, queries: readonly MeasuredQuery[], breadth: number, count: number): number {
  let [found, wanted] = [0, 0];
  for (const { query, farthest, count: nearCount } of queries) {
    const { distances } = graph.search(query, breadth, ALL, count)!;
    found += Math.min(nearCount, distances.filter((distance) => distance <= farthest + ROUNDING).length);
    wanted += nearCount;
  }
  return wanted === 0 ? 1 : found / wanted;
}
