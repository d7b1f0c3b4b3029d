import type { BitmapPools } from './bitmap-pools.js';
import type { Bitmaps } from './bitmaps.js';
import type { Columns } from './columns.js';
import type { Dictionaries } from './dictionaries.js';
import type { Lists } from './lists.js';
import type { MaskedLists } from './masked-lists.js';
import type { Memory } from './memory.js';
import type { PathPlans } from './path-plans.js';
import type { PositionTables } from './position-tables.js';
import type { Texts } from './texts.js';
import type { Varints } from './varints.js';
import type { Vectors } from './vectors.js';
import type { Windows } from './windows.js';
import type { WordLists } from './word-lists.js';

/** Numbers in, numbers out: one memory, and the operations on each kind of object in it. */
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
  /**
   * Called in the middle of a call when memory may not grow and no free block holds `byteCount`: frees something that no running work needs
   * and answers true, to be asked again if that was not enough; or answers false, and the call throws KernelMemoryError. Behind that, as
   * behind a trap (`isKernelFault`), nothing in the kernel is to be relied on: it is to be reset, or given up.
   */
  onShortage: ((byteCount: number) => boolean) | null;
  /**
   * Called now and then in long calls, some thousand times a second. It may throw, which ends the call: bitmaps that the call was to fill
   * hold part of it, what it allocated is freed, and scratch goes with its mark as always.
   */
  onPause: (() => void) | null;
}
