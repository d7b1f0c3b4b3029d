// Ways through a query graph: which documents a way of a given cost leads to, and which ways they are. The graph is written by the host in
// one piece, a plan (drawn in docs/kernel-abi.md). Documents of an edge are unknown until they are needed: then the walk stops, asks
// for them by answering the edge, and is called again once they are written into it. What it found so far is kept, so nothing is done twice.

import { bitmapAndNot, bitmapClear } from "./bitmap";
import { poolAddMeeting, poolGive, poolMeet, poolMeetThree } from "./bitmap-pool";
import { PATH_END, PATH_UNKNOWN, PLAN_EDGE_BYTES, PLAN_FRAME_BYTES, PLAN_HEADER_BYTES } from "./layout";

@unmanaged
class Plan {
  pool: u32;
  /** All documents that count. */
  base: u32;
  nodeCount: u32;
  edgeCount: u32;
  /** Costs run from 0 up to this one, exclusive. */
  costCount: u32;
  /** The cost that is looked for next, and the step to the one after it. */
  cost: i32;
  step: i32;
  /** The cost of the documents answered last. */
  foundCost: i32;
  /** The edge whose documents are needed. */
  wanted: u32;
  /** Frames of the walk over paths that are in use, and the documents that no path has taken yet. */
  depth: u32;
  remaining: u32;
  unused: u32;
}

// An edge is `[to][cost][docs]`, a frame `[next edge][end of the edges][rest cost][docs][edge taken]`; all u32.

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
@inline function slotOf(plan: Plan, node: u32, cost: u32): usize {
  return tableOf(plan) + (<usize>(node * plan.costCount + cost) << 2);
}

/** Makes a written plan ready: nothing is known yet. */
export function pathsStart(at: usize): void {
  const plan = changetype<Plan>(at);
  memory.fill(tableOf(plan), 0xff, <usize>(plan.nodeCount * plan.costCount) << 2);
  plan.depth = 0;
}

/** Gives back all bitmaps that the plan holds. */
export function pathsEnd(at: usize): void {
  const plan = changetype<Plan>(at);
  const end = slotOf(plan, plan.nodeCount, 0);
  for (let p = tableOf(plan); p < end; p += 4) {
    const docs = load<u32>(p);
    if (docs != 0 && docs != PATH_UNKNOWN && docs != plan.base) poolGive(plan.pool, docs);
  }
  const frames = framesOf(plan);
  for (let f = frames; f < frames + <usize>plan.depth * PLAN_FRAME_BYTES; f += PLAN_FRAME_BYTES) {
    if (load<u32>(f, 12) != 0) poolGive(plan.pool, load<u32>(f, 12));
  }
}

/** Documents from which the end is reached from `node` at exactly `cost`: 0 for none, PATH_UNKNOWN when an edge is wanted first. */
function reach(plan: Plan, node: u32, cost: u32): u32 {
  if (node == PATH_END) return cost == 0 ? plan.base : 0;
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
    } else if (load<u32>(edge, 8) == PATH_UNKNOWN) {
      plan.wanted = <u32>((edge - edgesOf(plan)) / PLAN_EDGE_BYTES);
      return PATH_UNKNOWN;
    }
  }
  const found = reachesAll ? plan.base : unionOf(plan, from, end, cost);
  store<u32>(slot, found);
  return found;
}

/** Documents of all edges in [from, end) with what lies behind them. Everything is known. */
function unionOf(plan: Plan, from: usize, end: usize, cost: u32): u32 {
  let found: usize = 0;
  for (let edge = from; edge < end; edge += PLAN_EDGE_BYTES) {
    const step = load<u32>(edge, 4);
    if (step > cost) continue;
    const suffix = reach(plan, load<u32>(edge), cost - step);
    const docs = load<u32>(edge, 8);
    if (suffix == 0 || docs == 0) continue;
    found = poolAddMeeting(plan.pool, found, docs, suffix);
  }
  return <u32>found;
}

// @ts-ignore: decorator
@inline function wanted(plan: Plan): u32 { return (plan.wanted << 1) | 1; }

/**
 * Documents of `universe`, which must lie in the base, with a way of the next cost that has any, in a bitmap of the pool; 0 when no cost is
 * left. An odd answer asks for an edge: twice its number, plus one. The cost is left in the plan.
 */
export function pathsNext(at: usize, universe: usize): u32 {
  const plan = changetype<Plan>(at);
  while (plan.cost >= 0 && plan.cost < <i32>plan.costCount) {
    const docs = reach(plan, 0, plan.cost);
    if (docs == PATH_UNKNOWN) return wanted(plan);
    plan.foundCost = plan.cost;
    plan.cost += plan.step;
    if (docs == 0) continue;
    const within = poolMeet(plan.pool, docs, universe);
    if (within != 0) return <u32>within;
  }
  return 0;
}

/** Begins the walk over the paths of the cost found last that bring documents of `remaining`, which the walk empties. */
export function pathsCredit(at: usize, remaining: usize): void {
  const plan = changetype<Plan>(at);
  plan.remaining = <u32>remaining;
  plan.depth = 0;
  push(plan, 0, plan.foundCost, 0);
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
 * The next such path, in the order of edges: how many edges it has, plus one for that to the end; 0 when there is none. They are read from the
 * frames. Only branches that surely end in a document still there are entered.
 */
export function pathsCreditNext(at: usize): u32 {
  const plan = changetype<Plan>(at);
  while (plan.depth > 0) {
    const frame = framesOf(plan) + <usize>(plan.depth - 1) * PLAN_FRAME_BYTES;
    const index = load<u32>(frame);
    const docs = load<u32>(frame, 12);
    if (index == load<u32>(frame, 4)) {
      plan.depth--;
      if (docs != 0) poolGive(plan.pool, docs);
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
      if (docs == 0) bitmapClear(plan.remaining);
      else bitmapAndNot(plan.remaining, docs);
      return plan.depth;
    }
    enter(plan, edge, to, before - step, docs);
  }
  return 0;
}

function enter(plan: Plan, edge: usize, to: u32, rest: u32, docs: u32): void {
  const suffix = reach(plan, to, rest);
  const own = load<u32>(edge, 8);
  // What was never asked for leads nowhere.
  if (suffix == 0 || suffix == PATH_UNKNOWN || own == 0 || own == PATH_UNKNOWN) return;
  let here = poolMeetThree(plan.pool, plan.remaining, own, suffix);
  if (here != 0 && docs != 0) {
    const all = poolMeet(plan.pool, here, docs);
    poolGive(plan.pool, here);
    here = all;
  }
  if (here != 0) push(plan, to, rest, <u32>here);
}
