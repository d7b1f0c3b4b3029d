import {
  DISTANCE_OFFSET,
  GRAPH_BYTES,
  NO_NODE,
  VECTOR_SET_BYTES,
  VECTORS_F32,
  VECTORS_INT8,
  VECTORS_SIGNS,
  WALK_ENDED,
} from './layout.js';
import type { KernelExports, MemoryView } from './memory.js';
import type { Bitmap, Block, None, Ptr, U32Array, VectorSetHandle } from './ptr.js';

/** How vectors lie in memory: single precision, a byte a dimension with a scale, or only their signs. */
export type VectorKind = 'f32' | 'int8' | 'signs';

const KINDS: Readonly<Record<VectorKind, number>> = { f32: VECTORS_F32, int8: VECTORS_INT8, signs: VECTORS_SIGNS };

/** Which documents count: in `within` (0: all) and not in `without` (0: none), both bitmaps. */
export interface WantedDocuments {
  /** Whose each vector of the set is; 0 where all documents count. */
  readonly docIds: U32Array | None;
  readonly within: Bitmap | None;
  readonly without: Bitmap | None;
}

/** The first vector of each of `count` documents from `firstDocId` on, as u32 in kernel memory; NO_NODE of those without one. */
export interface DocumentPlaces {
  readonly ptr: U32Array;
  readonly firstDocId: number;
  readonly count: number;
}

/** What a search found, nearest first, equals by node. Distances as codes have them: 1 - cosine, or the number of signs that differ. */
export interface NearNodes {
  readonly nodes: Uint32Array;
  readonly distances: Float32Array;
}

/** A stretch of kernel memory that is written to disk and read back as it is. */
export interface MemoryPart {
  readonly ptr: Block;
  readonly byteCount: number;
}

/** Vectors of one size in kernel memory. Close it, after every graph over it. */
export class VectorSet {
  readonly #exports: KernelExports;
  readonly #memory: MemoryView;
  /** Address of the set in kernel memory. */
  readonly ptr: VectorSetHandle;

  /** Memory for `capacity` vectors at once: `bytesFor` of them. Traps when there is none. */
  constructor(
    exports: KernelExports,
    memory: MemoryView,
    readonly kind: VectorKind,
    readonly dimCount: number,
    readonly capacity: number,
  ) {
    this.#exports = exports;
    this.#memory = memory;
    this.ptr = (exports.vectorSetNew(KINDS[kind], dimCount, capacity) >>> 0) as VectorSetHandle;
  }

  /** Bytes from one vector to the next. */
  get stride(): number {
    return this.#memory.u32[(this.ptr >>> 2) + 2]!;
  }

  /** What the kernel says for a distance of 0. */
  get zero(): number {
    return this.kind === 'signs' ? 0 : DISTANCE_OFFSET - 1;
  }

  /** Makes vectors of `values`, one after another, those from `place` on. O(numbers). */
  put(place: number, values: Float32Array): void {
    const count = values.length / this.dimCount;
    if (!Number.isInteger(count) || place + count > this.capacity) throw new RangeError('vectors beyond the set');
    const mark = this.#memory.mark();
    const from = this.#memory.scratch(values.byteLength);
    this.#memory.f32.set(values, from >>> 2);
    this.#exports.vectorSetPut(this.ptr, place, from, count);
    this.#memory.release(mark);
  }

  /** The first `count` vectors as they lie in memory, and their scales. */
  parts(count: number): { readonly codes: MemoryPart; readonly scales: MemoryPart } {
    const [codes, scales] = this.#memory.u32.subarray((this.ptr >>> 2) + 4, (this.ptr >>> 2) + 6);
    return {
      codes: { ptr: codes as Block, byteCount: count * this.stride },
      scales: { ptr: scales as Block, byteCount: count * 4 },
    };
  }

  /** What the code of a vector is multiplied with to have length 1: a step of the code; 0 without a direction, 1 of signs. */
  scaleOf(place: number): number {
    const at = this.#memory.u32[(this.ptr >>> 2) + 5]! >>> 2;
    return this.#memory.f32[at + place]!;
  }

  /** A vector as its code has it, of no particular length. O(dimensions). */
  decoded(place: number): Float32Array {
    const { dimCount, stride, kind } = this;
    const at = this.#memory.u32[(this.ptr >>> 2) + 4]! + place * stride;
    if (kind === 'f32') return this.#memory.f32.slice(at >>> 2, (at >>> 2) + dimCount);
    const codes = this.#memory.u8.subarray(at, at + stride);
    if (kind === 'int8') return Float32Array.from(new Int8Array(codes.buffer, codes.byteOffset, dimCount));
    return Float32Array.from({ length: dimCount }, (_, dim) => (((codes[dim >> 3]! >> (dim & 7)) & 1) === 1 ? 1 : -1));
  }

