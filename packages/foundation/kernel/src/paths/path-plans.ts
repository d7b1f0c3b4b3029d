import type { Bitmaps } from '../bitmaps/bitmaps.js';
import type { KernelExports } from '../kernel-exports.js';
import { PLAN_EDGE_BYTES, PLAN_FRAME_BYTES, PLAN_HEADER_BYTES } from '../layout.js';
import { KernelPart, type MemoryView } from '../memory-view.js';
import { type Bitmap, type Block, NEEDS_DOCS, type None, type Pool, type Ptr } from '../ptr.js';

/** Words of the header that only the kernel writes. */
const WORKING_WORDS = [0, 0, 0, 0, 0];
/** Index of the header's word for the last found cost. */
const FOUND_COST_WORD = 7;
/** Byte offsets: in an edge, of its documents' bitmap, and of the documents for which these are known; in a frame, of its current edge. */
const EDGE_DOCS_AT = 8;
const EDGE_RESOLVED_AT = 16;
const FRAME_EDGE_AT = 16;
const EDGE_WORDS = PLAN_EDGE_BYTES / 4;
const UNKNOWN = 0xffff_ffff;
/** Documents of a lane of a bitmap; a plan has an entry for each lane. */
const LANE_BITS = 128;
const edgesByte = (nodeCount: number): number => PLAN_HEADER_BYTES + (nodeCount + 1) * 4;
const framesByte = (nodeCount: number, edgeCount: number): number => edgesByte(nodeCount) + edgeCount * PLAN_EDGE_BYTES;

/** Paths through graphs whose edges have costs and documents. */
export class PathPlans extends KernelPart {
  private readonly bitmaps: Bitmaps;

  constructor(exports: KernelExports, memory: MemoryView, bitmaps: Bitmaps) {
    super(exports, memory);
    this.bitmaps = bitmaps;
  }

  /** Bytes of memory for a plan over bitmaps like this one. */
  byteCount({ firstEdges, targets, costCount }: PathPlanShape, universe: Bitmap): number {
    return planByteCount(firstEdges.length - 1, targets.length, costCount, this.bitmaps.bitCapacity(universe));
  }

  /**
   * Writes a plan to `capacity` and initialises it.
   * @param universe the documents to match: it may lose documents meanwhile, and never gain one
   */
  create(pool: Pool, universe: Bitmap, shape: PathPlanShape, capacity: Block): PathPlan {
    return new PathPlan(this.exports, this.memory, { pool, universe, shape, ptr: capacity });
  }
}

/** Bytes of a plan. */
function planByteCount(nodeCount: number, edgeCount: number, costCount: number, bitCapacity: number): number {
  const tables = nodeCount * costCount * 4 + (bitCapacity / LANE_BITS) * 4;
  return framesByte(nodeCount, edgeCount) + (nodeCount + 1) * PLAN_FRAME_BYTES + tables;
}

/** The shape of a plan, and where it is. */
interface PlanLocation {
  readonly pool: Pool;
  readonly universe: Bitmap;
  readonly shape: PathPlanShape;
  readonly ptr: Ptr;
}

/**
 * Paths through a graph, by ascending or descending cost, as the kernel walks them (docs/internals/kernel-abi.md). The plan is in its caller's memory, until
 * `end`.
 */
export class PathPlan extends KernelPart {
  private readonly ptr: Ptr;
  private readonly edgesAt: Ptr;
  private readonly framesAt: Ptr;
  private edgeNeeded = 0;

