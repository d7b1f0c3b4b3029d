// Paths through a query graph: the documents that match a path of a given cost, and those paths. The host writes the graph as one block, a plan (drawn in
// docs/internals/kernel-abi.md). The documents of an edge are resolved on demand: the walk stops and returns the edge, and the host calls again after it wrote the
// documents into the edge. Intermediate results are kept, so nothing is computed twice. All bitmaps of a plan are compact: they hold the lanes of the
// universe that had a document at the start. An edge matters only in documents from which the end can be reached after it; the host may resolve it in these
// alone, and is asked again for others.

import { writeLanes } from "./bitmaps/bitmap";
import { poolRelease, poolOfLanes } from "./bitmaps/bitmap-pool";
import {
  orIntersection, compactIntersection, compactOf, copyCompact, isWithin, join, intersectionOf, scatterIntersection, andNot,
} from "./bitmaps/lanes";
import { PATH_END, PATH_UNKNOWN, PLAN_EDGE_BYTES, PLAN_FRAME_BYTES, PLAN_HEADER_BYTES } from "./layout";

@unmanaged
class Plan {
  pool: u32;
  universe: u32;
  nodeCount: u32;
  edgeCount: u32;
  /** Costs are less than this. */
  costCount: u32;
  /** The cost that is tried next, and the step to the one after it. */
  cost: i32;
  step: i32;
  /** The cost of the documents returned last. */
  foundCost: i32;
  /** The edge whose documents are needed. */
  wanted: u32;
  /** The number of frames of the walk over paths, and the documents that no path has yet. */
  depth: u32;
  remaining: u32;
  /** The number of lanes of the universe that are not empty, and all its documents in them. */
  laneCount: u32;
  all: u32;
  /** The pool of compact bitmaps. */
  compacts: u32;
  /** The documents that the wanted edge is needed for, compact. */
  needed: u32;
}

// An edge is `[to][cost][docs bitmap][docs, compact][documents for which it is resolved, compact; PATH_UNKNOWN: all]`, a frame `[next edge][end of the edges][rest cost][docs, compact][edge taken]`; all u32.

// @ts-ignore: decorator
@inline function nodesOf(plan: Plan): usize { return changetype<usize>(plan) + PLAN_HEADER_BYTES; }
// @ts-ignore: decorator
@inline function edgesOf(plan: Plan): usize { return nodesOf(plan) + (<usize>(plan.nodeCount + 1) << 2); }
// @ts-ignore: decorator
@inline function framesOf(plan: Plan): usize { return edgesOf(plan) + <usize>plan.edgeCount * PLAN_EDGE_BYTES; }
// @ts-ignore: decorator
@inline function tableOf(plan: Plan): usize { return framesOf(plan) + <usize>(plan.nodeCount + 1) * PLAN_FRAME_BYTES; }
// @ts-ignore: decorator
@inline function edgeAt(plan: Plan, index: u32): usize { return edgesOf(plan) + <usize>index * PLAN_EDGE_BYTES; }
// @ts-ignore: decorator
@inline function firstEdge(plan: Plan, node: u32): u32 { return load<u32>(nodesOf(plan) + (<usize>node << 2)); }
// @ts-ignore: decorator
@inline function slotOf(plan: Plan, node: u32, cost: u32): usize { return tableOf(plan) + (<usize>(node * plan.costCount + cost) << 2); }

// @ts-ignore: decorator
@inline function lanesOf(plan: Plan): usize { return slotOf(plan, plan.nodeCount, 0); }

/** Initialises a written plan. */
export function pathsStart(at: usize): void {
  const plan = changetype<Plan>(at);
  memory.fill(tableOf(plan), 0xff, <usize>(plan.nodeCount * plan.costCount) << 2);
  plan.depth = 0;
  plan.remaining = 0;
  plan.laneCount = <u32>((writeLanes(plan.universe, lanesOf(plan), load<u32>(plan.universe) >> 2) - lanesOf(plan)) >> 2);
  plan.compacts = <u32>poolOfLanes(plan.pool, plan.laneCount);
  plan.all = <u32>compactOf(plan.compacts, plan.universe, lanesOf(plan), plan.laneCount);
}

// @ts-ignore: decorator
@inline function release(plan: Plan, docs: u32): void {
  if (docs != 0 && docs != PATH_UNKNOWN && docs != plan.all) poolRelease(plan.compacts, docs);
}

