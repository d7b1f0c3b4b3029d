import type { Kernel, LivePostings, MadeList, Ptr } from '@fossick/kernel';
import type { SegmentPostings } from './index-view.js';
import type { HeldMemory } from './search-memory.js';

/** What has at least one document in so many of the index keeps them as a bitmap too: it is no larger than the lists themselves then. */
const DOCS_SHARE = 128;
/** The same for bitmaps by field, of which there are several. */
const FIELDS_SHARE = 64;
/** Indexes of more fields keep no bitmaps by field. */
const FIELDS_MAX = 64;
/** Bitmaps by field are not yet made for so many times fewer documents than there are ... */
const NARROW_SHARE = 16;
/** ... unless they have been asked for that often. */
const NARROW_ASKS_MAX = 2;

/** What all lists of a segment know of it. */
export interface SegmentScope {
  /** No occurrence is in a field of this id or above; 0 when that is not known. */
  readonly fieldCount: number;
}
const UNKNOWN_SCOPE: SegmentScope = { fieldCount: 0 };

/** A placed list, and whether it has keys. */
export interface PlacedList {
  readonly list: MadeList;
  readonly hasKeys: boolean;
}

/**
 * Posting lists in kernel memory. Common words are asked for again and again, each time over most of the index: what was decoded for
 * them once is kept as bitmaps, and their positions as bits, as a segment never changes. Both hold dead documents too; those are left out
 * at each use.
 */
export abstract class ListedPostings implements SegmentPostings, HeldMemory {
  readonly kind = 'postings';
  abstract readonly ptr: Ptr;
  dead: Ptr;
  /** Bytes of kernel memory held, bitmaps included. */
  byteCount = 0;
  private bitCount = 0;
  private docs: Ptr = 0;
  private fields: readonly Ptr[] | null = null;
  private narrowAsks = 0;
  /** The placed list, once it was asked for. */
  private kept: MadeList | null = null;
  private keptHasKeys = false;
  private narrowPlaceAsks = 0;

  constructor(
    protected readonly kernel: Kernel,
    dead: Ptr,
    private readonly onGrowth: (bytes: number) => void,
    private readonly scope: SegmentScope = UNKNOWN_SCOPE,
  ) {
    this.dead = dead;
  }

  /** Documents of the lists, counted once for each list: at least as many as there are. */
  protected abstract get docCount(): number;
  /** target |= documents, the dead ones included. */
  protected abstract walkDocs(target: Ptr): void;
  /** bitmaps[field] |= documents that occur in the field, the dead ones included. */
  protected abstract walkFields(bitmaps: Ptr, fieldCount: number, docs: Ptr): void;
  /** A placed list of the documents, all of `docs`; on the way the work of `walkFields`, unless `bitmaps` is 0. */
  protected abstract makePlaced(docs: Ptr, bitmaps: Ptr, fieldCount: number): PlacedList;
  abstract places(within: Ptr, isPaired: boolean): readonly LivePostings[] | null;

  get placed(): Ptr {
    return this.kept !== null && this.keptHasKeys ? this.kept.ptr : 0;
  }

  orDocs(target: Ptr): boolean {
    const docs = this.docsFor(target);
    if (docs === 0) return false;
    this.kernel.orMasked(target, docs, 0, this.dead);
    return true;
  }

  orFields(within: Ptr, bitmaps: readonly Ptr[]): boolean {
    const fields = this.fieldsFor(within, bitmaps.length);
    if (fields === null) return false;
    for (let field = 0; field < fields.length; field++) {
      const docs = fields[field]!;
      const target = bitmaps[field] ?? 0;
      if (docs !== 0 && target !== 0) this.kernel.orMasked(target, docs, within, this.dead);
    }
    return true;
  }

  keepsPlaces(within: Ptr): boolean {
    if (this.kept !== null && this.bitCount === this.kernel.bitCapacity(within)) return true;
    if (this.docCount * DOCS_SHARE < this.kernel.bitCapacity(within)) return false;
    if (this.narrowPlaceAsks < NARROW_ASKS_MAX && this.isNarrow(within)) {
      this.narrowPlaceAsks += 1;
      return false;
    }
    this.keepPlaces(this.docsFor(within));
    return true;
  }

