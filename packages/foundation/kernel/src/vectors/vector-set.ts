import type { DocId } from '@fossick/base';
import type { KernelExports } from '../kernel-exports.js';
import { DISTANCE_OFFSET, VECTOR_SET_BYTES, VECTORS_F32, VECTORS_INT8, VECTORS_SIGNS } from '../layout.js';
import { KernelPart, type MemoryView } from '../memory-view.js';
import type { Bitmap, Block, None, U32Array, VectorSetHandle } from '../ptr.js';
import { type NearNodes, withResults } from './near-nodes.js';

/** How vectors are stored: f32, a byte for each dimension and a scale, or signs only. */
export type VectorKind = 'f32' | 'int8' | 'signs';

const KINDS: Readonly<Record<VectorKind, number>> = { f32: VECTORS_F32, int8: VECTORS_INT8, signs: VECTORS_SIGNS };

/** Which documents count: in `within` (0: all) and not in `without` (0: none), both bitmaps. */
export interface WantedDocuments {
  /** The document of each vector of the set; 0 where all documents count. */
  readonly docIds: U32Array | None;
  readonly within: Bitmap | None;
  readonly without: Bitmap | None;
}

/** The first vector of each of `count` documents from `firstDocId` on, as u32 in kernel memory; NO_NODE for a document without one. */
export interface VectorsByDocument {
  readonly ptr: U32Array;
  readonly firstDocId: DocId;
  readonly count: number;
}

/** A stretch of kernel memory that is stored as it is. */
export interface MemoryPart {
  readonly ptr: Block;
  readonly byteCount: number;
}

/** Vectors of one dimension in kernel memory. Close every graph over it before the set. */
export class VectorSet extends KernelPart {
  readonly kind: VectorKind;
  readonly dimCount: number;
  readonly capacity: number;
  /** Address of the set in kernel memory. */
  readonly ptr: VectorSetHandle;

  /** Allocates memory for `capacity` vectors: `bytesFor` bytes. Traps when there is none. */
  constructor(exports: KernelExports, memory: MemoryView, kind: VectorKind, dimCount: number, capacity: number) {
    super(exports, memory);
    this.kind = kind;
    this.dimCount = dimCount;
    this.capacity = capacity;
    this.ptr = (exports.vectorSetNew(KINDS[kind], dimCount, capacity) >>> 0) as VectorSetHandle;
  }

  /** Bytes from one vector to the next. */
  get stride(): number {
    return this.memory.u32[(this.ptr >>> 2) + 2]!;
  }

  /** The kernel's value for a distance of 0. */
  get zero(): number {
    return this.kind === 'signs' ? 0 : DISTANCE_OFFSET - 1;
  }

  /** Encodes the consecutive vectors in `values` as those from `index` on. O(numbers). */
  put(index: number, values: Float32Array): void {
    const count = values.length / this.dimCount;
    if (!Number.isInteger(count) || index + count > this.capacity) throw new RangeError('vectors beyond the set');
    const mark = this.memory.mark();
    const from = this.memory.scratch(values.byteLength);
    this.memory.f32.set(values, from >>> 2);
    this.exports.vectorSetPut(this.ptr, index, from, count);
    this.memory.release(mark);
  }

  /** The first `count` vectors as stored in memory, and their scales. */
  parts(count: number): { readonly codes: MemoryPart; readonly scales: MemoryPart } {
    const [codes, scales] = this.memory.u32.subarray((this.ptr >>> 2) + 4, (this.ptr >>> 2) + 6);
    return {
      codes: { ptr: codes as Block, byteCount: count * this.stride },
      scales: { ptr: scales as Block, byteCount: count * 4 },
    };
  }

  /** The factor that gives a vector's code length 1, which is the step of the code; 0 without a direction, 1 for signs. */
  scaleOf(index: number): number {
    const at = this.memory.u32[(this.ptr >>> 2) + 5]! >>> 2;
    return this.memory.f32[at + index]!;
  }

  /** A vector decoded from its code, not normalised. O(dimensions). */
  decoded(index: number): Float32Array {
    const { dimCount, stride, kind } = this;
    const at = this.memory.u32[(this.ptr >>> 2) + 4]! + index * stride;
    if (kind === 'f32') return this.memory.f32.slice(at >>> 2, (at >>> 2) + dimCount);
    const codes = this.memory.u8.subarray(at, at + stride);
    if (kind === 'int8') return Float32Array.from(new Int8Array(codes.buffer, codes.byteOffset, dimCount));
    return Float32Array.from({ length: dimCount }, (_, dim) => (((codes[dim >> 3]! >> (dim & 7)) & 1) === 1 ? 1 : -1));
  }

  /** Vectors (of the first `count`) without a direction: no graph reaches them. O(count). */
  directionless(count: number): number[] {
    if (this.kind === 'signs') return [];
    const { ptr } = this.parts(count).scales;
    const scales = this.memory.f32.subarray(ptr >>> 2, (ptr >>> 2) + count);
    const found: number[] = [];
    for (let index = scales.indexOf(0); index >= 0; index = scales.indexOf(0, index + 1)) found.push(index);
    return found;
  }

  /** The nearest of the first `count` vectors whose document is wanted, at most `limit`; compares each of them. O(count + wanted * dimensions). */
  scan(count: number, query: Float32Array, limit: number, wanted: WantedDocuments): NearNodes {
    return withResults(this.memory, query, limit, this.zero, (queryAt, out) =>
      this.exports.vectorScan(this.ptr, count, queryAt, limit, wanted.docIds, wanted.within, wanted.without, out),
    )!;
  }

  /** The same for a `wanted.within` of few documents: only their vectors are compared. O(docids / 64 + wanted * dimensions). */
  scanWithin(
    count: number,
    query: Float32Array,
    limit: number,
    { docIds, within, without }: WantedDocuments,
    { ptr, firstDocId, count: documentCount }: VectorsByDocument,
  ): NearNodes {
    const scan = this.exports.vectorScanWithin;
    return withResults(this.memory, query, limit, this.zero, (queryAt, out) =>
      scan(this.ptr, count, queryAt, limit, docIds, within, without, ptr, firstDocId, documentCount, out),
    )!;
  }

  /** About how many of the first `count` vectors have a wanted document, by a sample of at most `SAMPLE_MAX`. */
  countWanted(count: number, { docIds, within, without }: WantedDocuments): number {
    const sampleCount = Math.min(count, SAMPLE_MAX);
    if (sampleCount === 0) return 0;
    const wanted = this.exports.vectorSample(count, sampleCount, docIds, within, without) >>> 0;
    return Math.round((wanted * count) / sampleCount);
  }

  close(): void {
    this.exports.vectorSetFree(this.ptr);
  }

  /** Bytes of kernel memory of a set. */
  static bytesFor(kind: VectorKind, dimCount: number, capacity: number): number {
    const bytes = { f32: dimCount * 4, int8: dimCount, signs: Math.ceil(dimCount / 64) * 8 }[kind];
    return VECTOR_SET_BYTES + LINE_BYTES + capacity * (Math.ceil(bytes / 16) * 16 + 4);
  }
}

/** Size of the sample that estimates how many vectors are wanted: at a share of 8 %, where walk and scan cost the same, its error is a tenth. */
const SAMPLE_MAX = 1_024;
/** Bytes of a cache line; codes begin at one. */
const LINE_BYTES = 64;