/** Releases all bitmaps of the plan. */
export function pathsEnd(at: usize): void {
  const plan = changetype<Plan>(at);
  for (let p = tableOf(plan); p < lanesOf(plan); p += 4) release(plan, load<u32>(p));
  const edgesEnd = edgeAt(plan, plan.edgeCount);
  for (let edge = edgesOf(plan); edge < edgesEnd; edge += PLAN_EDGE_BYTES) {
    release(plan, load<u32>(edge, 12));
    release(plan, load<u32>(edge, 16));
  }
  endWalk(plan);
  poolRelease(plan.compacts, plan.all);
}

/** Documents of an edge in the universe, compact; 0 for none. Its bitmap must be resolved. */
function docsOf(plan: Plan, edge: usize): u32 {
  const known = load<u32>(edge, 12);
  if (known != PATH_UNKNOWN) return known;
  const docs = load<u32>(edge, 8);
  const found = docs == 0 ? 0 : <u32>compactIntersection(plan.compacts, docs, plan.all, lanesOf(plan), plan.laneCount);
  store<u32>(edge, found, 12);
  return found;
}

/** Documents from which the end is reached from `node` at exactly `cost`: 0 for none, PATH_UNKNOWN when an edge must be resolved first. */
function reach(plan: Plan, node: u32, cost: u32): u32 {
  if (node == PATH_END) return cost == 0 ? plan.all : 0;
  const slot = slotOf(plan, node, cost);
  const known = load<u32>(slot);
  if (known != PATH_UNKNOWN) return known;
  const from = edgeAt(plan, firstEdge(plan, node));
  const end = edgeAt(plan, firstEdge(plan, node + 1));
  let reachesAll = false;
  for (let edge = from; edge < end; edge += PLAN_EDGE_BYTES) {
    const step = load<u32>(edge, 4);
    if (step > cost) continue;
    const to = load<u32>(edge);
    const suffix = reach(plan, to, cost - step);
    if (suffix == PATH_UNKNOWN) return PATH_UNKNOWN;
    if (suffix == 0) continue;
    if (to == PATH_END) {
      reachesAll = true;
    } else if (!isResolved(plan, edge, suffix)) {
      plan.wanted = <u32>((edge - edgesOf(plan)) / PLAN_EDGE_BYTES);
      plan.needed = suffix;
      return PATH_UNKNOWN;
    }
  }
  const found = reachesAll ? plan.all : unionOf(plan, from, end, cost);
  store<u32>(slot, found);
  return found;
}

function isResolved(plan: Plan, edge: usize, docs: u32): bool {
  if (load<u32>(edge, 8) == PATH_UNKNOWN) return false;
  const resolved = load<u32>(edge, 16);
  return resolved == PATH_UNKNOWN || (resolved != 0 && isWithin(docs, resolved, plan.laneCount));
}

/** The documents that the wanted edge has to be resolved in, in a bitmap of the pool; 0 when the universe has lost all of them. */
export function pathsNeeded(at: usize): u32 {
  const plan = changetype<Plan>(at);
  const edge = edgeAt(plan, plan.wanted);
  const resolved = load<u32>(edge, 8) == PATH_UNKNOWN ? 0 : load<u32>(edge, 16);
  if (resolved == 0) return <u32>scatterIntersection(plan.pool, plan.universe, plan.needed, lanesOf(plan), plan.laneCount);
  const rest = copyCompact(plan.compacts, plan.needed, plan.laneCount);
  andNot(rest, resolved, plan.laneCount);
  const docs = scatterIntersection(plan.pool, plan.universe, rest, lanesOf(plan), plan.laneCount);
  poolRelease(plan.compacts, rest);
  return <u32>docs;
}

/**
 * Sets the documents of an edge, as far as they are among the documents that the wanted edge is needed for and those of earlier calls. PATH_UNKNOWN: those of
 * earlier calls alone. An edge that is known for all documents stays as it is.
 */
export function pathsResolve(at: usize, index: u32, docs: u32): void {
  const plan = changetype<Plan>(at);
  const edge = edgeAt(plan, index);
  const before = load<u32>(edge, 8);
  const resolved = before == PATH_UNKNOWN ? 0 : load<u32>(edge, 16);
  // all documents of a parallel edge may be known already
  if (resolved == PATH_UNKNOWN) return;
  release(plan, load<u32>(edge, 12));
  store<u32>(edge, docs != PATH_UNKNOWN ? docs : before != PATH_UNKNOWN ? before : 0, 8);
  store<u32>(edge, PATH_UNKNOWN, 12);
  if (resolved == 0) store<u32>(edge, <u32>copyCompact(plan.compacts, plan.needed, plan.laneCount), 16);
  else join(resolved, plan.needed, plan.laneCount);
}

/** Releases what such calls left in an edge, whose bitmap is then to be written as that of all documents. */
export function pathsForget(at: usize, index: u32): void {
  const plan = changetype<Plan>(at);
  const edge = edgeAt(plan, index);
  release(plan, load<u32>(edge, 12));
  release(plan, load<u32>(edge, 16));
  store<u64>(edge, -1, 12);
}

