import { WALK_ENDED } from '../layout.js';
import type { MemoryView } from '../memory-view.js';
import type { Ptr } from '../ptr.js';

/** Results of a search, nearest first, ties by node. Distances are those of the codes: 1 - cosine, or the number of signs that differ. */
export interface NearNodes {
  readonly nodes: Uint32Array;
  readonly distances: Float32Array;
}

/** Runs a search with the query in scratch and reads its entries: u64, the distance's bits above the node. */
export function withResults(
  memory: MemoryView,
  query: Float32Array,
  limit: number,
  zero: number,
  search: (queryAt: Ptr, out: Ptr) => number,
): NearNodes | null {
  const mark = memory.mark();
  const queryAt = memory.scratch(query.byteLength);
  const out = memory.scratch(limit * 8);
  memory.f32.set(query, queryAt >>> 2);
  const count = search(queryAt, out) >>> 0;
  let found: NearNodes | null = null;
  if (count !== WALK_ENDED) {
    const nodes = new Uint32Array(count);
    const distances = new Float32Array(count);
    const { u32, f32 } = memory;
    for (let i = 0; i < count; i++) {
      nodes[i] = u32[(out >>> 2) + 2 * i]!;
      distances[i] = f32[(out >>> 2) + 2 * i + 1]! - zero;
    }
    found = { nodes, distances };
  }
  memory.release(mark);
  return found;
}
