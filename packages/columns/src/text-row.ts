import type { Kernel, TextRow } from '@fossick/kernel';

/** Text i is text[textOffsets[i]..textOffsets[i + 1]]. */
export interface AllTexts {
  readonly textOffsets: Uint32Array;
  readonly text: Buffer;
}

/** A copy of one text of a row. */
export function textOf(kernel: Kernel, { offsets, bytes }: TextRow, place: number): Uint8Array {
  const start = kernel.loadU32(offsets + place * 4);
  return kernel.read(bytes + start, kernel.loadU32(offsets + place * 4 + 4) - start);
}