/** Documents of all edges in [from, end), each intersected with the documents of its target. All of them must be resolved. */
function unionOf(plan: Plan, from: usize, end: usize, cost: u32): u32 {
  let found: usize = 0;
  for (let edge = from; edge < end; edge += PLAN_EDGE_BYTES) {
    const step = load<u32>(edge, 4);
    if (step > cost) continue;
    const suffix = reach(plan, load<u32>(edge), cost - step);
    if (suffix == 0) continue;
    const docs = docsOf(plan, edge);
    if (docs != 0) found = orIntersection(plan.compacts, found, docs, suffix, plan.laneCount);
  }
  return <u32>found;
}

function wanted(plan: Plan): u32 { return (plan.wanted << 1) | 1; }

/**
 * Returns the documents of the universe (which may have lost some since the start) that match a path of the next cost that has any, in a bitmap of the pool;
 * 0 when no cost is left. An odd value is a request for an edge: twice its number, plus one. The plan holds the cost.
 */
export function pathsNext(at: usize): u32 {
  const plan = changetype<Plan>(at);
  while (plan.cost >= 0 && plan.cost < <i32>plan.costCount) {
    const docs = reach(plan, 0, plan.cost);
    if (docs == PATH_UNKNOWN) return wanted(plan);
    plan.foundCost = plan.cost;
    plan.cost += plan.step;
    if (docs == 0) continue;
    const within = scatterIntersection(plan.pool, plan.universe, docs, lanesOf(plan), plan.laneCount);
    if (within != 0) return <u32>within;
  }
  return 0;
}

/** Begins the walk over the paths of the last found cost that match documents of `docs`. The universe must still have them. */
export function pathsWalk(at: usize, docs: usize): void {
  const plan = changetype<Plan>(at);
  endWalk(plan);
  plan.remaining = <u32>compactOf(plan.compacts, docs, lanesOf(plan), plan.laneCount);
  push(plan, 0, plan.foundCost, 0);
}

/** Releases the bitmaps of a walk over paths. */
function endWalk(plan: Plan): void {
  for (; plan.depth > 0; plan.depth--) {
    release(plan, load<u32>(framesOf(plan) + <usize>(plan.depth - 1) * PLAN_FRAME_BYTES, 12));
  }
  release(plan, plan.remaining);
  plan.remaining = 0;
}

function push(plan: Plan, node: u32, rest: u32, docs: u32): void {
  assert(plan.depth <= plan.nodeCount, "a path visits a node once");
  const frame = framesOf(plan) + <usize>plan.depth * PLAN_FRAME_BYTES;
  plan.depth++;
  store<u32>(frame, firstEdge(plan, node));
  store<u32>(frame, firstEdge(plan, node + 1), 4);
  store<u32>(frame, rest, 8);
  store<u32>(frame, docs, 12);
}

/**
 * The next such path, in the order of edges: the number of its edges, plus one for the edge to the end; 0 when there is none. The host reads the edges from
 * the frames. Only branches that lead to a remaining document are entered.
 */
export function pathsWalkNext(at: usize): u32 {
  const plan = changetype<Plan>(at);
  while (plan.depth > 0) {
    const frame = framesOf(plan) + <usize>(plan.depth - 1) * PLAN_FRAME_BYTES;
    const index = load<u32>(frame);
    const docs = load<u32>(frame, 12);
    if (index == load<u32>(frame, 4)) {
      plan.depth--;
      if (docs != 0) poolRelease(plan.compacts, docs);
      continue;
    }
    store<u32>(frame, index + 1);
    store<u32>(frame, index, 16);
    const edge = edgeAt(plan, index);
    const to = load<u32>(edge);
    const step = load<u32>(edge, 4);
    const before = load<u32>(frame, 8);
    if (step > before) continue;
    if (to == PATH_END) {
      if (step != before) continue;
      andNot(plan.remaining, docs, plan.laneCount);
      return plan.depth;
    }
    enter(plan, edge, to, before - step, docs);
  }
  return 0;
}

function enter(plan: Plan, edge: usize, to: u32, rest: u32, docs: u32): void {
  const suffix = reach(plan, to, rest);
  // A path that was never resolved matches nothing.
  if (suffix == 0 || suffix == PATH_UNKNOWN || load<u32>(edge, 8) == PATH_UNKNOWN) return;
  const own = docsOf(plan, edge);
  if (own == 0) return;
  const here = intersectionOf(plan.compacts, plan.remaining, own, suffix, docs, plan.laneCount);
  if (here != 0) push(plan, to, rest, <u32>here);
}
