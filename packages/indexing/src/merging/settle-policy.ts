import type { SegmentInfo } from '@fossick/segments';
import { NO_VECTORS, type VectorBudget } from './merge-policy.js';

/**
 * The fewest documents of a merged segment: in small indexes the number of segments hardly matters to searches, and
 * tiers keep it low.
 */
const DOCS_MIN = 65_536;
/**
 * A merge must produce at least this multiple of its largest segment, so that a document is rewritten only as often as
 * the index grows by this ratio.
 */
const GROWTH_MIN = 4 / 3;
/**
 * The most bytes of postings of a merged segment: the columns of that many documents fit in the default memory for
 * indexing.
 */
const BYTES_MAX = 512 << 20;

/**
 * The segments to merge while nothing else is written: as many as possible, smallest first, provided that the largest
 * of them grows by a third. A search looks up each of its words in each segment, so fewer segments answer faster
 * whatever their sizes; tiers alone leave ten. Segments with vectors are left to the tiers: linking vectors again takes
 * twenty times as long as copying them. O(segments log segments)
 */
export function chooseSettled(
  segments: readonly SegmentInfo[],
  bytesMax: number = Number.POSITIVE_INFINITY,
  vectors: Pick<VectorBudget, 'bytesOf'> = NO_VECTORS,
): readonly SegmentInfo[] {
  const bySize = segments
    .filter((segment) => vectors.bytesOf(segment) === 0)
    .sort((left, right) => liveCount(left) - liveCount(right));
  let chosenCount = 0;
  let docCount = 0;
  let byteCount = 0;
  for (const [at, segment] of bySize.entries()) {
    docCount += liveCount(segment);
    byteCount += segment.postingBytes;
    if (byteCount > Math.min(bytesMax, BYTES_MAX)) break;
    if (at > 0 && docCount >= DOCS_MIN && docCount >= liveCount(segment) * GROWTH_MIN) chosenCount = at + 1;
  }
  return bySize.slice(0, chosenCount);
}

function liveCount({ docCount, deadCount }: SegmentInfo): number {
  return docCount - deadCount;
}
