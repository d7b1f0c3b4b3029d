// Walking a graph to the nodes nearest to a vector (algorithms 2 and 5 of Malkov and Yashunin, 2016).

import { scratchAlloc, scratchMark, scratchRelease } from "../arena";
import { bitmapNext, hasBit } from "../bitmaps/bitmap";
import { NO_NODE, WALK_ENDED } from "../layout";
import { touchedLines } from "../tables";
import { tick } from "../ticks";
import { Graph, linksMax, linksOf } from "./graph";
import {
  distanceOf, entryOf, heapCount, heapEntries, heapIsFull, heapScratch, heapTop, nodeOf, popNearest, pushFarthest, pushNearest, replaceFarthest, sortFarthest,
} from "./near-heap";
import { LINE_BYTES, VectorSet, codeOf, distance, encodeVector, scaleOf } from "./vector-set";

/** The visited set of one walk: a bit for each node. */
export function visitedScratch(nodeCount: u32): usize {
  const bytes = ((nodeCount + 127) >> 7) << 4;
  const visited = scratchAlloc(bytes);
  memory.fill(visited, 0, bytes);
  return visited;
}

/** Marks a node as visited; returns whether it was not before. */
// @ts-ignore: decorator
@inline export function visit(visited: usize, node: u32): bool {
  const at = visited + (<usize>(node >> 5) << 2);
  const bit: u32 = 1 << (node & 31);
  const bits = load<u32>(at);
  store<u32>(at, bits | bit);
  return (bits & bit) == 0;
}

/** Moves to the nearest neighbour while one is nearer, from the top level down to above `level`. O(log nodes) distances. */
export function descend(graph: Graph, code: usize, scale: f32, level: u32): u64 {
  const vectors = graph.vectors;
  let nearest = entryOf(distance(vectors, code, scale, codeOf(vectors, graph.entry), scaleOf(vectors, graph.entry)), graph.entry);
  for (let at = graph.topLevel; at > level; at--) {
    for (let isNearer = true; isNearer; ) {
      isNearer = false;
      const links = linksOf(graph, nodeOf(nearest), at);
      const end = links + 4 + (<usize>load<u32>(links) << 2);
      for (let p = links + 4; p < end; p += 4) {
        const node = load<u32>(p);
        const entry = entryOf(distance(vectors, code, scale, codeOf(vectors, node), scaleOf(vectors, node)), node);
        if (entry < nearest) {
          nearest = entry;
          isNearer = true;
        }
      }
    }
  }
  return nearest;
}

/**
 * Fills `found` (root: the farthest) with the nearest nodes of a level, starting at the entries of `waiting`, which are already in `visited` and `found`.
 * O(visited nodes * dimensions).
 */
export function searchLevel(graph: Graph, code: usize, scale: f32, level: u32, found: usize, waiting: usize, visited: usize): void {
  const vectors = graph.vectors;
  const mark = scratchMark();
  const fresh = scratchAlloc(linksMax(graph, level) << 2);
  while (heapCount(waiting) > 0) {
    const next = popNearest(waiting);
    if (heapIsFull(found) && next > heapTop(found)) break;
    const end = fresh + (<usize>gather(graph, nodeOf(next), level, visited, fresh) << 2);
    for (let p = fresh; p < end; p += 4) {
      const node = load<u32>(p);
      const entry = entryOf(distance(vectors, code, scale, codeOf(vectors, node), scaleOf(vectors, node)), node);
      if (!heapIsFull(found)) pushFarthest(found, entry);
      else if (entry < heapTop(found)) replaceFarthest(found, entry);
      else continue;
      pushNearest(waiting, entry);
    }
  }
  scratchRelease(mark);
}

/**
 * Writes the unvisited neighbours of a node to `fresh` and marks them as visited; returns how many. It also loads a byte of each cache line of their codes;
 * the loads are independent, so that memory latencies overlap.
 */
