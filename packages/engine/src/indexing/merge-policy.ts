import type { SegmentInfo } from './index-state.js';

/** Segments of about one size that are merged together. */
const MERGE_WIDTH = 4;
/** More segments than this are merged whatever their sizes. */
const SEGMENT_COUNT_MAX = 8;
/** Segments up to this many documents are all of the lowest tier. */
const TIER_BASE_DOCS = 1_000;
const TIER_RATIO = 4;
/** Postings of one merge: it is done in memory. */
export const MERGE_BYTES_MAX = 256 << 20;
/** A merge holds its sources, its pieces, the whole of them and the pages they are written to. */
const MERGE_COPIES = 4;

/** Bytes of postings that may be merged at once within the memory of indexing. */
export function mergeBytesWithin(maxIndexingBytes: number): number {
  return Math.min(MERGE_BYTES_MAX, maxIndexingBytes / MERGE_COPIES);
}

/**
 * The segments to merge next, or none: four of one tier (sizes within a factor of four), a segment that is half dead,
 * or the
 * smallest ones when there are more than eight.
 */
export function chooseMerge(
  segments: readonly SegmentInfo[],
  bytesMax: number = MERGE_BYTES_MAX,
): readonly SegmentInfo[] {
  const bySize = [...segments].sort((left, right) => liveCount(left) - liveCount(right));
  const tiers = new Map<number, SegmentInfo[]>();
  for (const segment of bySize) {
    const tier = tierOf(liveCount(segment));
    const members = tiers.get(tier);
    if (members === undefined) tiers.set(tier, [segment]);
    else members.push(segment);
  }
  for (const members of tiers.values()) {
    const chosen = members.length < MERGE_WIDTH ? [] : withinBytes(members, bytesMax);
    if (chosen.length > 0) return chosen;
  }
  const wasteful = segments.find((segment) => segment.deadCount * 2 > segment.docCount);
  if (wasteful !== undefined) return [wasteful];
  return segments.length > SEGMENT_COUNT_MAX
    ? withinBytes(bySize.slice(0, segments.length - SEGMENT_COUNT_MAX + MERGE_WIDTH), bytesMax)
    : [];
}

function liveCount(segment: SegmentInfo): number {
  return segment.docCount - segment.deadCount;
}

function tierOf(docCount: number): number {
  let tier = 0;
  for (let bound = TIER_BASE_DOCS; docCount > bound; bound *= TIER_RATIO) tier += 1;
  return tier;
}

function withinBytes(segments: readonly SegmentInfo[], bytesMax: number): readonly SegmentInfo[] {
  const chosen: SegmentInfo[] = [];
  let byteCount = 0;
  for (const segment of segments) {
    byteCount += segment.postingBytes;
    if (byteCount > bytesMax) break;
    chosen.push(segment);
  }
  return chosen.length > 1 ? chosen : [];
}
