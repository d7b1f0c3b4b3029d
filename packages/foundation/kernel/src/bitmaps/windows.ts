import type { DocId } from '@fossick/base';
import type { LiveDocs } from '../columns/column-port.js';
import { WindowWriter } from '../inverting/window-writer.js';
import { BITMAP_HEADER_BYTES } from '../layout.js';
import { KernelPart } from '../memory-view.js';
import type { Bitmap, Block, None, Window } from '../ptr.js';

/** Bitmaps of a stretch of the index, in long-lived memory that the caller frees (docs/internals/kernel-abi.md). */
export class Windows extends KernelPart {
  /** An empty window for `bitCount` bits from `firstBit` on. */
  create(firstBit: number, bitCount: number): Window {
    return (this.exports.windowHeap(firstBit, bitCount) >>> 0) as Window;
  }

  /** The bits of a window, to be overwritten as a whole. */
  bits(window: Window): Block {
    return (window + BITMAP_HEADER_BYTES) as Block;
  }

  /** target |= window, restricted to `within` (0: everything) and without `without` (0: nothing). */
  or(target: Bitmap, window: Window, within: Bitmap | None, without: Bitmap | None): void {
    this.exports.windowOr(target, window, within, without);
  }

  /** Sets the bits of a stored window, whose bytes are at `from`, in a window of the same stretch (docs/internals/storage-layout.md). */
  addStored(window: Window, from: Block, byteCount: number): void {
    this.exports.windowAddStored(window, 0, from, byteCount, 0, 0);
  }

  /** target |= the live documents of a stored window from `firstDoc` on, which is not stored as lanes. */
  orStored(target: Bitmap, firstDoc: number, from: Block, byteCount: number, { universe, deleted }: LiveDocs): void {
    this.exports.windowAddStored(target, firstDoc, from, byteCount, universe, deleted);
  }

  /** window |= other, of the same stretch. */
  join(window: Window, other: Window): void {
    this.exports.bitmapOr(window, other);
  }

  /** The number of bits of the bitmap within the window's stretch. */
  countBeside(bitmap: Bitmap, window: Window): number {
    return this.exports.countBeside(bitmap, window) >>> 0;
  }

  /** A writer for windows of documents [firstDoc, lastDoc], not by field when there are more than WINDOW_FIELDS_MAX fields. */
  createWriter(firstDoc: DocId, lastDoc: DocId, fieldCount: number): WindowWriter {
    return new WindowWriter(this.exports, this.memory, firstDoc, lastDoc, fieldCount);
  }
}
