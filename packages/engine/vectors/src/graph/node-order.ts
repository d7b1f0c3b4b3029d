import type { Kernel } from '@fossick/kernel';
import { spanOf, type VectorIndex } from './vector-index.js';

/** Nodes that are chosen by their links from each other before the next block begins. Measured: 16 to 512 make no difference to walks. */
const BLOCK_NODES = 32;
/** The mark of a node that is in the order already. Other marks count the node's links from the nodes of the block. */
const VISITED = 255;
/** Nodes ordered between two pauses, which takes some milliseconds. */
const NODES_PER_PIECE = 2_048;

/**
 * The order in which nodes of a finished graph are stored: `order[index]` is a node. Linked nodes are close together and the start nodes come first, so
 * that a walk touches few pages of memory, and exact distances read few rows of the disk. Vectors of one document stay neighbours. This is not the order
 * of insertion: inserted cluster by cluster, a graph would have few links between clusters. Pauses often. O(nodes * BLOCK_NODES * degree).
 */
export function* orderByNearness(kernel: Kernel, index: VectorIndex): Generator<void, Uint32Array> {
  const { docIds, count } = index;
  const { levels } = index.graph!.parts();
  const levelOf = kernel.memory.read(levels.ptr, count);
  const linked = yield* linkedOrder(kernel, index);
  const order = new Uint32Array(count);
  const isVisited = new Uint8Array(count);
  let position = 0;
  const put = (node: number): void => {
    if (isVisited[node] === 1) return;
    const [from, to] = spanOf(docIds, node);
    for (let other = from; other < to; other++) {
      order[position++] = other;
      isVisited[other] = 1;
    }
  };
  for (const node of linked) if (levelOf[node]! > 0) put(node);
  yield;
  for (const node of linked) put(node);
  return order;
}

/** The index of each node in an order. O(nodes). */
export function positionsIn(order: Uint32Array): Uint32Array {
  const positions = new Uint32Array(order.length);
  order.forEach((node, position) => {
    positions[node] = position;
  });
  return positions;
}

/**
 * Block by block. Each step takes the node with the most links from the nodes of the block, of ties the one met first. A block begins with the best
 * candidate of the previous block, else with the first unordered node.
 */
function* linkedOrder(kernel: Kernel, { graph, count }: VectorIndex): Generator<void, Uint32Array> {
  const { links } = graph!.parts();
  const listBytes = links.byteCount / count;
  const order = new Uint32Array(count);
  const marks = new Uint8Array(count);
  let [first, next] = [0, -1];
  for (let visited = 0; visited < count; ) {
    if (next < 0) {
      while (marks[first] === VISITED) first += 1;
      next = first;
    }
    const met: number[] = [];
    for (let inBlock = 0; inBlock < BLOCK_NODES && next >= 0; inBlock++) {
      marks[next] = VISITED;
      order[visited] = next;
      visited += 1;
      if (visited % NODES_PER_PIECE === 0) yield;
      const list = new Uint32Array(kernel.memory.read(links.ptr, listBytes, next * listBytes).buffer);
      const end = list[0]! + 1;
      for (let at = 1; at < end; at++) {
        const node = list[at]!;
        if (marks[node] === VISITED) continue;
        if (marks[node] === 0) met.push(node);
        marks[node] = marks[node]! + 1;
      }
      next = takeMostLinked(met, marks);
    }
    for (const node of met) marks[node] = 0;
  }
  return order;
}

/** Removes and returns the node with the most links of a list; -1 when it is empty. */
function takeMostLinked(met: number[], marks: Uint8Array): number {
  let best = -1;
  let most = 0;
  for (let at = 0; at < met.length; at++) {
    const links = marks[met[at]!]!;
    if (links <= most) continue;
    most = links;
    best = at;
  }
  if (best < 0) return -1;
  const node = met[best]!;
  met[best] = met.at(-1)!;
  met.pop();
  return node;
}