  /** Vectors (of the first `count`) without a direction: no graph leads to them. O(count). */
  directionless(count: number): number[] {
    if (this.kind === 'signs') return [];
    const { ptr } = this.parts(count).scales;
    const scales = this.#memory.f32.subarray(ptr >>> 2, (ptr >>> 2) + count);
    const found: number[] = [];
    for (let place = scales.indexOf(0); place >= 0; place = scales.indexOf(0, place + 1)) found.push(place);
    return found;
  }

  /** The nearest of the first `count` vectors whose document is wanted, at most `limit`: each is looked at. O(count + wanted * dimensions). */
  scan(count: number, query: Float32Array, limit: number, wanted: WantedDocuments): NearNodes {
    return withResults(this.#memory, query, limit, this.zero, (queryAt, out) =>
      this.#exports.vectorScan(this.ptr, count, queryAt, limit, wanted.docIds, wanted.within, wanted.without, out),
    )!;
  }

  /** The same where `wanted.within` has few documents: only they are looked at. O(docids / 64 + wanted * dimensions). */
  scanWithin(
    count: number,
    query: Float32Array,
    limit: number,
    { docIds, within, without }: WantedDocuments,
    { ptr, firstDocId, count: placeCount }: DocumentPlaces,
  ): NearNodes {
    const scan = this.#exports.vectorScanWithin;
    return withResults(this.#memory, query, limit, this.zero, (queryAt, out) =>
      scan(this.ptr, count, queryAt, limit, docIds, within, without, ptr, firstDocId, placeCount, out),
    )!;
  }

  /** How many of the first `count` vectors have a document that is wanted, about: a sample of at most `SAMPLE_MAX` of them is looked at. */
  countWanted(count: number, { docIds, within, without }: WantedDocuments): number {
    const sampleCount = Math.min(count, SAMPLE_MAX);
    if (sampleCount === 0) return 0;
    const wanted = this.#exports.vectorSample(count, sampleCount, docIds, within, without) >>> 0;
    return Math.round((wanted * count) / sampleCount);
  }

  close(): void {
    this.#exports.vectorSetFree(this.ptr);
  }

  /** Bytes of kernel memory that a set takes. */
  static bytesFor(kind: VectorKind, dimCount: number, capacity: number): number {
    const bytes = { f32: dimCount * 4, int8: dimCount, signs: Math.ceil(dimCount / 64) * 8 }[kind];
    return VECTOR_SET_BYTES + LINE_BYTES + capacity * (Math.ceil(bytes / 16) * 16 + 4);
  }
}

/** Vectors that are looked at to tell how many are wanted: of a share of 8 %, where a walk and a scan cost the same, it is off by a tenth. */
const SAMPLE_MAX = 1_024;
/** Codes begin at a line of memory. */
const LINE_BYTES = 64;

/** How many links a node of a graph has above level 0; twice as many on it. Section 4.1 of the paper: 5 to 48, 16 suits most. */
export const GRAPH_DEGREE = 16;
/** Nodes of level 1 that a walk begins at. Measured: with one, queries between clusters found 0.74 of their nearest ten. */
export const GRAPH_STARTS = 32;

/**
 * A hierarchical navigable small world graph over a set (Malkov and Yashunin 2016, https://arxiv.org/abs/1603.09320). Node i is vector i. Nodes are
 * added, never taken out: a graph without its deleted ones is adopted by a new one.
 */
export class VectorGraph {
  readonly #exports: KernelExports;
  readonly #memory: MemoryView;
  readonly #set: VectorSet;
  readonly #ptr: Ptr;

  /** An empty graph with room for every vector of the set and `upperCapacity` lists of links above level 0. */
  constructor(exports: KernelExports, memory: MemoryView, set: VectorSet, upperCapacity: number) {
    this.#exports = exports;
    this.#memory = memory;
    this.#set = set;
    this.#ptr = exports.graphNew(set.ptr, GRAPH_DEGREE, upperCapacity) >>> 0;
  }

  get nodeCount(): number {
    return this.#header()[2]!;
  }

  /** Lists of links above level 0 that are in use. */
  get upperCount(): number {
    return this.#header()[9]!;
  }

