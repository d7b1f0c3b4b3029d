import type { Kernel, MemoryPart, VectorKind } from '@fossick/kernel';
import { VectorIndex } from './vector-index.js';

/** What a reader of a graph's bytes has to know beforehand. */
export interface GraphFacts {
  readonly kind: VectorKind;
  readonly dimCount: number;
  /** Vectors, each of them a node. */
  readonly count: number;
  /** Lists of links above level 0. */
  readonly upperCount: number;
  /** The node where walks begin. */
  readonly entry: number;
  /** How broad a walk has to be, as it was measured; absent in what earlier releases wrote. */
  readonly breadth?: number;
}

export function graphFacts({ set, graph, count, breadth }: VectorIndex): GraphFacts & { readonly breadth: number } {
  const { upperCount } = graph!;
  return { kind: set.kind, dimCount: set.dimCount, count, upperCount, entry: graph!.parts().entry, breadth };
}

/** Bytes of kernel memory copied out at a time. */
const PIECE_BYTES = 1 << 20;

/**
 * An index with a graph as bytes, in pieces: docids (u32 each, little-endian), codes, scales, links, levels, upper links, each as it lies in kernel
 * memory. O(bytes).
 */
export function* encodeGraph(kernel: Kernel, { set, graph, docIds, count }: VectorIndex): Generator<Uint8Array> {
  yield new Uint8Array(docIds.buffer, docIds.byteOffset, docIds.byteLength);
  const { codes, scales } = set.parts(count);
  const { links, levels, upperLinks } = graph!.parts();
  for (const { ptr, byteCount } of [codes, scales, links, levels, upperLinks])
    for (let at = 0; at < byteCount; at += PIECE_BYTES)
      yield kernel.read(ptr + at, Math.min(PIECE_BYTES, byteCount - at));
}

/**
 * Makes the index whose bytes were written: `readInto` is called for one stretch after another and hands over its bytes piece by piece. The bytes are
 * believed: whoever reads them has checked them. O(bytes).
 */
export function decodeGraph(
  kernel: Kernel,
  { kind, dimCount, count, upperCount, entry, breadth }: GraphFacts,
  readInto: (byteCount: number, take: (piece: Uint8Array, at: number) => void) => void,
): VectorIndex {
  const docIds = new Uint32Array(count);
  const docIdBytes = new Uint8Array(docIds.buffer);
  readInto(docIdBytes.length, (piece, at) => docIdBytes.set(piece, at));
  const set = kernel.createVectorSet(kind, dimCount, count);
  const fill = ({ ptr, byteCount }: MemoryPart): void =>
    readInto(byteCount, (piece, at) => kernel.write(ptr + at, piece));
  const { codes, scales } = set.parts(count);
  fill(codes);
  fill(scales);
  const graph = kernel.createVectorGraph(set, count, upperCount);
  graph.restore(count, upperCount, entry, (_, to) => fill(to));
  return new VectorIndex(kernel, set, docIds, graph, breadth);
}
