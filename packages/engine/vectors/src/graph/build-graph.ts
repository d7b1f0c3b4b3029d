import type { DocIds } from '@fossick/base';
import {
  type Kernel,
  NO_NODE,
  type VectorGraph,
  type VectorKind,
  type VectorSet,
  type WantedDocuments,
} from '@fossick/kernel';
import { BUILD_BREADTH, VectorIndex } from './vector-index.js';

/** Breadths to try, ascending; the last is used when none suffices. */
const BREADTHS = [24, 32, 40, 48, 64, 96, 128, 192, 256, 384];
/** Queries of each kind. */
const SAMPLE = 96;
/** Number of nearest vectors that recall counts. */
const NEAREST = 10;
/**
 * The recall that walks must have for queries like the vectors, and for queries between two of them. Text queries over the films, embedded by a model, have a
 * recall one hundredth above the first kind; docs/internals/decisions/vectors.md has the reasons.
 */
const KINDS = [
  { isBetween: false, least: 0.98 },
  { isBetween: true, least: 0.85 },
] as const;
/** Every document counts, so the documents of vectors are not needed. */
const ALL: WantedDocuments = { docIds: 0, within: 0, without: 0 };
/** Distances of codes are equal within this rounding error. */
const ROUNDING = 1e-6;

/** Nodes inserted between two pauses, which takes some tens of milliseconds. */
const NODES_PER_PIECE = 128;
/** Nodes adopted between two pauses. */
const ADOPTED_PER_PIECE = 4_096;

/**
 * Collects the vectors of one name for a segment and builds an index with a graph. A merge starts from the graph of one of its segments: it is adopted
 * without its deleted vectors, and only new vectors are inserted.
 */
export class GraphBuilder {
  private readonly kernel: Kernel;
  private readonly set: VectorSet;
  private readonly docIds: DocIds;
  private vectorCount = 0;

  /** @param capacity the number of vectors that will be added */
  constructor(kernel: Kernel, kind: VectorKind, dimCount: number, capacity: number) {
    this.kernel = kernel;
    this.set = kernel.vectors.createSet(kind, dimCount, capacity);
    this.docIds = new Uint32Array(capacity) as DocIds;
  }

  /** Vectors added so far. */
  get count(): number {
    return this.vectorCount;
  }

  /** Adds the consecutive vectors in `values`; those of one document must be neighbours. O(numbers). */
  add(docIds: Uint32Array, values: Float32Array): void {
    this.docIds.set(docIds, this.vectorCount);
    this.set.put(this.vectorCount, values);
    this.vectorCount += docIds.length;
  }

  /**
   * Links all added vectors. `base`: the graph whose nodes were added first; `targetNodes` has the new number of each of its nodes (NO_NODE: left out).
   * Pauses often. O(new nodes * BUILD_BREADTH * dimensions).
   */
  *build(base?: { readonly graph: VectorGraph; readonly targetNodes: Uint32Array }): Generator<void, VectorIndex> {
    const kernel = this.kernel;
    const adoptedCount =
      base === undefined ? 0 : base.targetNodes.reduce((sum, node) => sum + Number(node !== NO_NODE), 0);
    const upperMax = (base?.graph.upperCount ?? 0) + kernel.vectors.drawnUpperCount(adoptedCount, this.vectorCount);
    const graph = kernel.vectors.createGraph(this.set, this.vectorCount, upperMax);
    if (base !== undefined) {
      for (let from = 0; from < base.targetNodes.length; from += ADOPTED_PER_PIECE) {
        graph.adopt(base.graph, base.targetNodes, from, Math.min(base.targetNodes.length, from + ADOPTED_PER_PIECE));
        yield;
      }
      graph.enter();
    }
    for (let to = adoptedCount; to < this.vectorCount; ) {
      to = Math.min(this.vectorCount, to + NODES_PER_PIECE);
      graph.insert(to, BUILD_BREADTH);
      yield;
    }
    const breadth = yield* measureBreadth(this.set, graph, this.vectorCount);
    return new VectorIndex(kernel, this.set, this.docIds, graph, breadth);
  }
}

interface MeasuredQuery {
  readonly query: Float32Array;
  /** The distance of the farthest of the nearest ten. */
  readonly farthest: number;
  readonly count: number;
}

/**
 * The number of nodes that a walk must keep to find the nearest, which depends on the distribution of the vectors. A sample of queries is searched exactly and
 * by walks. Queries made like documents are among the vectors, but the graph was not linked for them: such a query is the reflection of one of a vector's
 * nearest neighbours at that vector. Other queries may be where no vector is: midway between two. Pauses often. O(SAMPLE * nodes * dimensions): two thirds of
 * a second for 100,000 x 256.
 */
function* measureBreadth(set: VectorSet, graph: VectorGraph, count: number): Generator<void, number> {
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

/** Evenly spaced nodes, the same for the same graph. */
function sampleOf(set: VectorSet, count: number, isBetween: boolean): Float32Array[] {
  const nodeOf = (at: number): number => Math.floor(((at + 0.5) / (2 * SAMPLE)) * count);
  const queries = Array.from({ length: SAMPLE }, (_, at) => {
    const query = unit(set, nodeOf(2 * at));
    if (!isBetween) return beyond(set, count, query);
    const other = unit(set, nodeOf((2 * at + SAMPLE + 1) % (2 * SAMPLE)));
    return query.map((value, dim) => value + other[dim]!);
  });
  // a query without a direction has no distances
  return queries.filter((query) => query.some((value) => value !== 0));
}

function unit(set: VectorSet, node: number): Float32Array {
  const scale = set.scaleOf(node);
  return set.decoded(node).map((value) => value * scale);
}

/** The reflection, at a vector, of one of its nearest neighbours. */
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

/** Whatever is as near as the farthest of the nearest counts as found. */
function recallOf(graph: VectorGraph, queries: readonly MeasuredQuery[], breadth: number, count: number): number {
  let [found, wanted] = [0, 0];
  for (const { query, farthest, count: nearCount } of queries) {
    const { distances } = graph.search(query, breadth, ALL, count)!;
    found += Math.min(nearCount, distances.filter((distance) => distance <= farthest + ROUNDING).length);
    wanted += nearCount;
  }
  return wanted === 0 ? 1 : found / wanted;
}
