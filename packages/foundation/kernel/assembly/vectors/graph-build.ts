// Building a graph node by node (algorithms 1 and 4 of Malkov and Yashunin, 2016), and selecting the neighbours of a node.

import { scratchMark, scratchRelease } from "../arena";
import { NO_NODE } from "../layout";
import { Graph, addNode, drawnLevel, levelOf, linksMax, linksOf } from "./graph";
import { descend, searchLevel, visit, visitedScratch } from "./graph-search";
import { distanceOf, entryOf, heapCount, heapEntries, heapScratch, nodeOf, pushFarthest, pushNearest, sortFarthest } from "./near-heap";
import { codeOf, distance, scaleOf } from "./vector-set";

/**
 * Makes nodes of the vectors from the first without a node up to `to`. `breadth`: number of candidates for links ("efConstruction"). O(nodes * breadth *
 * degree * dimensions). A vector without a direction becomes a node without links, which no walk reaches.
 */
export function graphInsert(graph: Graph, to: u32, breadth: u32): void {
  while (graph.nodeCount < to) {
    const mark = scratchMark();
    insertNext(graph, breadth);
    scratchRelease(mark);
  }
}

function insertNext(graph: Graph, breadth: u32): void {
  const vectors = graph.vectors;
  const scale = scaleOf(vectors, graph.nodeCount);
  if (scale == 0) {
    addNode(graph, 0);
    return;
  }
  const node = addNode(graph, drawnLevel(graph.nodeCount));
  const level = levelOf(graph, node);
  if (graph.entry == NO_NODE) {
    graph.entry = node;
    graph.topLevel = level;
    return;
  }
  const code = codeOf(vectors, node);
  const found = heapScratch(breadth);
  const waiting = heapScratch(graph.nodeCount + 1);
  pushFarthest(found, descend(graph, code, scale, level));
  for (let at = <i32>min(level, graph.topLevel); at >= 0; at--) {
    const mark = scratchMark();
    const visited = visitedScratch(graph.nodeCount);
    // a node is never its own neighbour
    visit(visited, node);
    store<u32>(waiting, 0);
    const starts = heapEntries(found);
    for (let i: usize = 0; i < <usize>heapCount(found); i++) {
      const entry = load<u64>(starts + (i << 3));
      visit(visited, nodeOf(entry));
      pushNearest(waiting, entry);
    }
    searchLevel(graph, code, scale, at, found, waiting, visited);
    scratchRelease(mark);
    sortFarthest(found);
    link(graph, node, at, found);
    // a list sorted nearest first, reversed, is a heap with the farthest on top
    reverse(found);
  }
  if (level > graph.topLevel) {
    graph.entry = node;
    graph.topLevel = level;
  }
}

function reverse(heap: usize): void {
  const entries = heapEntries(heap);
  let last = entries + (<usize>heapCount(heap) << 3) - 8;
  for (let first = entries; first < last; first += 8, last -= 8) {
    const held = load<u64>(first);
    store<u64>(first, load<u64>(last));
    store<u64>(last, held);
  }
}

/** Links a new node with the best of the sorted `near`, in both directions. */
function link(graph: Graph, node: u32, level: u32, near: usize): void {
  const links = linksOf(graph, node, level);
  select(graph, near, graph.degree, links);
  const end = links + 4 + (<usize>load<u32>(links) << 2);
  for (let p = links + 4; p < end; p += 4) linkBack(graph, load<u32>(p), node, level);
}

/** Adds `node` to the neighbours of `origin`, which keeps the best when it has too many. */
function linkBack(graph: Graph, origin: u32, node: u32, level: u32): void {
  const links = linksOf(graph, origin, level);
  const count = load<u32>(links);
  const most = linksMax(graph, level);
  if (count < most) {
    store<u32>(links + 4 + (<usize>count << 2), node);
    store<u32>(links, count + 1);
    return;
  }
  const mark = scratchMark();
  const near = heapScratch(count + 1);
  pushNeighbour(graph, near, origin, node);
  for (let i: usize = 0; i < <usize>count; i++) pushNeighbour(graph, near, origin, load<u32>(links + 4 + (i << 2)));
  sortFarthest(near);
  select(graph, near, most, links);
  scratchRelease(mark);
}

/** Adds a node to the candidates for neighbours of another. */
export function pushNeighbour(graph: Graph, near: usize, origin: u32, node: u32): void {
  const vectors = graph.vectors;
  pushFarthest(near, entryOf(distance(vectors, codeOf(vectors, origin), scaleOf(vectors, origin), codeOf(vectors, node), scaleOf(vectors, node)), node));
}

/**
 * Writes at most `most` of the sorted `near` to `links`: first those that are nearer to their origin than to any chosen before, so that links point in
 * different directions; then the nearest of the others.
 */
export function select(graph: Graph, near: usize, most: u32, links: usize): void {
  const vectors = graph.vectors;
  const entries = heapEntries(near);
  const count = <usize>heapCount(near);
  let chosen: u32 = 0;
  for (let i: usize = 0; i < count && chosen < most; i++) {
    const entry = load<u64>(entries + (i << 3));
    const node = nodeOf(entry);
    const code = codeOf(vectors, node);
    const scale = scaleOf(vectors, node);
    let isChosen = true;
    for (let j: usize = 0; j < <usize>chosen; j++) {
      const other = load<u32>(links + 4 + (j << 2));
      if (distance(vectors, code, scale, codeOf(vectors, other), scaleOf(vectors, other)) < distanceOf(entry)) {
        isChosen = false;
        break;
      }
    }
    if (!isChosen) continue;
    store<u32>(links + 4 + (<usize>chosen << 2), node);
    chosen++;
  }
  for (let i: usize = 0; i < count && chosen < most; i++) {
    const node = nodeOf(load<u64>(entries + (i << 3)));
    if (isAmong(links, chosen, node)) continue;
    store<u32>(links + 4 + (<usize>chosen << 2), node);
    chosen++;
  }
  store<u32>(links, chosen);
}

function isAmong(links: usize, count: u32, node: u32): bool {
  for (let i: usize = 0; i < <usize>count; i++) if (load<u32>(links + 4 + (i << 2)) == node) return true;
  return false;
}
