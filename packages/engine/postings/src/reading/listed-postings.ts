import {
  type Bitmap,
  type BitmapRow,
  type Kernel,
  type LivePostings,
  type None,
  type PostingList,
  type PostingLists,
  type RankIndexedList,
  type Structures,
  WINDOW_POSITIONS,
  type Window,
} from '@fossick/kernel';
import { type HeldMemory, Pieces } from '@fossick/kernel/memory';
import { ListStructures, type ListWalks, type MadeMasks } from './list-structures.js';
import type { SegmentPostings } from './segment-postings.js';
import type { WordWindows } from './stored-windows.js';

/**
 * A list also has a bitmap of its docid range when it has at least one document in this many of it: the bitmap is then no larger than the
 * list.
 */
const DOCS_SHARE = 128;
/** The same for bitmaps by field, of which there are several. */
const FIELDS_SHARE = 64;
/** Lists of fewer documents have no bitmaps. */
const WINDOW_DOCS_MIN = 8;
/** Indexes of more fields have no bitmaps by field. */
const FIELDS_MAX = 64;
/** Bitmaps by field are not made for this many times fewer documents than the list has ... */
const NARROW_SHARE = 16;
/** ... unless they were requested that often. */
const NARROW_REQUESTS_MAX = 2;
/**
 * The same for rank-indexed lists, made when walks have visited this many times all documents. A walk to few documents skips most of a list block by block,
 * and a rank-indexed list takes eight bytes for each of its documents.
 */
const WHOLE_WALKS_MAX = 6;
const BLOCK_DOCS = 128;
/** Positions in this many times fewer documents than the list has are read from the list even where stored windows exist. */
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
  /** Where the structures of this list are, with keys of their own; absent: they are of this thread alone. */
  readonly structures?: Structures;
}

/**
 * Posting lists in kernel memory. Common words are requested repeatedly, each time over most of the index: their documents are cached as
 * bitmaps, and their positions as bits, because a segment never changes. Both include deleted documents, which are left out at each use.
 */
export abstract class ListedPostings implements SegmentPostings, ListWalks, HeldMemory {
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
  /** Whether its owner counts its bytes already, and has to be told of changes. */
  protected isCounted = false;
  private narrowRequests = 0;
  /** An upper bound of the documents that walks for positions have visited so far. */
  private walkedCount = 0;
  /** All that it has in kernel memory. */
  protected readonly structures: ListStructures;

  /** @param stored windows stored with the segment; null: there are none */
  constructor({ kernel, onGrowth, scope, structures }: ListHost, deleted: Bitmap | None, stored: WordWindows | null) {
    this.kernel = kernel;
    this.onGrowth = onGrowth;
    this.scope = scope;
    this.stored = stored;
    const pieces = new Pieces(structures ?? kernel.ownStructures, (bytes) => this.grow(bytes));
    this.structures = new ListStructures(kernel, stored, this, pieces);
    this.deleted = deleted;
  }

  /** The sum of the document counts of the lists: at least the number of documents. */
  protected abstract get docCount(): number;
  /** Where the lists are, valid until the view is released. */
  protected abstract addresses(): PostingLists;
  abstract readonly indexedForm: string;
  /** A rank-indexed list of all documents `docs`; it also does the work of `walkFields`, unless `windows` is 0. */
  abstract makeIndexed(docs: Window, windows: BitmapRow | None, fieldCount: number): MadeMasks;
  /** The lists themselves, to be walked. */
  protected abstract walked(): readonly LivePostings[];
  abstract prepareWalk(within: Bitmap, isPaired: boolean): void;
  abstract positionLists(within: Bitmap, isPaired: boolean): readonly LivePostings[] | null;

  /** The first and the last document. */
  findRange(): readonly [first: number, last: number] {
    return this.kernel.wordLists.docRange(this.addresses());
  }

  /** Sets the documents in a window, deleted ones included. */
  walkDocs(window: Window): void {
    this.kernel.wordLists.orDocs(window, this.addresses());
  }

  /** Sets the documents with an occurrence in a field in windows[field], deleted ones included. */
  walkFields(windows: BitmapRow, fieldCount: number): void {
    this.kernel.wordLists.scatterFields(this.addresses(), windows, fieldCount);
  }

  get indexed(): RankIndexedList | None {
    const { masks } = this.structures;
    return masks?.hasKeys ? masks.ptr : 0;
  }

  orDocs(target: Bitmap): boolean {
    this.findCommonSpan();
    if (!this.isCommon(DOCS_SHARE)) return false;
    this.kernel.windows.or(target, this.structures.loadDocs(), 0, this.deleted);
    return true;
  }

