// A hierarchical navigable small world graph (Malkov and Yashunin, 2016) over the vectors of a set: node i is vector i.
//
// `[set][u32 degree][u32 nodes][u32 entry node][u32 top level][links][levels][upper slots][upper links][u32 upper used][u32 upper capacity][unused]`
// Level 0: u32 links[node * (2 * degree + 1)], a count and the neighbours. Levels above: the same with `degree` neighbours, those of one node
// consecutively, level by level, from list `upper slots[node]` on. A node's level is a function of its number; 1/16 of the nodes reach each next level.

import { heapAlloc, heapFree } from "../arena";
import { GRAPH_BYTES, NO_NODE } from "../layout";
import { VectorSet } from "./vector-set";

@unmanaged
export class Graph {
  vectors: VectorSet;
  degree: u32;
  nodeCount: u32;
  entry: u32;
  topLevel: u32;
  links: u32;
  levels: u32;
  upperSlots: u32;
  upperLinks: u32;
  upperUsed: u32;
  upperCapacity: u32;
  unused: u32;
}

/** Bits of a hash that decide on one more level: 1 node of 16 reaches it, which suits a degree of 16 (section 4.1 of the paper). */
const LEVEL_BITS: u32 = 4;
const LEVEL_MAX: u32 = 7;

/** An empty graph over a set, with capacity for all its vectors and for `upperCapacity` lists above level 0. */
export function graphNew(vectors: VectorSet, degree: u32, upperCapacity: u32): Graph {
  const graph = changetype<Graph>(heapAlloc(GRAPH_BYTES));
  const capacity = max<u32>(vectors.capacity, 1);
  graph.vectors = vectors;
  graph.degree = degree;
  graph.nodeCount = 0;
  graph.entry = NO_NODE;
  graph.topLevel = 0;
  graph.links = <u32>heapAlloc(capacity * linkListBytes(degree * 2));
  graph.levels = <u32>heapAlloc(capacity);
  graph.upperSlots = <u32>heapAlloc(capacity << 2);
  graph.upperLinks = <u32>heapAlloc(max<u32>(upperCapacity, 1) * linkListBytes(degree));
  graph.upperUsed = 0;
  graph.upperCapacity = upperCapacity;
  return graph;
}

/** Frees the graph, not its set. */
export function graphFree(graph: Graph): void {
  heapFree(graph.links);
  heapFree(graph.levels);
  heapFree(graph.upperSlots);
  heapFree(graph.upperLinks);
  heapFree(changetype<usize>(graph));
}

// @ts-ignore: decorator
@inline function linkListBytes(length: u32): u32 { return (length + 1) << 2; }

/** The most links of a node on a level. */
// @ts-ignore: decorator
@inline export function linksMax(graph: Graph, level: u32): u32 { return level == 0 ? graph.degree << 1 : graph.degree; }

// @ts-ignore: decorator
@inline export function levelOf(graph: Graph, node: u32): u32 { return load<u8>(<usize>graph.levels + <usize>node); }

/** The neighbours of a node on a level that it reaches: u32 count, then nodes. */
// @ts-ignore: decorator
@inline export function linksOf(graph: Graph, node: u32, level: u32): usize {
  if (level == 0) return <usize>graph.links + <usize>node * <usize>linkListBytes(graph.degree << 1);
  const slot = load<u32>(<usize>graph.upperSlots + (<usize>node << 2)) + level - 1;
  return <usize>graph.upperLinks + <usize>slot * <usize>linkListBytes(graph.degree);
}

/** The level of a node, a function of its number: the same whenever and wherever a graph is built. */
export function drawnLevel(node: u32): u32 {
  let hash = node + 0x9e3779b9;
  hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
  hash ^= hash >> 16;
  return min<u32>(<u32>ctz(hash | 0x80000000) / LEVEL_BITS, LEVEL_MAX);
}

/** Lists above level 0 that the nodes [from, to) will need. O(to - from). */
export function graphUpperCount(from: u32, to: u32): u32 {
  let count: u32 = 0;
  for (let node = from; node < to; node++) count += drawnLevel(node);
  return count;
}

/** Makes the next node, without links, on the levels that it reaches. */
export function addNode(graph: Graph, level: u32): u32 {
  const node = graph.nodeCount++;
  assert(node < graph.vectors.capacity, "a node without a vector");
  assert(graph.upperUsed + level <= graph.upperCapacity, "no room for upper links");
  store<u8>(<usize>graph.levels + <usize>node, <u8>level);
  store<u32>(<usize>graph.upperSlots + (<usize>node << 2), graph.upperUsed);
  graph.upperUsed += level;
  for (let at: u32 = 0; at <= level; at++) store<u32>(linksOf(graph, node, at), 0);
  return node;
}
