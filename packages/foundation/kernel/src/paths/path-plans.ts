import type { Bitmaps } from '../bitmaps/bitmaps.js';
import type { KernelExports } from '../kernel-exports.js';
import type { MemoryView } from '../memory-view.js';
import type { Bitmap, Block, Pool } from '../ptr.js';
import { planByteCount, WasmPathPlan } from './path-plan.js';
import type { PathPlan, PathPlanShape } from './path-plan-port.js';

/** Paths through graphs whose edges have costs and documents. */
export class PathPlans {
  private readonly exports: KernelExports;
  private readonly memory: MemoryView;
  private readonly bitmaps: Bitmaps;

  constructor(exports: KernelExports, memory: MemoryView, bitmaps: Bitmaps) {
    this.exports = exports;
    this.memory = memory;
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
    return new WasmPathPlan(this.exports, this.memory, { pool, universe, shape, ptr: capacity });
  }
}
