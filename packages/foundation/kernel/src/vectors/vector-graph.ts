import type { KernelExports } from '../kernel-exports.js';
import { GRAPH_BYTES, NO_NODE } from '../layout.js';
import { KernelPart, type MemoryView } from '../memory-view.js';
import type { Block, Ptr } from '../ptr.js';
import { type NearNodes, withResults } from './near-nodes.js';
import type { MemoryPart, VectorSet, WantedDocuments } from './vector-set.js';

/** The most links of a node on levels above 0; on level 0 twice as many. Section 4.1 of the paper: 5 to 48, 16 suits most. */
export const GRAPH_DEGREE = 16;
/** Start nodes of a walk, on level 1. Measured: with one, queries between clusters found 0.74 of their nearest ten. */
const GRAPH_STARTS = 32;

/**
 * A hierarchical navigable small world graph over a set (Malkov and Yashunin 2016, https://arxiv.org/abs/1603.09320). Node i is vector i. Nodes are never
 * removed: a new graph adopts the remaining nodes instead.
 */
export class VectorGraph extends KernelPart {
  private readonly set: VectorSet;
  private readonly ptr: Ptr;

  /** An empty graph with capacity for every vector of the set and for `upperCapacity` lists of links above level 0. */
  constructor(exports: KernelExports, memory: MemoryView, set: VectorSet, upperCapacity: number) {
    super(exports, memory);
    this.set = set;
    this.ptr = exports.graphNew(set.ptr, GRAPH_DEGREE, upperCapacity) >>> 0;
  }

  get nodeCount(): number {
    return this.header()[2]!;
  }

  /** The number of lists of links above level 0 in use. */
  get upperCount(): number {
    return this.header()[9]!;
  }

  /**
   * Makes nodes of the vectors before `to` that are none yet, with `breadth` candidates for the links of each. O(nodes * breadth * dimensions): some 0.2 ms
   * for a node of 256 dimensions. Call it in pieces to let other work run.
   */
  insert(to: number, breadth: number): void {
    this.exports.graphInsert(this.ptr, to, breadth);
  }

  /**
   * Adds the nodes [from, to) of `source`: `targetNodes[node]` is the node's number in this graph, ascending from 0, or NO_NODE when it is deleted. Their
   * vectors are in this graph's set already. The caller must call `enter` at the end. O(nodes * degree).
   */
  adopt(source: VectorGraph, targetNodes: Uint32Array, from: number, to: number): void {
    const mark = this.memory.mark();
    const at = this.memory.scratch(targetNodes.byteLength);
    this.memory.u32.set(targetNodes, at >>> 2);
    this.exports.graphAdopt(source.ptr, this.ptr, at, from, to);
    this.memory.release(mark);
  }

  /** Sets the entry node, after the last `adopt`. O(nodes). */
  enter(): void {
    this.exports.graphEnter(this.ptr);
  }

  /**
   * At most `limit` nodes near to the query. A greater limit widens the walk and so improves recall. null when it would compare more than `visitsMax`
   * vectors. Vectors without a direction are not found. O(visited vectors * dimensions).
   */
  search(
    query: Float32Array,
    limit: number,
    { docIds, within, without }: WantedDocuments,
    visitsMax: number,
    startCount: number = GRAPH_STARTS,
  ): NearNodes | null {
    return withResults(this.memory, query, limit, this.set.zero, (queryAt, out) =>
      this.exports.graphSearch(this.ptr, queryAt, limit, startCount, docIds, within, without, visitsMax, out),
    );
  }

  /** The parts to store in addition to the set's; `restore` reads them. */
  parts(): {
    readonly links: MemoryPart;
    readonly levels: MemoryPart;
    readonly upperLinks: MemoryPart;
    readonly entry: number;
  } {
    const header = this.header();
    const nodeCount = header[2]!;
    return {
      links: { ptr: header[5] as Block, byteCount: nodeCount * (2 * GRAPH_DEGREE + 1) * 4 },
      levels: { ptr: header[6] as Block, byteCount: nodeCount },
      upperLinks: { ptr: header[8] as Block, byteCount: header[9]! * (GRAPH_DEGREE + 1) * 4 },
      entry: header[3]!,
    };
  }

  /**
   * Restores stored parts into an empty graph: `fill` writes each part to its address. Links are not validated: the caller has checked the bytes. O(bytes).
   */
  restore(
    nodeCount: number,
    upperCount: number,
    entry: number,
    fill: (part: 'links' | 'levels' | 'upperLinks', to: MemoryPart) => void,
  ): void {
    const at = this.ptr >>> 2;
    this.memory.u32[at + 2] = nodeCount;
    this.memory.u32[at + 9] = upperCount;
    this.memory.u32[at + 3] = entry;
    const { links, levels, upperLinks } = this.parts();
    fill('links', links);
    fill('levels', levels);
    fill('upperLinks', upperLinks);
    const targetNodes = this.header()[7]! >>> 2;
    const { u8, u32 } = this.memory;
    let used = 0;
    for (let node = 0; node < nodeCount; node++) {
      u32[targetNodes + node] = used;
      used += u8[levels.ptr + node]!;
    }
    if (used !== upperCount) throw new Error('the levels of a graph do not match its links');
    u32[at + 4] = entry === NO_NODE ? 0 : u8[levels.ptr + entry]!;
  }

  close(): void {
    this.exports.graphFree(this.ptr);
  }

  /** Bytes of kernel memory of a graph, without its set. */
  static bytesFor(capacity: number, upperCapacity: number): number {
    return GRAPH_BYTES + capacity * ((2 * GRAPH_DEGREE + 1) * 4 + 5) + upperCapacity * (GRAPH_DEGREE + 1) * 4;
  }

  private header(): Uint32Array {
    return this.memory.u32.subarray(this.ptr >>> 2, (this.ptr + GRAPH_BYTES) >>> 2);
  }
}
