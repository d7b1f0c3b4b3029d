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
import type { HeldMemory } from '@fossick/kernel/memory';
import { HeldWindows } from './held-window.js';
import type { SegmentPostings } from './segment-postings.js';
import { SpanWindows } from './span-windows.js';
import type { WordWindows } from './stored-windows.js';

/**
 * A list also has a bitmap of its docid range when it has at least one document in so many of it: the bitmap is then no larger than the
 * list.
 */
const DOCS_SHARE = 128;
/** The same for bitmaps by field, of which there are several. */
const FIELDS_SHARE = 64;
/** Lists of fewer documents have no bitmaps. */
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
  abstract load(): void;
  deleted: Bitmap | None;
  /** Bytes of kernel memory held, bitmaps included. */
  byteCount = 0;
  /** Makes its own bitmaps; null while its range of docids is unknown. */
  private windows: SpanWindows | null = null;
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

  /** @param stored windows stored with the segment; null: there are none */
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
  abstract prepareWalk(within: Bitmap, isPaired: boolean): void;
  abstract positionLists(within: Bitmap, isPaired: boolean): readonly LivePostings[] | null;

  get masked(): MaskedList | None {
    return this.masks !== null && this.masksHaveKeys ? this.masks.ptr : 0;
  }

  orDocs(target: Bitmap): boolean {
    this.findCommonSpan();
    if (!this.isCommon(DOCS_SHARE)) return false;
    this.kernel.windows.or(target, this.docsWindow(), 0, this.deleted);
    return true;
  }

  orFields(within: Bitmap, bitmaps: readonly (Bitmap | None)[]): boolean {
    if (this.held?.hasFields) {
      this.held.orFields(bitmaps, within, this.deleted);
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

  prepareMasks(within: Bitmap): void {
    if (this.stored === null) this.prepareKeyedMasks(within); // else the stored windows serve, until a walk needs more
  }

  canUseMasks(within: Bitmap): boolean {
    if (this.stored !== null && this.masks === null) return !this.isNarrow(within, FEW_SHARE);
    return this.masks !== null;
  }

  /** Makes the masked list, unless the documents looked up so far, with those of `within`, are too few. */
  protected prepareKeyedMasks(within: Bitmap): void {
    if (this.masks !== null) return;
    this.findCommonSpan();
    if (!this.isCommon(DOCS_SHARE)) return;
    const candidateCount = this.countCandidates(within);
    if (candidateCount * NARROW_SHARE < this.docCount && this.walkedCount < WHOLE_WALKS_MAX * this.docCount)
      this.walkedCount += Math.min(candidateCount * BLOCK_DOCS, this.docCount);
    else this.makeMasks();
  }

  orMasks(target: Bitmap, within: Bitmap, wanted: number): void {
    const { kernel, deleted } = this;
    let rest = wanted;
    if (this.held !== null) {
      this.held.orPositions(target, wanted, within, deleted);
      rest = wanted & ~STORED_MASK;
    }
    if (rest === 0) return;
    if (this.stored === null) this.makeMasks();
    else this.prepareKeyedMasks(within);
    if (this.masks !== null) kernel.maskedLists.orDocs(target, this.masks.ptr, within, deleted, rest);
    else
      this.walkPositions(
        within,
        Array.from({ length: BUCKETS }, (_, bucket) => ((rest & (1 << bucket)) === 0 ? 0 : target)),
      );
  }

  scatterMasks(within: Bitmap, bitmaps: BitmapRow): void {
    if (this.stored === null) this.makeMasks();
    else this.prepareKeyedMasks(within);
    if (this.masks !== null) this.kernel.maskedLists.scatterPositions(this.masks.ptr, within, this.deleted, bitmaps);
    else this.kernel.lists.scatterPositions(this.walked(), within, bitmaps);
  }

  private walkPositions(within: Bitmap, bitmaps: readonly (Bitmap | None)[]): void {
    const { kernel } = this;
    const mark = kernel.memory.mark();
    const pointers = kernel.bitmaps.row(bitmaps);
    kernel.lists.scatterPositions(this.walked(), within, pointers);
    kernel.memory.release(mark);
  }

  /** Makes the masked list, which then stays cached. */
  makeMasks(): void {
    if (this.masks !== null) return;
    this.findCommonSpan();
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

  /** Whether at least one in `share` documents of its range is in the list, once the range is known. */
  private isCommon(share: number): boolean {
    return this.stored !== null || (this.windows !== null && this.docCount * share >= this.windows.bitCount);
  }

  /** Reads the range of a list that may be common. */
  private findCommonSpan(): void {
    if (this.stored === null && this.docCount >= WINDOW_DOCS_MIN) this.spanWindows();
  }

  /** What makes its bitmaps; the range of its docids is read first, once. */
  private spanWindows(): SpanWindows {
    if (this.windows !== null) return this.windows;
    const { stored } = this;
    const [first, last] = stored === null ? this.findRange() : [stored.firstDoc, stored.firstDoc + stored.bitCount - 1];
    this.windows = new SpanWindows(this.kernel, (bytes) => this.grow(bytes), first, last - first + 1);
    return this.windows;
  }

  private docsWindow(): Window {
    if (this.docs !== 0) return this.docs;
    const windows = this.spanWindows();
    const [docs] = windows.create(1) as [Window];
    windows.fill([docs], () => (this.held === null ? this.walkDocs(docs) : this.held.joinAll(docs)));
    this.docs = docs;
    return docs;
  }

  private fieldsFor(within: Bitmap, fieldCount: number): readonly (Window | None)[] | null {
    this.findCommonSpan();
    if (fieldCount > FIELDS_MAX || !this.isCommon(FIELDS_SHARE)) return null;
    if (this.fields === null && this.narrowRequests < NARROW_REQUESTS_MAX && this.isNarrow(within)) {
      this.narrowRequests += 1;
      return null;
    }
    if (this.fields === null || this.fields.length < fieldCount) {
      this.freeFields();
      this.fields = this.findFields(fieldCount);
    }
    return this.fields;
  }

  /**
   * Makes the windows by field together with the masked list: searches that need fields usually need positions too, and
   * both take a walk over all keys.
   */
  private findFields(fieldCount: number): readonly (Window | None)[] {
    const { kernel } = this;
    const docs = this.docsWindow();
    const windows = this.spanWindows();
    const mark = kernel.memory.mark();
    const made = windows.create(fieldCount);
    const pointers = kernel.bitmaps.row(made);
    windows.fill(made, () => {
      if (this.masks === null) this.setMasks(this.makeMasked(docs, pointers, fieldCount));
      else this.walkFields(pointers, fieldCount);
    });
    kernel.memory.release(mark);
    return windows.withoutEmpty(made);
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

  /** Frees all its memory. */
  free(): void {
    this.dropMasks(); // it refers to the window of documents
    this.windows?.free(this.docs);
    this.docs = 0;
    this.freeFields();
    this.held?.free();
  }

  private freeFields(): void {
    for (const field of this.fields ?? []) this.windows?.free(field);
    this.fields = null;
  }
}
