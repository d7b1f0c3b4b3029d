import {
  type Bitmap,
  type Block,
  type Kernel,
  type None,
  type Structure,
  WINDOW_POSITIONS,
  type Window,
} from '@fossick/kernel';
import type { Pieces } from '@fossick/kernel/memory';
import { positionSlot, type WordWindows } from './stored-windows.js';

/** A window is kept as stored while that takes this many times fewer bytes than its bits: fresh memory costs more than reading it. */
const SPARSE_SHARE = 4;
/** A window used more often gets its bits set: reading it so often costs about as much. */
const SPARSE_USES_MAX = 8;

/** The documents of a window, deleted ones included. */
interface HeldWindow {
  readonly structure: Structure;
  /** target |= window, restricted to `within` (0: everything) and without `without` (0: nothing). */
  or(target: Bitmap, within: Bitmap | None, without: Bitmap | None): void;
  /** all |= window, of the same stretch. */
  joinTo(all: Window): void;
}

/** Stored windows of one list, in memory once requested. */
export class HeldWindows {
  private readonly kernel: Kernel;
  private readonly stored: WordWindows;
  private readonly pieces: Pieces;
  /** By slot; null for empty ones. */
  private readonly held: (HeldWindow | null)[] = [];

  /** @param pieces has the windows, and frees them */
  constructor(kernel: Kernel, stored: WordWindows, pieces: Pieces) {
    this.kernel = kernel;
    this.stored = stored;
    this.pieces = pieces;
  }

  /** Null for a window without documents. The result is valid until the next call. */
  at(slot: number): HeldWindow | null {
    let known = this.held[slot];
    if (known === undefined) known = this.stored.has(slot) ? this.read(slot) : null;
    else if (known instanceof SparseWindow && known.isWorn) known = this.spread(slot, known);
    this.held[slot] = known;
    return known;
  }

  /** Whether each field has a window; else one covers them all. */
  get hasFields(): boolean {
    return this.stored.fieldCount > 0;
  }

  /** bitmaps[field] |= documents of `within` in the window of the field (0: none), without those of `without`. */
  orFields(bitmaps: readonly (Bitmap | None)[], within: Bitmap, without: Bitmap | None): void {
    for (let field = 0; field < this.stored.fieldCount; field++) {
      const target = bitmaps[field] ?? 0;
      if (target !== 0) this.at(field)?.or(target, within, without);
    }
  }

  /** target |= documents of `within` in the windows of the positions whose bits are in `wanted`, without those of `without`. */
  orPositions(target: Bitmap, wanted: number, within: Bitmap, without: Bitmap | None): void {
    for (let position = 0; position < WINDOW_POSITIONS; position++)
      if ((wanted & (1 << position)) !== 0) this.at(positionSlot(position))?.or(target, within, without);
  }

  /** Sets all documents in a window of the whole stretch. */
  joinAll(docs: Window): void {
    const { fieldCount } = this.stored;
    if (fieldCount === 0) this.stored.read(0, docs);
    else for (let field = 0; field < fieldCount; field++) this.at(field)?.joinTo(docs);
  }

  /** Called when its windows are freed. */
  forget(): void {
    this.held.length = 0;
  }

  private read(slot: number): HeldWindow {
    const { kernel, stored } = this;
    const partBytes = stored.partBytes(slot);
    const byteCount = sumOf(partBytes);
    if (byteCount * 8 * SPARSE_SHARE > stored.bitCount) return this.dense(slot, (window) => stored.read(slot, window));
    const structure = this.pieces.load(`sparse:${slot}`, () => {
      const block = kernel.memory.allocate(byteCount);
      this.fill(block, () => stored.copy(slot, block));
      return { blocks: [block], byteCount };
    });
    return new SparseWindow(kernel, stored.firstDoc, partBytes, structure);
  }

  /** Sets the bits of a window that was kept as stored. */
  private spread(slot: number, sparse: SparseWindow): HeldWindow {
    const dense = this.dense(slot, (window) => sparse.joinTo(window));
    this.pieces.drop(sparse.structure);
    return dense;
  }

  private dense(slot: number, read: (window: Window) => void): HeldWindow {
    const { kernel, stored } = this;
    const structure = this.pieces.load(`dense:${slot}`, () => {
      const window = kernel.windows.create(stored.firstDoc, stored.bitCount);
      this.fill(window, () => read(window));
      return { blocks: [window], byteCount: stored.bitCount / 8 }; // whole lanes
    });
    return new DenseWindow(kernel, structure);
  }

  /** Frees the block when it is not filled: incomplete windows are never kept. */
  private fill(block: Block | Window, fill: () => void): void {
    try {
      fill();
    } catch (error) {
      this.kernel.memory.free(block);
      throw error;
    }
  }
}

/** A window with its bits in memory. */
class DenseWindow implements HeldWindow {
  private readonly kernel: Kernel;
  readonly structure: Structure;
  private readonly window: Window;

  constructor(kernel: Kernel, structure: Structure) {
    this.kernel = kernel;
    this.structure = structure;
    this.window = structure.blocks[0] as Window;
  }

  or(target: Bitmap, within: Bitmap | None, without: Bitmap | None): void {
    this.kernel.windows.or(target, this.window, within, without);
  }

  joinTo(all: Window): void {
    this.kernel.windows.join(all, this.window);
  }
}

/** A window of few documents: differences of documents, as stored, in one part for each table of words. */
class SparseWindow implements HeldWindow {
  private readonly kernel: Kernel;
  private readonly firstDoc: number;
  private readonly partBytes: readonly number[];
  readonly structure: Structure;
  private readonly block: Block;
  private uses = 0;

  constructor(kernel: Kernel, firstDoc: number, partBytes: readonly number[], structure: Structure) {
    this.kernel = kernel;
    this.firstDoc = firstDoc;
    this.partBytes = partBytes;
    this.structure = structure;
    this.block = structure.blocks[0] as Block;
  }

  /** Whether it was used so often that its bits should be set. */
  get isWorn(): boolean {
    return this.uses > SPARSE_USES_MAX;
  }

  or(target: Bitmap, within: Bitmap | None, without: Bitmap | None): void {
    this.uses += 1;
    const live = { universe: within, deleted: without };
    let from = this.block;
    for (const byteCount of this.partBytes) {
      this.kernel.windows.orStored(target, this.firstDoc, from, byteCount, live);
      from = (from + byteCount) as Block;
    }
  }

  joinTo(all: Window): void {
    let from = this.block;
    for (const byteCount of this.partBytes) {
      this.kernel.windows.addStored(all, from, byteCount);
      from = (from + byteCount) as Block;
    }
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
