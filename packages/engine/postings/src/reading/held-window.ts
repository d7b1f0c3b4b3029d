import { type Bitmap, type Block, type Kernel, type None, WINDOW_POSITIONS, type Window } from '@fossick/kernel';
import { positionSlot, type WordWindows } from './stored-windows.js';

/** A window is kept as stored while that takes so many times fewer bytes than its bits: fresh memory costs more than reading it. */
const SPARSE_SHARE = 4;
/** A window used more often gets its bits set: reading it so often costs about as much. */
const SPARSE_USES_MAX = 8;

/** The documents of a window, deleted ones included. */
interface HeldWindow {
  readonly byteCount: number;
  /** target |= window, restricted to `within` (0: everything) and without `without` (0: nothing). */
  or(target: Bitmap, within: Bitmap | None, without: Bitmap | None): void;
  /** all |= window, of the same stretch. */
  joinTo(all: Window): void;
  free(): void;
}

/** Stored windows of one list, in memory once requested. */
export class HeldWindows {
  private readonly kernel: Kernel;
  private readonly stored: WordWindows;
  private readonly grow: (bytes: number) => void;
  /** By slot; null for empty ones. */
  private readonly held: (HeldWindow | null)[] = [];

  /**
   * @param grow is called with every change of the held bytes
   */
  constructor(kernel: Kernel, stored: WordWindows, grow: (bytes: number) => void) {
    this.kernel = kernel;
    this.stored = stored;
    this.grow = grow;
  }

  /** Null for a window without documents. The result is valid until the next call. */
  at(slot: number): HeldWindow | null {
    const known = this.held[slot];
    if (known === undefined) return this.keep(slot, this.stored.has(slot) ? this.read(slot) : null);
    if (!(known instanceof SparseWindow && known.isWorn)) return known;
    const dense = new DenseWindow(this.kernel, this.stored);
    known.joinTo(dense.window);
    this.drop(known);
    return this.keep(slot, dense);
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

  free(): void {
    for (const window of this.held) this.drop(window);
    this.held.length = 0;
  }

  private read(slot: number): HeldWindow {
    const { kernel, stored } = this;
    const partBytes = stored.partBytes(slot);
    const isSparse = sumOf(partBytes) * 8 * SPARSE_SHARE <= stored.bitCount;
    const made = isSparse ? new SparseWindow(kernel, stored.firstDoc, partBytes) : new DenseWindow(kernel, stored);
    try {
      if (made instanceof DenseWindow) stored.read(slot, made.window);
      else stored.copy(slot, made.block);
    } catch (error) {
      made.free(); // incomplete windows are never cached
      throw error;
    }
    return made;
  }

  private keep(slot: number, window: HeldWindow | null): HeldWindow | null {
    this.held[slot] = window;
    if (window !== null) this.grow(window.byteCount);
    return window;
  }

  private drop(window: HeldWindow | null | undefined): void {
    if (window === null || window === undefined) return;
    window.free();
    this.grow(-window.byteCount);
  }
}

/** A window with its bits in memory. */
class DenseWindow implements HeldWindow {
  private readonly kernel: Kernel;
  readonly window: Window;
  readonly byteCount: number;

  constructor(kernel: Kernel, { firstDoc, bitCount }: WordWindows) {
    this.kernel = kernel;
    this.window = kernel.windows.create(firstDoc, bitCount);
    this.byteCount = bitCount / 8; // whole lanes
  }

  or(target: Bitmap, within: Bitmap | None, without: Bitmap | None): void {
    this.kernel.windows.or(target, this.window, within, without);
  }

  joinTo(all: Window): void {
    this.kernel.windows.join(all, this.window);
  }

  free(): void {
    this.kernel.memory.free(this.window);
  }
}

/** A window of few documents: differences of documents, as stored, in one part for each table of words. */
class SparseWindow implements HeldWindow {
  private readonly kernel: Kernel;
  private readonly firstDoc: number;
  private readonly partBytes: readonly number[];
  readonly block: Block;
  readonly byteCount: number;
  private uses = 0;

  constructor(kernel: Kernel, firstDoc: number, partBytes: readonly number[]) {
    this.kernel = kernel;
    this.firstDoc = firstDoc;
    this.partBytes = partBytes;
    this.byteCount = sumOf(partBytes);
    this.block = kernel.memory.allocate(this.byteCount);
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

  free(): void {
    this.kernel.memory.free(this.block);
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
