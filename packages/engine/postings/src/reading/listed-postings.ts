import {
  type Bitmap,
  type BitmapRow,
  type Kernel,
  type LivePostings,
  type MaskedList,
  type None,
  type PostingList,
  type ResidentList,
  WINDOW_POSITIONS,
  type Window,
} from '@fossick/kernel';
import type { HeldMemory } from '@fossick/memory';
import { HeldWindows } from './held-window.js';
import type { SegmentPostings } from './segment-postings.js';
import { positionSlot, type WordWindows } from './stored-windows.js';

/**
 * A list also has a bitmap of its docid range when it has at least one document in so many of it: the bitmap is then no larger than the
 * list.
 */
const DOCS_SHARE = 128;
/** The same for bitmaps by field, of which there are several. */
const FIELDS_SHARE = 64;
/** Lists of fewer documents are always walked. */
const WINDOW_DOCS_MIN = 8;
/** Indexes of more fields have no bitmaps by field. */
const FIELDS_MAX = 64;
/** Bitmaps by field are not made for so many times fewer documents than the list has ... */
const NARROW_SHARE = 16;
/** ... unless they were requested that often. */
const NARROW_REQUESTS_MAX = 2;
/**
 * The same for masked lists, made when walks have visited this many times all documents. A walk to few documents skips most of a list block by block,
 * and a masked list takes eight bytes for each of its documents.
 */
const WHOLE_WALKS_MAX = 6;
const BLOCK_DOCS = 128;
/** Positions in so many times fewer documents than the list has are read from the list even where stored windows exist. */
const FEW_SHARE = 256;
/** The position buckets: bits of a mask. */
const BUCKETS = 29;
const STORED_MASK = (1 << WINDOW_POSITIONS) - 1;

/** Properties of a segment that all its lists share. */
export interface SegmentScope {
  /** Field ids of occurrences are below this; 0 when unknown. */
  readonly fieldCount: number;
}

/** What lists of a segment share: their location, their owner, and the callback for changes of their memory. */
export interface ListHost {
  readonly kernel: Kernel;
  readonly onGrowth: (bytes: number) => void;
  readonly scope: SegmentScope;
}

/** A masked list, and whether it has keys. */
export interface MadeMasks {
  readonly list: ResidentList<MaskedList>;
  readonly hasKeys: boolean;
}

/**
 * Posting lists in kernel memory. Common words are requested repeatedly, each time over most of the index: their documents are cached as
 * bitmaps, and their positions as bits, because a segment never changes. Both include deleted documents, which are left out at each use.
 */
export abstract class ListedPostings implements SegmentPostings, HeldMemory {
  protected readonly kernel: Kernel;
  private readonly onGrowth: (bytes: number) => void;
  private readonly scope: SegmentScope;
  protected readonly stored: WordWindows | null;
  readonly kind = 'postings';
  abstract readonly ptr: PostingList;
  deleted: Bitmap | None;
  /** Bytes of kernel memory held, bitmaps included. */
  byteCount = 0;
  /** The length of the docid range; 0 while unknown. */
  private spanBits = 0;
  private firstDoc = 0;
  /** The window of all documents, once requested; those by field, 0 for none. */
  private docs: Window | None = 0;
  private fields: readonly (Window | None)[] | null = null;
  private narrowRequests = 0;
  /** The masked list, once requested. */
  private masks: ResidentList<MaskedList> | null = null;
  private masksHaveKeys = false;
  /** An upper bound of the documents that walks for positions have visited so far. */
  private walkedCount = 0;
  /** The stored windows, once requested. */
  private readonly held: HeldWindows | null;

  /**
   * @param stored windows stored with the segment; null: there are none
   */
  constructor({ kernel, onGrowth, scope }: ListHost, deleted: Bitmap | None, stored: WordWindows | null) {
    this.kernel = kernel;
    this.onGrowth = onGrowth;
    this.scope = scope;
    this.stored = stored;
    this.held = stored === null ? null : new HeldWindows(kernel, stored, (bytes) => this.grow(bytes));
    this.deleted = deleted;
  }

  /** The sum of the document counts of the lists: at least the number of documents. */
  protected abstract get docCount(): number;
  /** The first and the last document. */
  protected abstract findRange(): readonly [first: number, last: number];
  /** Sets the documents in a window, deleted ones included. */
  protected abstract walkDocs(window: Window): void;
  /** Sets the documents with an occurrence in a field in windows[field], deleted ones included. */
  protected abstract walkFields(windows: BitmapRow, fieldCount: number): void;
  /** A masked list of all documents `docs`; it also does the work of `walkFields`, unless `windows` is 0. */
  protected abstract makeMasked(docs: Window, windows: BitmapRow | None, fieldCount: number): MadeMasks;
  /** The lists themselves, to be walked. */
  protected abstract walked(): readonly LivePostings[];
  abstract positionLists(within: Bitmap, isPaired: boolean): readonly LivePostings[] | null;

