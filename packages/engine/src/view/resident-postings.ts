import type { Kernel, LivePostings, Ptr } from '@fossick/kernel';
import type { SegmentPostings } from './index-view.js';

/** A list that was just brought into long-lived kernel memory; who holds it frees it. */
export interface LoadedList {
  readonly ptr: Ptr;
  readonly byteCount: number;
}

/** A list with at least one document in so many of the index is also kept as bitmaps: they are no larger than the list itself then. */
const DOCS_SHARE = 128;
/** The same for bitmaps by field, of which there are several. */
const FIELDS_SHARE = 64;
/** Indexes of more fields keep no bitmaps by field. */
const FIELDS_MAX = 64;

/**
 * One posting list in kernel memory. Common words are asked for again and again, each time over most of the index: what was decoded
 * for them once is kept as bitmaps, as a segment never changes. Bitmaps hold dead documents too; those are left out at each use.
 */
export class ResidentPostings implements SegmentPostings {
  readonly ptr: Ptr;
  dead: Ptr;
  /** Bytes of kernel memory held, bitmaps included. */
  byteCount: number;
  private readonly docCount: number;
  private bitCount = 0;
  private docs: Ptr = 0;
  private fields: readonly Ptr[] | null = null;

  constructor(
    private readonly kernel: Kernel,
    loaded: LoadedList,
    dead: Ptr,
    private readonly onGrowth: (bytes: number) => void,
  ) {
    this.ptr = loaded.ptr;
    this.byteCount = loaded.byteCount;
    this.dead = dead;
    this.docCount = kernel.docCount(loaded.ptr);
  }

  orDocs(target: Ptr): void {
    const docs = this.docsFor(target);
    if (docs === 0) this.kernel.orDocs(target, this);
    else this.kernel.orMasked(target, docs, 0, this.dead);
  }

  orFields(within: Ptr, bitmaps: readonly Ptr[], pointers: Ptr): void {
    const fields = this.fieldsFor(within, bitmaps.length);
    if (fields === null) {
      this.kernel.spreadListFields([this], within, pointers, bitmaps.length);
      return;
    }
    for (let field = 0; field < fields.length; field++) {
      const docs = fields[field]!;
      const target = bitmaps[field] ?? 0;
      if (docs !== 0 && target !== 0) this.kernel.orMasked(target, docs, within, this.dead);
    }
  }

  /** Frees everything. */
  free(): void {
    this.freeBitmaps();
    this.kernel.free(this.ptr);
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
      this.kernel.orDocs(this.docs, this.undead());
    }
    return this.docs;
  }

  private fieldsFor(like: Ptr, fieldCount: number): readonly Ptr[] | null {
    if (fieldCount > FIELDS_MAX || this.docCount * FIELDS_SHARE < this.kernel.bitCapacity(like)) return null;
    const docs = this.docsFor(like);
    if (docs === 0) return null;
    if (this.fields === null || this.fields.length < fieldCount) {
      for (const field of this.fields ?? []) this.freeBitmap(field);
      this.fields = this.findFields(docs, fieldCount);
    }
    return this.fields;
  }

  private findFields(docs: Ptr, fieldCount: number): Ptr[] {
    const { kernel } = this;
    const mark = kernel.mark();
    const found = Array.from({ length: fieldCount }, () => kernel.bitmap(this.bitCount));
    const pointers = kernel.scratch(fieldCount * 4);
    kernel.writeU32(pointers, found);
    kernel.spreadListFields([this.undead()], docs, pointers, fieldCount);
    const kept = found.map((bitmap) => {
      if (kernel.isEmpty(bitmap)) return 0;
      const resident = this.newBitmap();
      kernel.assign(resident, bitmap);
      return resident;
    });
    kernel.release(mark);
    return kept;
  }

  private undead(): LivePostings {
    return { ptr: this.ptr, dead: 0 };
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
    this.freeBitmap(this.docs);
    for (const field of this.fields ?? []) this.freeBitmap(field);
    this.docs = 0;
    this.fields = null;
  }

  private grow(bytes: number): void {
    this.byteCount += bytes;
    this.onGrowth(bytes);
  }
}
