import type { DocId } from '@fossick/base';
import type { KernelExports } from './kernel-exports.js';
import { BITMAP_HEADER_BYTES } from './layout.js';
import type { MemoryView } from './memory-view.js';
import type { Bitmap, Block, None, Window } from './ptr.js';
import { WindowWriter } from './window-writer.js';

/** Bitmaps of a stretch of the index, in long-lived memory that the caller frees (docs/kernel-abi.md). */
export class Windows {
  private readonly exports: KernelExports;
  private readonly memory: MemoryView;

  constructor(exports: KernelExports, memory: MemoryView) {
    this.exports = exports;
    this.memory = memory;
  }

  /** An empty window for bits from `firstBit` on. */
  create(firstBit: number, bitCount: number): Window {
    return (this.exports.windowHeap(firstBit, bitCount) >>> 0) as Window;
  }

  /** Where the bits of a window lie, to be written as a whole. */
  bits(window: Window): Block {
    return (window + BITMAP_HEADER_BYTES) as Block;
  }

  /** target |= window, of it only what is in `within` (0: all) and not in `without` (0: none). */
  or(target: Bitmap, window: Window, within: Bitmap | None, without: Bitmap | None): void {
    this.exports.windowOr(target, window, within, without);
  }

  /**
   * Sets the bits of a window that was written with a segment, whose bytes lie at `from`, in a window of the stretch that it was written for
   * (docs/storage-layout.md).
   */
  addStored(window: Window, from: Block, byteCount: number): void {
    this.exports.windowAddStored(window, from, byteCount);
  }

  /** window |= other, of the same stretch. */
  join(window: Window, other: Window): void {
    this.exports.windowJoin(window, other);
  }

  /** Bits of the bitmap in the window's stretch. */
  countBeside(bitmap: Bitmap, window: Window): number {
    return this.exports.countBeside(bitmap, window) >>> 0;
  }

  /** Writes windows of documents [firstDoc, lastDoc]; of more than WINDOW_FIELDS_MAX fields not by field. */
  createWriter(firstDoc: DocId, lastDoc: DocId, fieldCount: number): WindowWriter {
    return new WindowWriter(this.exports, this.memory, firstDoc, lastDoc, fieldCount);
  }
}
