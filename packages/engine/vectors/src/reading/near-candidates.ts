import { DistancePairs } from './distance-pairs.js';
import type { VectorReader } from './vector-reader.js';

/** What a look-up found in one segment, and the least exact distance that a vector may have by the distance of its code. */
export interface FoundInRows {
  readonly vectors: VectorReader;
  readonly nodes: Uint32Array;
  readonly distances: Float32Array;
  readonly leastOf: (node: number, distance: number) => number;
}

const LAST = -1;

/** The nearest vectors of several segments by the distances of their codes; ties in the order of the segments. */
export class NearCandidates {
  readonly count: number;
  private readonly found: readonly FoundInRows[];
  /** Distances of codes with the number of the vector: those of a segment are numbered on from those before. */
  private readonly order: DistancePairs;
  /** The segment of each number, as its place in `found`, and the first number of each segment. */
  private readonly owners: Uint32Array;
  private readonly starts: readonly number[];
  /** The next candidate in the same row, or LAST. */
  private readonly later: Int32Array;
  /** 1: an earlier candidate is in the same row. */
  private readonly isLater: Uint8Array;

  /** O(vectors * log vectors) */
  constructor(found: readonly FoundInRows[], limit: number) {
    this.found = found;
    const starts = [0];
    for (const { nodes } of found) starts.push(starts.at(-1)! + nodes.length);
    const total = starts.at(-1)!;
    this.starts = starts;
    this.owners = new Uint32Array(total);
    this.order = new DistancePairs(total);
    found.forEach(({ distances }, owner) => {
      this.owners.fill(owner, starts[owner], starts[owner + 1]);
      for (let at = 0; at < distances.length; at++) this.order.add(distances[at]!, starts[owner]! + at);
    });
    this.order.sort();
    this.count = Math.min(limit, total);
    this.later = new Int32Array(this.count).fill(LAST);
    this.isLater = new Uint8Array(this.count);
    this.linkRows();
  }

  /** An approximate lower bound of the exact distance of a candidate. */
  leastAt(at: number): number {
    return this.ownerAt(at).leastOf(this.nodeAt(at), this.order.distanceAt(at));
  }

  isFirstOfRow(at: number): boolean {
    return this.isLater[at] === 0;
  }

  vectorsAt(at: number): VectorReader {
    return this.ownerAt(at).vectors;
  }

  /** The nodes of a candidate and of all later ones in its row. */
  nodesOfRow(first: number): number[] {
    const nodes: number[] = [];
    for (let at = first; at !== LAST; at = this.later[at]!) nodes.push(this.nodeAt(at));
    return nodes;
  }

  private linkRows(): void {
    const lastOf = this.found.map(() => new Map<number, number>());
    for (let at = 0; at < this.count; at++) {
      const owner = this.owners[this.order.itemAt(at)]!;
      const row = this.found[owner]!.vectors.rowOf(this.nodeAt(at));
      const last = lastOf[owner]!.get(row);
      lastOf[owner]!.set(row, at);
      if (last === undefined) continue;
      this.later[last] = at;
      this.isLater[at] = 1;
    }
  }

  private ownerAt(at: number): FoundInRows {
    return this.found[this.owners[this.order.itemAt(at)]!]!;
  }

  private nodeAt(at: number): number {
    const item = this.order.itemAt(at);
    const owner = this.owners[item]!;
    return this.found[owner]!.nodes[item - this.starts[owner]!]!;
  }
}
