import type {
  BitmapRow,
  Kernel,
  MadeStructure,
  None,
  RankIndexedList,
  ResidentList,
  Structure,
  Window,
} from '@fossick/kernel';
import type { Pieces } from '@fossick/kernel/memory';
import { HeldWindows } from './held-window.js';
import type { WordWindows } from './stored-windows.js';

/** Makes the windows of one list, all over its docid range, in long-lived kernel memory. */
class SpanWindows {
  private readonly kernel: Kernel;
  private readonly firstDoc: number;
  /** The length of the docid range. */
  readonly bitCount: number;

  constructor(kernel: Kernel, firstDoc: number, bitCount: number) {
    this.kernel = kernel;
    this.firstDoc = firstDoc;
    this.bitCount = bitCount;
  }

  /** Whole bytes of a window: totals then stay small integers, for which V8 compiles faster code. */
  get windowBytes(): number {
    return (this.bitCount + 7) >>> 3;
  }

  /** Empty windows, which the caller frees. */
  create(count: number): readonly Window[] {
    const made: Window[] = [];
    try {
      while (made.length < count) made.push(this.kernel.windows.create(this.firstDoc, this.bitCount));
    } catch (error) {
      for (const window of made) this.kernel.memory.free(window);
      throw error;
    }
    return made;
  }

  /** Fills windows, and frees them when the search ends meanwhile, so that incomplete windows are never cached. */
  fill(windows: readonly Window[], fill: () => void): void {
    try {
      fill();
    } catch (error) {
      for (const window of windows) this.kernel.memory.free(window);
      throw error;
    }
  }

  /** The windows without those that are empty, for which 0 stands, and which are freed. */
  withoutEmpty(windows: readonly Window[]): readonly (Window | None)[] {
    return windows.map((window) => {
      if (!this.kernel.bitmaps.isEmpty(window)) return window;
      this.kernel.memory.free(window);
      return 0;
    });
  }
}

/** A rank-indexed list, and whether it has keys. */
export interface MadeMasks {
  readonly list: ResidentList<RankIndexedList>;
  readonly hasKeys: boolean;
}

/** How the structures are made from the lists. */
export interface ListWalks {
  /** The first and the last document. */
  findRange(): readonly [first: number, last: number];
  /** Sets the documents in a window, deleted ones included. */
  walkDocs(window: Window): void;
  /** Sets the documents with an occurrence in a field in windows[field], deleted ones included. */
  walkFields(windows: BitmapRow, fieldCount: number): void;
  /** A name for what `makeIndexed` makes, with the address of the list, which it contains. */
  readonly indexedForm: string;
  /** A rank-indexed list of all documents `docs`; it also does the work of `walkFields`, unless `windows` is 0. */
  makeIndexed(docs: Window, windows: BitmapRow | None, fieldCount: number): MadeMasks;
}

interface HeldMasks {
  readonly ptr: RankIndexedList;
  readonly hasKeys: boolean;
  readonly structure: Structure;
}

/** What is made of posting lists and kept in kernel memory: windows of their documents, also by field, and a rank-indexed list. */
export class ListStructures {
  private readonly kernel: Kernel;
  private readonly stored: WordWindows | null;
  private readonly walks: ListWalks;
  /** All structures, also those of the lists themselves. */
  readonly pieces: Pieces;
  /** The stored windows, in memory once requested; null: there are none. */
  readonly held: HeldWindows | null;
  /** Makes bitmaps; null while the range of docids is unknown. */
  private windows: SpanWindows | null = null;
  /** The window of all documents, once requested. */
  docs: Window | None = 0;
  /** Those by field, once requested; 0 for empty ones. */
  fields: readonly (Window | None)[] | null = null;
  private fieldsStructure: Structure | null = null;
  /** The rank-indexed list, once requested. */
  masks: HeldMasks | null = null;

  constructor(kernel: Kernel, stored: WordWindows | null, walks: ListWalks, pieces: Pieces) {
    this.kernel = kernel;
    this.stored = stored;
    this.walks = walks;
    this.pieces = pieces;
    this.held = stored === null ? null : new HeldWindows(kernel, stored, pieces);
  }