  get masked(): MaskedList | None {
    return this.masks !== null && this.masksHaveKeys ? this.masks.ptr : 0;
  }

  orDocs(target: Bitmap): boolean {
    if (!this.isCommon(DOCS_SHARE)) return false;
    this.kernel.windows.or(target, this.docsWindow(), 0, this.deleted);
    return true;
  }

  orFields(within: Bitmap, bitmaps: readonly (Bitmap | None)[]): boolean {
    if (this.held !== null && this.stored!.fieldCount > 0) {
      for (let field = 0; field < this.stored!.fieldCount; field++) {
        const target = bitmaps[field] ?? 0;
        if (target !== 0) this.held.at(field)?.or(target, within, this.deleted);
      }
      return true;
    }
    const fields = this.fieldsFor(within, bitmaps.length);
    if (fields === null) return false;
    for (let field = 0; field < fields.length; field++) {
      const docs = fields[field]!;
      const target = bitmaps[field] ?? 0;
      if (docs !== 0 && target !== 0) this.kernel.windows.or(target, docs, within, this.deleted);
    }
    return true;
  }

  usesMasks(within: Bitmap): boolean {
    if (this.stored !== null && this.masks === null) return !this.isNarrow(within, FEW_SHARE);
    return this.usesKeyedMasks(within);
  }

  /** Whether there is a masked list: it is made unless too few documents are looked up. */
  protected usesKeyedMasks(within: Bitmap): boolean {
    if (this.masks !== null) return true;
    if (!this.isCommon(DOCS_SHARE)) return false;
    const candidateCount = this.countCandidates(within);
    if (candidateCount * NARROW_SHARE < this.docCount && this.walkedCount < WHOLE_WALKS_MAX * this.docCount) {
      this.walkedCount += Math.min(candidateCount * BLOCK_DOCS, this.docCount);
      return false;
    }
    this.prepareMasked();
    return true;
  }

  orMasks(target: Bitmap, within: Bitmap, wanted: number): void {
    const { kernel, deleted } = this;
    let rest = wanted;
    if (this.held !== null) {
      for (let position = 0; position < WINDOW_POSITIONS; position++)
        if ((wanted & (1 << position)) !== 0) this.held.at(positionSlot(position))?.or(target, within, deleted);
      rest = wanted & ~STORED_MASK;
    }
    if (rest === 0) return;
    if (this.stored === null || this.usesKeyedMasks(within)) {
      this.prepareMasked();
      kernel.maskedLists.orDocs(target, this.masks!.ptr, within, deleted, rest);
    } else
      this.walkPositions(
        within,
        Array.from({ length: BUCKETS }, (_, bucket) => ((rest & (1 << bucket)) === 0 ? 0 : target)),
      );
  }

  scatterMasks(within: Bitmap, bitmaps: BitmapRow): void {
    if (this.stored !== null && !this.usesKeyedMasks(within)) {
      this.kernel.lists.scatterPositions(this.walked(), within, bitmaps);
      return;
    }
    this.prepareMasked();
    this.kernel.maskedLists.scatterPositions(this.masks!.ptr, within, this.deleted, bitmaps);
  }

  private walkPositions(within: Bitmap, bitmaps: readonly (Bitmap | None)[]): void {
    const { kernel } = this;
    const mark = kernel.memory.mark();
    const pointers = kernel.bitmaps.row(bitmaps);
    kernel.lists.scatterPositions(this.walked(), within, pointers);
    kernel.memory.release(mark);
  }

  /** Makes the masked list, which then stays cached. */
  prepareMasked(): void {
    if (this.masks !== null) return;
    const { fieldCount } = this.scope;
    if (
      this.stored === null &&
      this.fields === null &&
      fieldCount > 0 &&
      fieldCount <= FIELDS_MAX &&
      this.isCommon(FIELDS_SHARE)
    )
      this.fields = this.findFields(fieldCount);
    else this.setMasks(this.makeMasked(this.docsWindow(), 0, 0));
  }

  /** Frees all its memory. */
  free(): void {
    this.freeBitmaps();
  }

  /** Must be called with every change of the held bytes. */
  protected grow(bytes: number): void {
    this.byteCount += bytes;
    this.onGrowth(bytes);
  }

  /** Whether `within` has so many times fewer documents that a bitmap of all is not worth making yet. */
  protected isNarrow(within: Bitmap, share = NARROW_SHARE): boolean {
    return this.countCandidates(within) * share < this.docCount;
  }

