import { BitmapPools } from './bitmaps/bitmap-pools.js';
import { Bitmaps } from './bitmaps/bitmaps.js';
import { Windows } from './bitmaps/windows.js';
import { Columns } from './columns/columns.js';
import { Texts } from './columns/texts.js';
import { Dictionaries } from './dictionaries/dictionaries.js';
import { HostCalls, instantiateKernel } from './instance.js';
import type { KernelExports } from './kernel-exports.js';
import { Memory } from './kernel-memory.js';
import { MemoryView } from './memory-view.js';
import { PathPlans } from './paths/path-plans.js';
import { Lists } from './postings/lists.js';
import { PositionTables } from './postings/position-tables.js';
import { RankIndexedLists } from './postings/rank-indexed-lists.js';
import { WordLists } from './postings/word-lists.js';
import type { Ptr } from './ptr.js';
import type { Directory } from './shared/directory.js';
import type { MadeStructure, Structure, Structures } from './shared/structures.js';
import { Varints } from './varints.js';
import { Vectors } from './vectors/vectors.js';

export interface KernelOptions {
  /** `checked` traps on broken contracts; default `fast`. */
  readonly build?: 'fast' | 'checked';
}

/**
 * A kernel with its own memory. Synchronous; the module is compiled once per thread and build.
 * Throws when the package has not been built, or on a machine without WebAssembly SIMD.
 */
export function createKernel(options: KernelOptions = {}): Kernel {
  const calls = new HostCalls();
  return new Kernel(instantiateKernel(options.build ?? 'fast', calls), calls);
}

/** What a memory that threads share has of its own. */
export interface SharedParts {
  readonly view: MemoryView;
  directoryOf(memory: Memory, own: Structures): Directory;
}

/** The kernel: one memory, and the operations on each kind of object in it. Arguments and results are numbers and copies. */
export class Kernel {
  readonly memory: Memory;
  readonly bitmaps: Bitmaps;
  readonly windows: Windows;
  readonly pools: BitmapPools;
  readonly lists: Lists;
  readonly wordLists: WordLists;
  readonly rankIndexedLists: RankIndexedLists;
  readonly tables: PositionTables;
  readonly dictionaries: Dictionaries;
  readonly columns: Columns;
  readonly texts: Texts;
  readonly varints: Varints;
  readonly paths: PathPlans;
  readonly vectors: Vectors;
  /** The structures of all threads that share the memory; null in a memory of its own. */
  readonly directory: Directory | null;
  /** Loads structures that never change: where threads share the memory, one makes what the others find. */
  readonly structures: Structures;
  /** Structures of this thread alone. */
  readonly ownStructures: Structures;
  private readonly calls: HostCalls;

  /** @param shared absent: it has a memory of its own */
  constructor(exports: KernelExports, calls: HostCalls, shared?: SharedParts) {
    const view = shared?.view ?? new MemoryView(exports, exports.memory);
    this.calls = calls;
    this.memory = new Memory(exports, view);
    this.bitmaps = new Bitmaps(exports, view);
    this.windows = new Windows(exports, view);
    this.pools = new BitmapPools(exports);
    this.lists = new Lists(exports, view);
    this.wordLists = new WordLists(exports, view, this.lists);
    this.rankIndexedLists = new RankIndexedLists(exports, view, this.bitmaps);
    this.tables = new PositionTables(exports, view);
    this.dictionaries = new Dictionaries(exports, view);
    this.columns = new Columns(exports, view);
    this.texts = new Texts(exports, view);
    this.varints = new Varints(exports, this.memory);
    this.paths = new PathPlans(exports, view, this.bitmaps);
    this.vectors = new Vectors(exports, view);
    this.ownStructures = new OwnStructures((block) => this.memory.free(block));
    this.directory = shared?.directoryOf(this.memory, this.ownStructures) ?? null;
    this.structures = this.directory ?? this.ownStructures;
  }

  /**
   * Called during a call when memory may not grow and no free block holds `byteCount`. It frees something that no running work needs and returns true, and is
   * called again if that was not enough; or it returns false, and the call throws KernelMemoryError. After that, as after a trap (`isKernelFault`), the
   * kernel's state is undefined: reset or drop it.
   */
  get onShortage(): ((byteCount: number) => boolean) | null {
    return this.calls.onShortage;
  }

  set onShortage(reclaim: ((byteCount: number) => boolean) | null) {
    this.calls.onShortage = reclaim;
  }

  /**
   * Called during long calls, some thousand times a second. It may throw, which ends the call: the call's output bitmaps are then partly filled, its
   * allocations are freed, and scratch is released by its mark as usual.
   */
  get onPause(): (() => void) | null {
    return this.calls.onPause;
  }

  set onPause(look: (() => void) | null) {
    this.calls.onPause = look;
  }
}

/** A structure of this thread. */
class OwnStructure implements Structure {
  readonly blocks: readonly Ptr[];
  readonly numbers: readonly number[];
  readonly ownBytes: number;
  private readonly release: (block: Ptr) => void;

  constructor({ blocks, numbers = [], byteCount }: MadeStructure, release: (block: Ptr) => void) {
    this.blocks = blocks;
    this.numbers = numbers;
    this.ownBytes = byteCount;
    this.release = release;
  }

  use(): boolean {
    return true;
  }

  isThere(): boolean {
    return true;
  }

  free(): void {
    for (const block of this.blocks) this.release(block);
  }

  discard(): void {
    this.free();
  }
}

/** Structures in the memory of one thread: each is made where it is loaded, and freed by the one that has loaded it. */
class OwnStructures implements Structures {
  private readonly release: (block: Ptr) => void;

  constructor(release: (block: Ptr) => void) {
    this.release = release;
  }

  load(_key: string, make: () => MadeStructure): Structure {
    return new OwnStructure(make(), this.release);
  }

  scope(): Structures {
    return this;
  }
}
