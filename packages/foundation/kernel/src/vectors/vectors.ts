import { KernelPart } from '../memory-view.js';
import { VectorGraph } from './vector-graph.js';
import { type VectorKind, VectorSet } from './vector-set.js';

/** Vectors and graphs over them, in long-lived memory until they are closed. */
export class Vectors extends KernelPart {
  createSet(kind: VectorKind, dimCount: number, capacity: number): VectorSet {
    return new VectorSet(this.exports, this.memory, kind, dimCount, capacity);
  }

  /**
   * An empty graph for `nodeCount` vectors of the set. `upperCount`: capacity for lists of links above level 0; absent: as many as nodes inserted from 0 to
   * nodeCount draw. O(nodeCount).
   */
  createGraph(set: VectorSet, nodeCount: number, upperCount?: number): VectorGraph {
    return new VectorGraph(this.exports, this.memory, set, upperCount ?? this.drawnUpperCount(0, nodeCount));
  }

  /** Lists of links above level 0 that nodes inserted from `from` to `to` draw. O(to - from). */
  drawnUpperCount(from: number, to: number): number {
    return this.exports.graphUpperCount(from, to) >>> 0;
  }
}
