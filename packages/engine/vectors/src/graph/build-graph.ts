import type { DocIds } from '@fossick/base';
import { type Kernel, NO_NODE, type VectorGraph, type VectorKind, type VectorSet } from '@fossick/kernel';
import { measureBreadth } from './measure-breadth.js';
import { BUILD_BREADTH, VectorIndex } from './vector-index.js';

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

  /**
   * @param capacity the number of vectors that will be added
   */
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