  /** Writes the plan to `ptr` and initialises it. O(nodes x costs). */
  constructor(exports: KernelExports, memory: MemoryView, { pool, universe, shape, ptr }: PlanLocation) {
    super(exports, memory);
    this.ptr = ptr;
    const { firstEdges, targets, costs, costCount, isDescending } = shape;
    const nodeCount = firstEdges.length - 1;
    const edgeCount = targets.length;
    this.edgesAt = ptr + edgesByte(nodeCount);
    this.framesAt = ptr + framesByte(nodeCount, edgeCount);
    const { u32 } = memory;
    const [firstCost, step] = isDescending ? [costCount - 1, -1] : [0, 1];
    u32.set([pool, universe, nodeCount, edgeCount, costCount, firstCost, step, ...WORKING_WORDS], ptr >>> 2);
    u32.set(firstEdges, (ptr + PLAN_HEADER_BYTES) >>> 2);
    let at = this.edgesAt >>> 2;
    for (let edge = 0; edge < edgeCount; edge++, at += EDGE_WORDS) {
      u32[at] = targets[edge]!;
      u32[at + 1] = costs[edge]!;
      u32[at + 2] = UNKNOWN;
      u32[at + 3] = UNKNOWN;
      u32[at + 4] = UNKNOWN;
    }
    exports.pathsStart(ptr);
  }

  /**
   * Documents of the plan's universe (which may have lost some since the start) that match a path of the next cost that has any, in a bitmap of the pool; 0
   * when no cost is left. NEEDS_DOCS: the documents of `neededEdge` are needed first.
   */
  next(): Bitmap | None | typeof NEEDS_DOCS {
    const found = this.exports.pathsNext(this.ptr) >>> 0;
    if ((found & 1) === 0) return found as Bitmap | None;
    this.edgeNeeded = found >>> 1;
    return NEEDS_DOCS;
  }

  get neededEdge(): number {
    return this.edgeNeeded;
  }

  /** The cost of the documents that `next` returned last. */
  get foundCost(): number {
    return this.memory.u32[(this.ptr >>> 2) + FOUND_COST_WORD]!;
  }

  /** Sets all documents that match an edge; 0 for none. */
  setDocs(edge: number, docs: Bitmap | None): void {
    const at = this.edgesAt + edge * PLAN_EDGE_BYTES;
    if (this.memory.u32[(at + EDGE_RESOLVED_AT) >>> 2] !== UNKNOWN) this.exports.pathsForget(this.ptr, edge);
    this.memory.u32[(at + EDGE_DOCS_AT) >>> 2] = docs;
  }

  /** The documents in which `neededEdge` has to be known, as a bitmap that the caller returns to the pool; 0 when the universe has lost all of them. */
  neededDocs(): Bitmap | None {
    return (this.exports.pathsNeeded(this.ptr) >>> 0) as Bitmap | None;
  }

  /**
   * Sets the documents that match the needed edge, or one parallel to it: `docs` is right in the needed documents and those of earlier calls. The edge is
   * needed again for others.
   */
  resolve(edge: number, docs: Bitmap | None): void {
    this.exports.pathsResolve(this.ptr, edge, docs);
  }

  /** The same when the universe has lost all needed documents. */
  skip(edge: number): void {
    this.exports.pathsResolve(this.ptr, edge, UNKNOWN);
  }

  /** Begins the walk over the paths of the last found cost that match some of `docs`, which the universe must still have. */
  walk(docs: Bitmap): void {
    this.exports.pathsWalk(this.ptr, docs);
  }

  /** The next path that matches documents that no earlier path matched: how many frames hold its edges, the last one to the end; 0 for none. */
  nextPath(): number {
    return this.exports.pathsWalkNext(this.ptr) >>> 0;
  }

  edgeOfFrame(frame: number): number {
    return this.memory.u32[(this.framesAt + frame * PLAN_FRAME_BYTES + FRAME_EDGE_AT) >>> 2]!;
  }

  /** Returns the plan's bitmaps to its pool. */
  end(): void {
    this.exports.pathsEnd(this.ptr);
  }
}

/** A graph whose edges have costs. Node 0 is the start, node 1 the end; alternatives between two nodes are parallel edges. */
interface PathPlanShape {
  /** By node, plus one entry at the end: its first edge. Edges are ordered by the node that they leave. */
  readonly firstEdges: readonly number[];
  /** By edge: the node that it leads to, and its cost. */
  readonly targets: readonly number[];
  readonly costs: readonly number[];
  /** One more than the greatest cost of a path. */
  readonly costCount: number;
  readonly isDescending: boolean;
}
