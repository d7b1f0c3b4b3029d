import type { DocSet } from '@fossick/format';
import type { Bitmap, Kernel } from '@fossick/kernel';

/** Makes a long-lived bitmap of `bitCount` bits with the documents of the set. The caller frees it. */
export function writeResidentBitmap(kernel: Kernel, docs: DocSet, bitCount: number): Bitmap {
  const ptr = kernel.bitmaps.createResident(bitCount);
  kernel.bitmaps.writeBits(ptr, 0, docs.bitmapBytes(kernel.bitmaps.bitCapacity(ptr) / 32));
  return ptr;
}
