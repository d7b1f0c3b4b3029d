import type { SegmentInfo } from '@fossick/segments';
import { NO_VECTORS, type VectorBudget } from './merge-policy.js';

/** What a merge makes has so many documents at least: to searches of small indexes the number of segments is nothing, and tiers keep it low. */
const DOCS_MIN = 65_536;
/** A merge makes at least so many times what its largest segment was, so that no document is written more often than the index grows by that. */
const GROWTH_MIN = 4 / 3;
/** Postings of what it makes, in bytes: the columns of so many documents are merged within the memory for indexing by default. */
const BYTES_MAX = 512 << 20;

/**
 * The segments to make one of when nothing is to be written: as many as there are, smallest first, as far as that makes the largest of them grow by a third. A search asks
 * each segment for each of its words, so that few segments answer faster, whatever their sizes; tiers alone leave ten. Vectors are left to the tiers: linking
 * them anew takes twenty times as long as copying them. O(segments log segments).
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