function gather(graph: Graph, node: u32, level: u32, visited: usize, fresh: usize): u32 {
  const vectors = graph.vectors;
  const stride = <usize>vectors.stride;
  const links = linksOf(graph, node, level);
  const end = links + 4 + (<usize>load<u32>(links) << 2);
  let to = fresh;
  let touched: u32 = 0;
  for (let p = links + 4; p < end; p += 4) {
    const neighbour = load<u32>(p);
    if (!visit(visited, neighbour)) continue;
    store<u32>(to, neighbour);
    to += 4;
    const code = codeOf(vectors, neighbour);
    touched += load<u8>(<usize>vectors.scales + (<usize>neighbour << 2));
    for (let line: usize = 0; line < stride; line += <usize>LINE_BYTES) touched += load<u8>(code + line);
  }
  // a store keeps the compiler from removing the loads
  store<u32>(touchedLines, touched);
  return <u32>((to - fresh) >> 2);
}

/**
 * At most `wanted` nodes near to the `dimCount` f32 at `query`, nearest first, ties by node: u64 entries (distance above node) at `out`. Only nodes whose
 * document (docIds[node]) is in `within` (0: all) and not in `without` (0: none) are returned; the walk passes through all. Returns how many, or WALK_ENDED
 * when it would compare more than `visitsMax` vectors. O(visited nodes * dimensions).
 */
export function graphSearch(
  graph: Graph, query: usize, wanted: u32, startCount: u32, docIds: usize, within: usize, without: usize, visitsMax: u32, out: usize,
): u32 {
  if (graph.entry == NO_NODE || wanted == 0) return 0;
  const mark = scratchMark();
  const vectors = graph.vectors;
  const code = scratchAlloc(vectors.stride);
  const scale = encodeVector(vectors, query, code);
  const visited = visitedScratch(graph.nodeCount);
  const waiting = heapScratch(min(visitsMax, graph.nodeCount) + 1);
  const found = heapScratch(wanted);
  const starts = startNodes(graph, code, scale, startCount);
  const entries = heapEntries(starts);
  for (let i: usize = 0; i < <usize>heapCount(starts); i++) {
    const start = load<u64>(entries + (i << 3));
    visit(visited, nodeOf(start));
    pushNearest(waiting, start);
    if (isWanted(docIds, within, without, nodeOf(start))) keepNearest(found, start);
  }
  const isOver = walk(graph, code, scale, docIds, within, without, visitsMax, found, waiting, visited);
  let count = WALK_ENDED;
  if (isOver) {
    sortFarthest(found);
    count = heapCount(found);
    memory.copy(out, heapEntries(found), <usize>count << 3);
  }
  scratchRelease(mark);
  return count;
}

/**
 * Start nodes of a walk over level 0: the nearest few nodes of level 1 instead of the nearest one, because clusters are better connected on level 1 than on
 * level 0.
 */
function startNodes(graph: Graph, code: usize, scale: f32, startCount: u32): usize {
  const starts = heapScratch(max<u32>(startCount, 1));
  const nearest = descend(graph, code, scale, 1);
  pushFarthest(starts, nearest);
  if (graph.topLevel == 0 || startCount <= 1) return starts;
  const visited = visitedScratch(graph.nodeCount);
  const waiting = heapScratch(graph.nodeCount + 1);
  visit(visited, nodeOf(nearest));
  pushNearest(waiting, nearest);
  searchLevel(graph, code, scale, 1, starts, waiting, visited);
  return starts;
}

// @ts-ignore: decorator
@inline function keepNearest(found: usize, entry: u64): void {
  if (!heapIsFull(found)) pushFarthest(found, entry);
  else if (entry < heapTop(found)) replaceFarthest(found, entry);
}

// @ts-ignore: decorator
@inline function isWanted(docIds: usize, within: usize, without: usize, node: u32): bool {
  if ((within | without) == 0) return true;
  const docId = load<u32>(docIds + (<usize>node << 2));
  return (within == 0 || hasBit(within, docId)) && (without == 0 || !hasBit(without, docId));
}