  /** The length of the range of docids; infinite while it is unknown. */
  get spanBits(): number {
    return this.windows?.bitCount ?? Number.POSITIVE_INFINITY;
  }

  /** What makes its bitmaps; the range of its docids is read first, once. */
  findSpan(): SpanWindows {
    if (this.windows !== null) return this.windows;
    const { stored } = this;
    const [first, last] =
      stored === null ? this.walks.findRange() : [stored.firstDoc, stored.firstDoc + stored.bitCount - 1];
    this.windows = new SpanWindows(this.kernel, first, last - first + 1);
    return this.windows;
  }

  loadDocs(): Window {
    if (this.docs !== 0) return this.docs;
    const { blocks } = this.pieces.load('docs', () => {
      const windows = this.findSpan();
      const [docs] = windows.create(1) as [Window];
      windows.fill([docs], () => (this.held === null ? this.walks.walkDocs(docs) : this.held.joinAll(docs)));
      return { blocks: [docs], byteCount: windows.windowBytes };
    });
    this.docs = blocks[0] as Window;
    return this.docs;
  }

  /**
   * Makes the windows by field together with the rank-indexed list: searches that need fields usually need positions too, and
   * both take a walk over all keys.
   */
  loadFields(fieldCount: number): readonly (Window | None)[] {
    if (this.fields !== null && this.fields.length >= fieldCount) return this.fields;
    if (this.fieldsStructure !== null) this.pieces.drop(this.fieldsStructure);
    this.fieldsStructure = null;
    this.fields = null;
    const docs = this.loadDocs();
    const structure = this.pieces.load(`fields:${fieldCount}`, () => this.makeFields(docs, fieldCount));
    const fields: (Window | None)[] = new Array(fieldCount).fill(0);
    for (const [at, field] of structure.numbers.entries()) fields[field] = structure.blocks[at] as Window;
    this.fieldsStructure = structure;
    this.fields = fields;
    return fields;
  }

  private makeFields(docs: Window, fieldCount: number): MadeStructure {
    const { kernel, walks } = this;
    const windows = this.findSpan();
    const mark = kernel.memory.mark();
    const made = windows.create(fieldCount);
    const pointers = kernel.bitmaps.row(made);
    windows.fill(made, () => {
      if (this.masks !== null) return walks.walkFields(pointers, fieldCount);
      const masks = walks.makeIndexed(docs, pointers, fieldCount);
      let isTaken = false;
      this.keepMasks(docs, () => {
        isTaken = true;
        return masks;
      });
      if (!isTaken) kernel.memory.free(masks.list.ptr); // another thread has made the same
    });
    kernel.memory.release(mark);
    const byField = windows.withoutEmpty(made);
    const numbers = [...byField.keys()].filter((field) => byField[field] !== 0);
    const blocks = numbers.map((field) => byField[field] as Window);
    return { blocks, numbers, byteCount: blocks.length * windows.windowBytes };
  }

  loadMasks(): void {
    if (this.masks !== null) return;
    const docs = this.loadDocs();
    this.keepMasks(docs, () => this.walks.makeIndexed(docs, 0, 0));
  }

  /** The rank-indexed list contains the addresses of the documents and of the list: both are among the pieces, and stay as long. */
  private keepMasks(docs: Window, make: () => MadeMasks): void {
    const structure = this.pieces.load(`masks:${docs}:${this.walks.indexedForm}`, () => {
      const { list, hasKeys } = make();
      return { blocks: [list.ptr], numbers: [Number(hasKeys)], byteCount: list.byteCount };
    });
    this.masks = { ptr: structure.blocks[0] as RankIndexedList, hasKeys: structure.numbers[0] === 1, structure };
  }

  dropMasks(): void {
    if (this.masks === null) return;
    this.pieces.drop(this.masks.structure);
    this.masks = null;
  }

  /** As `Structure` does, for all. */
  use(): boolean {
    return this.pieces.use();
  }

  isThere(): boolean {
    return this.pieces.isThere();
  }

  discard(): void {
    this.pieces.discard();
    this.free();
  }

  free(): void {
    this.pieces.free();
    this.masks = null;
    this.docs = 0;
    this.fieldsStructure = null;
    this.fields = null;
    this.held?.forget();
  }
}