  private countCandidates(within: Bitmap): number {
    return this.docs === 0 ? this.kernel.bitmaps.count(within) : this.kernel.windows.countBeside(within, this.docs);
  }

  /** Whether at least one in `share` documents of its range is in the list. */
  private isCommon(share: number): boolean {
    if (this.stored !== null) return true;
    if (this.docCount < WINDOW_DOCS_MIN) return false;
    if (this.spanBits === 0) this.findSpan();
    return this.docCount * share >= this.spanBits;
  }

  private findSpan(): void {
    if (this.stored !== null) {
      this.firstDoc = this.stored.firstDoc;
      this.spanBits = this.stored.bitCount;
      return;
    }
    const [first, last] = this.findRange();
    this.firstDoc = first;
    this.spanBits = last - first + 1;
  }

  private docsWindow(): Window {
    if (this.docs === 0) {
      const docs = this.newWindow();
      this.whole([docs], () => {
        const { stored, held } = this;
        if (stored === null || held === null) this.walkDocs(docs);
        else if (stored.fieldCount === 0) stored.read(0, docs);
        else for (let field = 0; field < stored.fieldCount; field++) held.at(field)?.joinTo(docs);
      });
      this.docs = docs;
    }
    return this.docs;
  }

  private fieldsFor(within: Bitmap, fieldCount: number): readonly (Window | None)[] | null {
    if (fieldCount > FIELDS_MAX || !this.isCommon(FIELDS_SHARE)) return null;
    if (this.fields === null && this.narrowRequests < NARROW_REQUESTS_MAX && this.isNarrow(within)) {
      this.narrowRequests += 1;
      return null;
    }
    if (this.fields === null || this.fields.length < fieldCount) {
      for (const field of this.fields ?? []) this.freeWindow(field);
      this.fields = null;
      this.fields = this.findFields(fieldCount);
    }
    return this.fields;
  }

  /**
   * Makes the windows by field together with the masked list: searches that need fields usually need positions too, and
   * both take a walk over all keys.
   */
  private findFields(fieldCount: number): (Window | None)[] {
    const { kernel } = this;
    const docs = this.docsWindow();
    const mark = kernel.memory.mark();
    const made = this.newWindows(fieldCount);
    const pointers = kernel.bitmaps.row(made);
    this.whole(made, () => {
      if (this.masks === null) this.setMasks(this.makeMasked(docs, pointers, fieldCount));
      else this.walkFields(pointers, fieldCount);
    });
    kernel.memory.release(mark);
    const found: (Window | None)[] = [];
    let emptyCount = 0;
    for (const window of made) {
      const isEmpty = kernel.bitmaps.isEmpty(window);
      found.push(isEmpty ? 0 : window);
      if (!isEmpty) continue;
      kernel.memory.free(window);
      emptyCount += 1;
    }
    if (emptyCount > 0) this.grow(-emptyCount * this.windowBytes);
    return found;
  }

  private setMasks({ list, hasKeys }: MadeMasks): void {
    this.masks = list;
    this.masksHaveKeys = hasKeys;
    this.grow(list.byteCount);
  }

  /** Drops the masked list and the windows of positions. */
  protected dropMasks(): void {
    if (this.masks === null) return;
    this.kernel.memory.free(this.masks.ptr);
    this.grow(-this.masks.byteCount);
    this.masks = null;
  }

  /** Fills windows, and frees them when the search ends meanwhile, so that incomplete windows are never cached. */
  private whole(windows: readonly Window[], fill: () => void): void {
    try {
      fill();
    } catch (error) {
      for (const window of windows) this.freeWindow(window);
      throw error;
    }
  }

  private newWindow(): Window {
    return this.newWindows(1)[0]!;
  }

  private newWindows(count: number): readonly Window[] {
    if (this.spanBits === 0) this.findSpan();
    this.grow(count * this.windowBytes);
    const made: Window[] = [];
    try {
      while (made.length < count) made.push(this.kernel.windows.create(this.firstDoc, this.spanBits));
    } catch (error) {
      for (const window of made) this.kernel.memory.free(window);
      this.grow(-count * this.windowBytes);
      throw error;
    }
    return made;
  }

  /** Whole bytes: totals then stay small integers, for which V8 compiles faster code. */
  private get windowBytes(): number {
    return (this.spanBits + 7) >>> 3;
  }

  private freeWindow(window: Window | None): void {
    if (window === 0) return;
    this.kernel.memory.free(window);
    this.grow(-this.windowBytes);
  }

  private freeBitmaps(): void {
    this.dropMasks(); // it refers to the window of documents
    this.freeWindow(this.docs);
    for (const field of this.fields ?? []) this.freeWindow(field);
    this.held?.free();
    this.docs = 0;
    this.fields = null;
  }
}