/** The walk over level 0; false when it would compare more vectors than it may. */
function walk(
  graph: Graph, code: usize, scale: f32, docIds: usize, within: usize, without: usize, visitsMax: u32, found: usize, waiting: usize, visited: usize,
): bool {
  const vectors = graph.vectors;
  const fresh = scratchAlloc(linksMax(graph, 0) << 2);
  let visits: u32 = 1;
  while (heapCount(waiting) > 0) {
    tick();
    const next = popNearest(waiting);
    if (heapIsFull(found) && next > heapTop(found)) return true;
    const count = gather(graph, nodeOf(next), 0, visited, fresh);
    visits += count;
    if (visits > visitsMax) return false;
    const end = fresh + (<usize>count << 2);
    for (let p = fresh; p < end; p += 4) {
      const node = load<u32>(p);
      const entry = entryOf(distance(vectors, code, scale, codeOf(vectors, node), scaleOf(vectors, node)), node);
      if (heapIsFull(found) && entry > heapTop(found)) continue;
      pushNearest(waiting, entry);
      if (!isWanted(docIds, within, without, node)) continue;
      keepNearest(found, entry);
    }
  }
  return true;
}

/**
 * The exact counterpart: compares every vector of a set whose document is wanted (see graphSearch). `count`: vectors of the set. O(count + wanted vectors *
 * dimensions).
 */
export function vectorScan(
  vectors: VectorSet, count: u32, query: usize, wanted: u32, docIds: usize, within: usize, without: usize, out: usize,
): u32 {
  if (wanted == 0) return 0;
  const mark = scratchMark();
  const code = scratchAlloc(vectors.stride);
  const scale = encodeVector(vectors, query, code);
  const found = heapScratch(wanted);
  for (let node: u32 = 0; node < count; node++) {
    if (!isWanted(docIds, within, without, node)) continue;
    tick();
    const entry = entryOf(distance(vectors, code, scale, codeOf(vectors, node), scaleOf(vectors, node)), node);
    keepNearest(found, entry);
  }
  sortFarthest(found);
  const foundCount = heapCount(found);
  memory.copy(out, heapEntries(found), <usize>foundCount << 3);
  scratchRelease(mark);
  return foundCount;
}

/**
 * The same for a `within` of few documents, which are walked instead of all vectors. `vectorByDoc`: the first node of each of `documentCount` documents from
 * `firstDocId` on, NO_NODE for those without one; vectors of one document are neighbours. O(docids / 64 + wanted vectors * dimensions).
 */
export function vectorScanWithin(
  vectors: VectorSet, count: u32, query: usize, wanted: u32, docIds: usize, within: usize, without: usize, vectorByDoc: usize, firstDocId: u32,
  documentCount: u32, out: usize,
): u32 {
  if (wanted == 0) return 0;
  const mark = scratchMark();
  const code = scratchAlloc(vectors.stride);
  const scale = encodeVector(vectors, query, code);
  const found = heapScratch(wanted);
  for (let bit = bitmapNext(within, firstDocId); bit != -1; bit = bitmapNext(within, <u32>bit + 1)) {
    const docId = <u32>bit;
    if (docId - firstDocId >= documentCount) break;
    tick();
    if (without != 0 && hasBit(without, docId)) continue;
    // NO_NODE, of a document without vectors, is greater than count
    for (let node = load<u32>(vectorByDoc + (<usize>(docId - firstDocId) << 2)); node < count; node++) {
      if (load<u32>(docIds + (<usize>node << 2)) != docId) break;
      keepNearest(found, entryOf(distance(vectors, code, scale, codeOf(vectors, node), scaleOf(vectors, node)), node));
    }
  }
  sortFarthest(found);
  const foundCount = heapCount(found);
  memory.copy(out, heapEntries(found), <usize>foundCount << 3);
  scratchRelease(mark);
  return foundCount;
}

/**
 * How many of `sampleCount` vectors of a set have a wanted document: one at a pseudo-random index in each of as many equal parts, the same in every call.
 * `count`: vectors of the set, at least `sampleCount`. O(sampleCount).
 */
export function vectorSample(count: u32, sampleCount: u32, docIds: usize, within: usize, without: usize): u32 {
  let wanted: u32 = 0;
  let hash: u32 = 0x9e3779b9;
  for (let at: u32 = 0; at < sampleCount; at++) {
    const from = <u32>((<u64>at * count) / sampleCount);
    const to = <u32>(((<u64>at + 1) * count) / sampleCount);
    // a fixed stride would be biased where documents and filters both repeat periodically
    hash ^= hash << 13;
    hash ^= hash >> 17;
    hash ^= hash << 5;
    wanted += u32(isWanted(docIds, within, without, from + hash % (to - from)));
  }
  return wanted;
}
