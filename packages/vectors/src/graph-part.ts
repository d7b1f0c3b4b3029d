import type { DocIds } from '@fossick/base';
import type { Kernel, MemoryPart, VectorKind } from '@fossick/kernel';
import { positionsIn } from './node-order.js';
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

/** `positions`: where each node is written. */
export function graphFacts(
  { set, graph, count, breadth }: VectorIndex,
  positions: Uint32Array,
): GraphFacts & { readonly breadth: number } {
  const { upperCount } = graph!;
  const { entry } = graph!.parts();
  return { kind: set.kind, dimCount: set.dimCount, count, upperCount, entry: positions[entry] ?? entry, breadth };
}

/** Bytes of kernel memory copied out at a time. */
const PIECE_BYTES = 1 << 20;

/**
 * An index with a graph as bytes, in pieces: docids (u32 each, little-endian), codes, scales, links, levels, upper links, as they lie in kernel memory,
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

/** What `read` gives of each item, `unit` bytes, one after another. */
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

/** A list of links (u32 count, then as many nodes, then what was left there) with the places of its nodes. */
function renumberedLinks(bytes: Uint8Array<ArrayBuffer>, positions: Uint32Array): Uint8Array {
  const list = new Uint32Array(bytes.buffer);
  const end = list[0]! + 1;
  for (let at = 1; at < end; at++) list[at] = positions[list[at]!]!;
  return bytesOf(list.fill(0, end));
}

/** The lists above level 0 in the order of their nodes: in the graph a node's stand one after another, those of the first node first. */
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
 * Makes the index whose bytes were written: `readInto` is called for one stretch after another and hands over its bytes piece by piece. The bytes are
 * believed: whoever reads them has checked them. O(bytes).
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
