import type { DocIds } from '@fossick/base';
import type { Kernel, MemoryPart, VectorKind } from '@fossick/kernel';
import { positionsIn } from './node-order.js';
import { VectorIndex } from './vector-index.js';

/** Parameters that are needed to read a graph's bytes. */
export interface GraphFacts {
  readonly kind: VectorKind;
  readonly dimCount: number;
  /** The number of vectors, each of which is a node. */
  readonly count: number;
  /** The number of lists of links above level 0. */
  readonly upperCount: number;
  /** The entry node of walks. */
  readonly entry: number;
  /** The measured breadth of walks; absent in graphs of earlier releases. */
  readonly breadth?: number;
}

/** @param positions the stored index of each node */
export function graphFacts(
  { set, graph, count, breadth }: VectorIndex,
  positions: Uint32Array,
): GraphFacts & { readonly breadth: number } {
  const { upperCount } = graph!;
  const { entry } = graph!.parts();
  return { kind: set.kind, dimCount: set.dimCount, count, upperCount, entry: positions[entry] ?? entry, breadth };
}

/** Bytes of kernel memory copied at a time. */
const PIECE_BYTES = 1 << 20;

/**
 * An index with a graph as bytes, in pieces: docids (u32 each, little-endian), codes, scales, links, levels, upper links, each as in kernel memory,
 * node `order[0]` first. O(bytes).
 */
export function* encodeGraph(kernel: Kernel, index: VectorIndex, order: Uint32Array): Generator<Uint8Array> {
  const { set, docIds, count } = index;
  const graph = index.graph!;
  yield bytesOf(order.map((node) => docIds[node]!));
  const { codes, scales } = set.parts(count);
  for (const { ptr, byteCount } of [codes, scales]) {
    const unit = byteCount / count;
    yield* inPieces(order, unit, (node) => kernel.memory.read(ptr, unit, node * unit));
  }
  const { links, levels, upperLinks } = graph.parts();
  const positions = positionsIn(order);
  const listBytes = links.byteCount / count;
  yield* inPieces(order, listBytes, (node) =>
    renumberedLinks(kernel.memory.read(links.ptr, listBytes, node * listBytes), positions),
  );
  const levelOf = kernel.memory.read(levels.ptr, count);
  yield levelOf.map((_, position) => levelOf[order[position]!]!);
  const upperBytes = graph.upperCount === 0 ? 0 : upperLinks.byteCount / graph.upperCount;
  yield* inPieces(upperLists(levelOf, order), upperBytes, (list) =>
    renumberedLinks(kernel.memory.read(upperLinks.ptr, upperBytes, list * upperBytes), positions),
  );
}

/** The results of `read` for each item, `unit` bytes each, concatenated into pieces. */
function* inPieces(items: Uint32Array, unit: number, read: (item: number) => Uint8Array): Generator<Uint8Array> {
  const perPiece = Math.max(1, Math.floor(PIECE_BYTES / Math.max(1, unit)));
  for (let from = 0; from < items.length; from += perPiece) {
    const some = items.subarray(from, from + perPiece);
    const piece = new Uint8Array(some.length * unit);
    some.forEach((item, at) => {
      piece.set(read(item), at * unit);
    });
    yield piece;
  }
}

/** A list of links (u32 count, then as many nodes, then unused bytes) with its nodes renumbered. */
function renumberedLinks(bytes: Uint8Array<ArrayBuffer>, positions: Uint32Array): Uint8Array {
  const list = new Uint32Array(bytes.buffer);
  const end = list[0]! + 1;
  for (let at = 1; at < end; at++) list[at] = positions[list[at]!]!;
  return bytesOf(list.fill(0, end));
}

/** The lists above level 0 in order of their nodes: in the graph those of a node are consecutive, the first node's first. */
function upperLists(levelOf: Uint8Array, order: Uint32Array): Uint32Array {
  const firstOf = new Uint32Array(levelOf.length + 1);
  levelOf.forEach((level, node) => {
    firstOf[node + 1] = firstOf[node]! + level;
  });
  const lists = new Uint32Array(firstOf[levelOf.length]!);
  let at = 0;
  for (const node of order) for (let list = firstOf[node]!; list < firstOf[node + 1]!; list++) lists[at++] = list;
  return lists;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Restores a stored index: `readInto` is called for each part and passes its bytes piece by piece. The bytes are not validated: the caller has
 * checked them. O(bytes).
 */
export function decodeGraph(
  kernel: Kernel,
  { kind, dimCount, count, upperCount, entry, breadth }: GraphFacts,
  readInto: (byteCount: number, take: (piece: Uint8Array, at: number) => void) => void,
): VectorIndex {
  const docIds = new Uint32Array(count) as DocIds;
  const docIdBytes = new Uint8Array(docIds.buffer);
  readInto(docIdBytes.length, (piece, at) => docIdBytes.set(piece, at));
  const set = kernel.vectors.createSet(kind, dimCount, count);
  const fill = ({ ptr, byteCount }: MemoryPart): void =>
    readInto(byteCount, (piece, at) => kernel.memory.write(ptr, piece, at));
  const { codes, scales } = set.parts(count);
  fill(codes);
  fill(scales);
  const graph = kernel.vectors.createGraph(set, count, upperCount);
  graph.restore(count, upperCount, entry, (_, to) => fill(to));
  return new VectorIndex(kernel, set, docIds, graph, breadth);
}
