import type { Kernel, Ptr } from '@fossick/kernel';
import type { DocSet } from '@fossick/segments';

/** Words start behind the header of a bitmap (kernel port). */
export const BITMAP_HEADER_BYTES = 16;

/** A long-lived bitmap of `bitCount` bits with the documents of the set. The caller frees it. */
export function writeResidentBitmap(kernel: Kernel, docs: DocSet, bitCount: number): Ptr {
  const ptr = kernel.bitmapResident(bitCount);
  const wordCount = kernel.readU32(ptr, 1)[0] ?? 0;
  kernel.write(ptr + BITMAP_HEADER_BYTES, docs.bitmapBytes(wordCount));
  return ptr;
}
