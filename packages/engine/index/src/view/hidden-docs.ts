import { orExpired } from '@fossick/columns';
import type { Bitmap, Kernel } from '@fossick/kernel';
import type { SegmentReader } from './segment-reader.js';

/** What a view hides because it has expired. */
export interface HiddenDocs {
  readonly count: number;
  /** When the next document may expire, in milliseconds since 1970; Infinity for never. */
  readonly nextMs: number;
}

export const NOTHING_HIDDEN: HiddenDocs = { count: 0, nextMs: Number.POSITIVE_INFINITY };

/**
 * Removes the documents that have expired at `nowMs` from `documents`, and marks them as deleted in their segments: then
 * everything that reads the view takes them for deleted. Only between views. O(segments log values + expired documents)
 */
export function hideExpired(
  kernel: Kernel,
  { segments, documents, bitCount }: { segments: readonly SegmentReader[]; documents: Bitmap; bitCount: number },
  attribute: string,
  nowMs: number,
): HiddenDocs {
  const { bitmaps, memory } = kernel;
  const mark = memory.mark();
  const all = bitmaps.create(bitCount);
  let nextMs = Number.POSITIVE_INFINITY;
  for (const segment of segments) {
    const column = segment.column(attribute);
    if (column === undefined) continue;
    const ofSegment = memory.mark();
    const expired = bitmaps.create(bitCount);
    nextMs = Math.min(nextMs, orExpired(expired, column, nowMs));
    if (!bitmaps.isEmpty(expired)) {
      segment.hide(expired);
      bitmaps.or(all, expired);
    }
    memory.release(ofSegment);
  }
  bitmaps.and(all, documents);
  const count = bitmaps.count(all);
  bitmaps.andNot(documents, all);
  memory.release(mark);
  return { count, nextMs };
}