  orPlaces(target: Ptr, within: Ptr, wanted: number): void {
    if (this.kept === null) this.keepPlaces(this.docsFor(within));
    this.kernel.orPlaces(target, this.kept!.ptr, within, this.dead, wanted);
  }

  spreadPlaces(within: Ptr, bitmaps: Ptr): void {
    if (this.kept === null) this.keepPlaces(this.docsFor(within));
    this.kernel.spreadPlaces(this.kept!.ptr, within, this.dead, bitmaps);
  }

  /** Frees everything that is its own. */
  free(): void {
    this.freeBitmaps();
  }

  /** To be called with every change of what is held. */
  protected grow(bytes: number): void {
    this.byteCount += bytes;
    this.onGrowth(bytes);
  }

  /** Whether there are so many times fewer documents in `within` that a bitmap of them all is not worth its making yet. */
  protected isNarrow(within: Ptr): boolean {
    return this.kernel.count(within) * NARROW_SHARE < this.docCount;
  }

  private docsFor(like: Ptr): Ptr {
    const bitCount = this.kernel.bitCapacity(like);
    if (this.docCount * DOCS_SHARE < bitCount) return 0;
    if (bitCount !== this.bitCount) {
      this.freeBitmaps();
      this.bitCount = bitCount;
    }
    if (this.docs === 0) {
      this.docs = this.newBitmap();
      this.walkDocs(this.docs);
    }
    return this.docs;
  }

  private fieldsFor(within: Ptr, fieldCount: number): readonly Ptr[] | null {
    if (fieldCount > FIELDS_MAX || this.docCount * FIELDS_SHARE < this.kernel.bitCapacity(within)) return null;
    if (this.fields === null && this.narrowAsks < NARROW_ASKS_MAX && this.isNarrow(within)) {
      this.narrowAsks += 1;
      return null;
    }
    const docs = this.docsFor(within);
    if (docs === 0) return null;
    if (this.fields === null || this.fields.length < fieldCount) {
      for (const field of this.fields ?? []) this.freeBitmap(field);
      this.fields = this.findFields(docs, fieldCount);
    }
    return this.fields;
  }

  /** Who asks for fields asks for places too, sooner or later, and both take a walk over all keys. */
  private findFields(docs: Ptr, fieldCount: number): Ptr[] {
    const { kernel } = this;
    const mark = kernel.mark();
    const found = Array.from({ length: fieldCount }, () => kernel.bitmap(this.bitCount));
    const pointers = kernel.scratch(fieldCount * 4);
    kernel.writeU32(pointers, found);
    if (this.kept === null) this.keep(this.makePlaced(docs, pointers, fieldCount));
    else this.walkFields(pointers, fieldCount, docs);
    const kept = found.map((bitmap) => {
      if (kernel.isEmpty(bitmap)) return 0;
      const resident = this.newBitmap();
      kernel.assign(resident, bitmap);
      return resident;
    });
    kernel.release(mark);
    return kept;
  }

  private keepPlaces(docs: Ptr): void {
    const { fieldCount } = this.scope;
    const isWorthFields = this.docCount * FIELDS_SHARE >= this.bitCount && fieldCount > 0 && fieldCount <= FIELDS_MAX;
    if (this.fields === null && isWorthFields) this.fields = this.findFields(docs, fieldCount);
    else this.keep(this.makePlaced(docs, 0, 0));
  }

  private keep({ list, hasKeys }: PlacedList): void {
    this.grow(list.byteCount);
    this.kept = list;
    this.keptHasKeys = hasKeys;
  }

  /** Gives up what is kept of places. */
  protected dropPlaces(): void {
    if (this.kept === null) return;
    this.kernel.free(this.kept.ptr);
    this.grow(-this.kept.byteCount);
    this.kept = null;
  }

  private newBitmap(): Ptr {
    this.grow(this.bitCount / 8);
    return this.kernel.bitmapResident(this.bitCount);
  }

  private freeBitmap(bitmap: Ptr): void {
    if (bitmap === 0) return;
    this.kernel.free(bitmap);
    this.grow(-this.bitCount / 8);
  }

  private freeBitmaps(): void {
    this.dropPlaces(); // it goes by the bitmap of documents
    this.freeBitmap(this.docs);
    for (const field of this.fields ?? []) this.freeBitmap(field);
    this.docs = 0;
    this.fields = null;
  }
}
