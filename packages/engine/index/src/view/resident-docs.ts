import { PAGE_WORDS } from '@fossick/format';
import type { Bitmap, Kernel, None } from '@fossick/kernel';
import type { SearchMemory } from '@fossick/kernel/memory';
import { type PageReader, pagesBelow } from '../documents/doc-pages.js';

const PAGE_BYTES = PAGE_WORDS * 4;
const EMPTY_PAGE = new Uint8Array(PAGE_BYTES);

/** A set of documents as a bitmap in a thread's long-lived kernel memory, updated page by page. */
export class ResidentDocs {
  private readonly kernel: Kernel;
  private readonly memory: SearchMemory | undefined;
  /** The bitmap; 0 when there is none. */
  ptr: Bitmap | None = 0;
  private bitCount = 0;

  /** @param memory accounts for the bitmap, which is never evicted */
  constructor(kernel: Kernel, memory?: SearchMemory) {
    this.kernel = kernel;
    this.memory = memory;
  }

  /** The bitmap, updated by the changed pages; all pages are read when `changes` is undefined or the size of the bitmap changed. */
  follow(read: PageReader, bitCount: number, changed: Iterable<number> | undefined): Bitmap {
    if (this.ptr !== 0 && this.bitCount === bitCount && changed !== undefined) {
      for (const page of changed) write(this.kernel, this.ptr, page, read(page));
      return this.ptr;
    }
    this.free();
    this.bitCount = bitCount;
    const bitmap = this.kernel.bitmaps.createResident(bitCount);
    this.ptr = bitmap;
    this.memory?.grow('bitmaps', bitCount / 8);
    for (let page = 0; page < pagesBelow(bitCount); page++) {
      const bits = read(page);
      if (bits !== undefined) write(this.kernel, bitmap, page, bits);
    }
    return bitmap;
  }

  free(): void {
    if (this.ptr === 0) return;
    this.kernel.memory.free(this.ptr);
    this.memory?.grow('bitmaps', -this.bitCount / 8);
    this.ptr = 0;
  }
}

function write(kernel: Kernel, bitmap: Bitmap, page: number, bits: Uint32Array | undefined): void {
  const bytes = bits === undefined ? EMPTY_PAGE : new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength);
  kernel.bitmaps.writeBits(bitmap, page * PAGE_BYTES, bytes); // no document is beyond the bitmap
}

/**
 * Bits of the bitmaps of an index: slightly more than its docids need, at most a thirty-second more and at least 128, so that bitmaps
 * need not be replaced for the next documents.
 */
export function bitCountFor(docIdBound: number): number {
  const step = Math.max(128, 2 ** (Math.floor(Math.log2(Math.max(1, docIdBound))) - 5));
  return Math.max(1, Math.ceil(docIdBound / step)) * step;
}
