import type { BitmapPools } from './bitmaps/bitmap-pools.js';
import type { Bitmaps } from './bitmaps/bitmaps.js';
import type { Windows } from './bitmaps/windows.js';
import type { Columns } from './columns/columns.js';
import type { Texts } from './columns/texts.js';
import type { Dictionaries } from './dictionaries/dictionaries.js';
import type { Memory } from './kernel-memory.js';
import type { PathPlans } from './paths/path-plans.js';
import type { Lists } from './postings/lists.js';
import type { MaskedLists } from './postings/masked-lists.js';
import type { PositionTables } from './postings/position-tables.js';
import type { WordLists } from './postings/word-lists.js';
import type { Directory } from './shared/directory.js';
import type { Structures } from './shared/structures.js';
import type { Varints } from './varints.js';
import type { Vectors } from './vectors/vectors.js';

/** The kernel: one memory, and the operations on each kind of object in it. Arguments and results are numbers and copies. */
export interface Kernel {
  readonly memory: Memory;
  readonly bitmaps: Bitmaps;
  readonly windows: Windows;
  readonly pools: BitmapPools;
  readonly lists: Lists;
  readonly wordLists: WordLists;
  readonly maskedLists: MaskedLists;
  readonly tables: PositionTables;
  readonly dictionaries: Dictionaries;
  readonly columns: Columns;
  readonly texts: Texts;
  readonly varints: Varints;
  readonly paths: PathPlans;
  readonly vectors: Vectors;
  /** Loads structures that never change: where threads share the memory, one makes what the others find. */
  readonly structures: Structures;
  /** Structures of this thread alone. */
  readonly ownStructures: Structures;
  /** The structures of all threads that share the memory; null in a memory of its own. */
  readonly directory: Directory | null;
  /**
   * Called during a call when memory may not grow and no free block holds `byteCount`. It frees something that no running work needs and returns true, and is
   * called again if that was not enough; or it returns false, and the call throws KernelMemoryError. After that, as after a trap (`isKernelFault`), the
   * kernel's state is undefined: reset or drop it.
   */
  onShortage: ((byteCount: number) => boolean) | null;
  /**
   * Called during long calls, some thousand times a second. It may throw, which ends the call: the call's output bitmaps are then partly filled, its
   * allocations are freed, and scratch is released by its mark as usual.
   */
  onPause: (() => void) | null;
}