  /**
   * Adds the vectors before `to` that are no nodes yet, weighing `breadth` near nodes for the links of each.
   * O(nodes * breadth * dimensions): some 0.2 ms a node of 256 dimensions. Call it in pieces to let others have their turn.
   */
  insert(to: number, breadth: number): void {
    this.#exports.graphInsert(this.#ptr, to, breadth);
  }

  /**
   * Adds the nodes `from` to `to` of `source`: `places[node]` is the number of each in this graph, ascending from 0, or NO_NODE where it is deleted.
   * Their vectors are in this graph's set already. `enter` ends it. O(nodes * degree).
   */
  adopt(source: VectorGraph, places: Uint32Array, from: number, to: number): void {
    const mark = this.#memory.mark();
    const at = this.#memory.scratch(places.byteLength);
    this.#memory.u32.set(places, at >>> 2);
    this.#exports.graphAdopt(source.#ptr, this.#ptr, at, from, to);
    this.#memory.release(mark);
  }

  /** Says where walks begin, after the last `adopt`. O(nodes). */
  enter(): void {
    this.#exports.graphEnter(this.#ptr);
  }

  /**
   * Nodes near to the query, at most `limit`: the wider the walk (`limit`), the surer they are the nearest. null when it would look at more than
   * `visitsMax` vectors. Vectors without a direction are not found. O(visited vectors * dimensions).
   */
  search(
    query: Float32Array,
    limit: number,
    wanted: WantedDocuments,
    visitsMax: number,
    startCount: number = GRAPH_STARTS,
  ): NearNodes | null {
    return withResults(this.#memory, query, limit, this.#set.zero, (queryAt, out) =>
      this.#exports.graphSearch(
        this.#ptr,
        queryAt,
        limit,
        startCount,
        wanted.docIds,
        wanted.within,
        wanted.without,
        visitsMax,
        out,
      ),
    );
  }

  /** What is written to disk beside the set's parts; `restore` takes it back. */
  parts(): {
    readonly links: MemoryPart;
    readonly levels: MemoryPart;
    readonly upperLinks: MemoryPart;
    readonly entry: number;
  } {
    const header = this.#header();
    const nodeCount = header[2]!;
    return {
      links: { ptr: header[5] as Block, byteCount: nodeCount * (2 * GRAPH_DEGREE + 1) * 4 },
      levels: { ptr: header[6] as Block, byteCount: nodeCount },
      upperLinks: { ptr: header[8] as Block, byteCount: header[9]! * (GRAPH_DEGREE + 1) * 4 },
      entry: header[3]!,
    };
  }

  /**
   * Makes an empty graph the one whose parts were written: `fill` reads each into the place it is given. The links are
   * believed: whoever reads them has checked their bytes. O(bytes).
   */
  restore(
    nodeCount: number,
    upperCount: number,
    entry: number,
    fill: (part: 'links' | 'levels' | 'upperLinks', to: MemoryPart) => void,
  ): void {
    const at = this.#ptr >>> 2;
    this.#memory.u32[at + 2] = nodeCount;
    this.#memory.u32[at + 9] = upperCount;
    this.#memory.u32[at + 3] = entry;
    const { links, levels, upperLinks } = this.parts();
    fill('links', links);
    fill('levels', levels);
    fill('upperLinks', upperLinks);
    const places = this.#header()[7]! >>> 2;
    const { u8, u32 } = this.#memory;
    let used = 0;
    for (let node = 0; node < nodeCount; node++) {
      u32[places + node] = used;
      used += u8[levels.ptr + node]!;
    }
    if (used !== upperCount) throw new Error('the levels of a graph do not match its links');
    u32[at + 4] = entry === NO_NODE ? 0 : u8[levels.ptr + entry]!;
  }

  close(): void {
    this.#exports.graphFree(this.#ptr);
  }

  /** Bytes of kernel memory that a graph takes, the set not counted. */
  static bytesFor(capacity: number, upperCapacity: number): number {
    return GRAPH_BYTES + capacity * ((2 * GRAPH_DEGREE + 1) * 4 + 5) + upperCapacity * (GRAPH_DEGREE + 1) * 4;
  }

  #header(): Uint32Array {
    return this.#memory.u32.subarray(this.#ptr >>> 2, (this.#ptr + GRAPH_BYTES) >>> 2);
  }
}

/** Runs a search over a query in scratch and takes its entries out: u64, the distance's bits above the node. */
function withResults(
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