  orFields(within: Bitmap, bitmaps: readonly (Bitmap | None)[]): boolean {
    const { held } = this.structures;
    if (held?.hasFields) {
      held.orFields(bitmaps, within, this.deleted);
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
    if (this.stored !== null && this.structures.masks === null) return !this.isNarrow(within, FEW_SHARE);
    return this.structures.masks !== null;
  }

  /** Makes the rank-indexed list, unless the documents looked up so far, with those of `within`, are too few. */
  protected prepareKeyedMasks(within: Bitmap): void {
    if (this.structures.masks !== null) return;
    this.findCommonSpan();
    if (!this.isCommon(DOCS_SHARE)) return;
    const candidateCount = this.countCandidates(within);
    if (candidateCount * NARROW_SHARE < this.docCount && this.walkedCount < WHOLE_WALKS_MAX * this.docCount)
      this.walkedCount += Math.min(candidateCount * BLOCK_DOCS, this.docCount);
    else this.makeMasks();
  }

  orMasks(target: Bitmap, within: Bitmap, wanted: number): void {
    const { kernel, deleted, structures } = this;
    let rest = wanted;
    if (structures.held !== null) {
      structures.held.orPositions(target, wanted, within, deleted);
      rest = wanted & ~STORED_MASK;
    }
    if (rest === 0) return;
    if (this.stored === null) this.makeMasks();
    else this.prepareKeyedMasks(within);
    if (structures.masks !== null) kernel.rankIndexedLists.orDocs(target, structures.masks.ptr, within, deleted, rest);
    else
      this.walkPositions(
        within,
        Array.from({ length: BUCKETS }, (_, bucket) => ((rest & (1 << bucket)) === 0 ? 0 : target)),
      );
  }

  scatterMasks(within: Bitmap, bitmaps: BitmapRow): void {
    if (this.stored === null) this.makeMasks();
    else this.prepareKeyedMasks(within);
    const { masks } = this.structures;
    if (masks !== null) this.kernel.rankIndexedLists.scatterPositions(masks.ptr, within, this.deleted, bitmaps);
    else this.kernel.lists.scatterPositions(this.walked(), within, bitmaps);
  }

  private walkPositions(within: Bitmap, bitmaps: readonly (Bitmap | None)[]): void {
    const { kernel } = this;
    const mark = kernel.memory.mark();
    const pointers = kernel.bitmaps.row(bitmaps);
    kernel.lists.scatterPositions(this.walked(), within, pointers);
    kernel.memory.release(mark);
  }

  /** Makes the rank-indexed list, which then stays cached. */
  makeMasks(): void {
    const { structures } = this;
    if (structures.masks !== null) return;
    this.findCommonSpan();
    const { fieldCount } = this.scope;
    const hasFields = this.stored === null && structures.fields === null && fieldCount > 0 && fieldCount <= FIELDS_MAX;
    if (hasFields && this.isCommon(FIELDS_SHARE)) structures.loadFields(fieldCount);
    structures.loadMasks();
  }

  /** Must be called with every change of the held bytes. */
  protected grow(bytes: number): void {
    this.byteCount += bytes;
    if (this.isCounted) this.onGrowth(bytes);
  }

  /** Whether `within` has this many times fewer documents that a bitmap of all is not worth making yet. */
  protected isNarrow(within: Bitmap, share = NARROW_SHARE): boolean {
    return this.countCandidates(within) * share < this.docCount;
  }

  private countCandidates(within: Bitmap): number {
    const { docs } = this.structures;
    return docs === 0 ? this.kernel.bitmaps.count(within) : this.kernel.windows.countBeside(within, docs);
  }

  /** Whether at least one in `share` documents of its range is in the list, once the range is known. */
  private isCommon(share: number): boolean {
    return this.stored !== null || this.docCount * share >= this.structures.spanBits;
  }

  /** Reads the range of a list that may be common. */
  private findCommonSpan(): void {
    if (this.stored === null && this.docCount >= WINDOW_DOCS_MIN) this.structures.findSpan();
  }

  private fieldsFor(within: Bitmap, fieldCount: number): readonly (Window | None)[] | null {
    this.findCommonSpan();
    if (fieldCount > FIELDS_MAX || !this.isCommon(FIELDS_SHARE)) return null;
    const { structures } = this;
    if (structures.fields === null && this.narrowRequests < NARROW_REQUESTS_MAX && this.isNarrow(within)) {
      this.narrowRequests += 1;
      return null;
    }
    return structures.loadFields(fieldCount);
  }

  use(): boolean {
    return this.structures.use();
  }

  isThere(): boolean {
    return this.structures.isThere();
  }

  discard(): void {
    this.structures.discard();
    this.free();
  }

  /** Frees all its memory. */
  free(): void {
    this.structures.free();
  }
}
