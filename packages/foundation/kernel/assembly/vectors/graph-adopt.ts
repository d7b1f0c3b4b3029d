// Copies a graph without its deleted nodes, whose neighbours are linked with each other instead.

import { scratchMark, scratchRelease } from "../arena";
import { NO_NODE } from "../layout";
import { Graph, addNode, levelOf, linksMax, linksOf } from "./graph";
import { pushNeighbour, select } from "./graph-build";
import { visit, visitedScratch } from "./graph-search";
import { heapScratch, sortFarthest } from "./near-heap";

/**
 * Makes nodes of `target` from the nodes [from, to) of `source`. targetNodes[node] (u32) is the node's number in `target`, ascending from 0, or NO_NODE when
 * it is deleted. The set of `target` holds the vectors already. A node that lost neighbours is linked with the best of their neighbours. O(nodes * degree),
 * and O(degree^2 * dimensions) for each node that lost one.
 */
export function graphAdopt(source: Graph, target: Graph, targetNodes: usize, from: u32, to: u32): void {
  for (let node = from; node < to; node++) {
    const targetNode = targetNodeOf(targetNodes, node);
    if (targetNode == NO_NODE) continue;
    const level = levelOf(source, node);
    const added = addNode(target, level);
    assert(added == targetNode, "nodes out of order");
    for (let at: u32 = 0; at <= level; at++) adoptLinks(source, target, targetNodes, node, at);
  }
}

/** Sets the entry node, once all nodes are there: one that reaches the highest level. O(nodes). */
export function graphEnter(graph: Graph): void {
  graph.entry = NO_NODE;
  graph.topLevel = 0;
  for (let node: u32 = 0; node < graph.nodeCount; node++) {
    const level = levelOf(graph, node);
    const isFirst = graph.entry == NO_NODE && load<u32>(linksOf(graph, node, 0)) > 0;
    if (!isFirst && level <= graph.topLevel) continue;
    graph.entry = node;
    graph.topLevel = level;
  }
  // a single node with a direction has no neighbours but is the entry all the same
  for (let node: u32 = 0; node < graph.nodeCount && graph.entry == NO_NODE; node++) {
    if (load<f32>(<usize>graph.vectors.scales + (<usize>node << 2)) != 0) graph.entry = node;
  }
}

// @ts-ignore: decorator
@inline function targetNodeOf(targetNodes: usize, node: u32): u32 { return load<u32>(targetNodes + (<usize>node << 2)); }

function adoptLinks(source: Graph, target: Graph, targetNodes: usize, node: u32, level: u32): void {
  const old = linksOf(source, node, level);
  const links = linksOf(target, targetNodeOf(targetNodes, node), level);
  const end = old + 4 + (<usize>load<u32>(old) << 2);
  let count: u32 = 0;
  for (let p = old + 4; p < end; p += 4) {
    const targetNode = targetNodeOf(targetNodes, load<u32>(p));
    if (targetNode == NO_NODE) {
      repair(source, target, targetNodes, node, level);
      return;
    }
    store<u32>(links + 4 + (<usize>count << 2), targetNode);
    count++;
  }
  store<u32>(links, count);
}

/** Selects among the live neighbours and those of the deleted ones. */
function repair(source: Graph, target: Graph, targetNodes: usize, node: u32, level: u32): void {
  const mark = scratchMark();
  const most = linksMax(source, level);
  const near = heapScratch(most * (most + 1));
  const seen = visitedScratch(source.nodeCount);
  const targetNode = targetNodeOf(targetNodes, node);
  visit(seen, node);
  const links = linksOf(source, node, level);
  const end = links + 4 + (<usize>load<u32>(links) << 2);
  for (let p = links + 4; p < end; p += 4) {
    const neighbour = load<u32>(p);
    if (targetNodeOf(targetNodes, neighbour) != NO_NODE) {
      if (visit(seen, neighbour)) pushNeighbour(target, near, targetNode, targetNodeOf(targetNodes, neighbour));
      continue;
    }
    const beyond = linksOf(source, neighbour, level);
    const beyondEnd = beyond + 4 + (<usize>load<u32>(beyond) << 2);
    for (let q = beyond + 4; q < beyondEnd; q += 4) {
      const other = load<u32>(q);
      if (targetNodeOf(targetNodes, other) != NO_NODE && visit(seen, other)) pushNeighbour(target, near, targetNode, targetNodeOf(targetNodes, other));
    }
  }
  sortFarthest(near);
  select(target, near, most, linksOf(target, targetNode, level));
  scratchRelease(mark);
}
