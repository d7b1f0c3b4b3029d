import type { SegmentInfo } from '@fossick/segments';

/** Segments of about one size that are merged together. */
const MERGE_WIDTH = 4;
/** Beyond so many, the smallest are merged whatever their sizes: few, as a merge of unequal sizes writes much for little. */
const SEGMENT_COUNT_MAX = 10;
/** Beyond so many, merges are begun beside batches that leave no time between them ... */
export const SEGMENTS_MAX = 12;
/** ... and beyond so many batches wait for them. */
export const SEGMENTS_HELD_MAX = 24;
/** Segments up to this many documents are all of the lowest tier. */
const TIER_BASE_DOCS = 1_000;
const TIER_RATIO = 4;
/** Postings of a segment that is full-grown: a share of all there are, so that their number has a bound, and so many at least. */
const GROWN_COUNT_MAX = 5;
const GROWN_BYTES_MIN = 64 << 20;
/** A merge streams postings, a piece at a time, but holds a column as it was and as it becomes, which takes half as much. */
const MERGE_COPIES = 2;

/** A merge holds the indexes of vectors that it goes on with and makes; half of the memory is left to the pages it writes. */
const VECTOR_SHARE = 1 / 2;
/** What one merge may hold of vectors whatever the memory: addresses of the kernel end at 4 GiB. */
const VECTOR_BYTES_MAX = 2 ** 31;

/**
 * Each graph of vectors is walked by each search: two segments whose vectors take about as much become one, up to such a ratio. Linking a vector takes as long as
 * copying some twenty, so a ratio of 6 links less than one of 4 and writes a fifth more.
 */
const GRAPH_RATIO_MAX = 6;

/** What merging the vectors of a segment takes, and how much of it a merge may take; in bytes. */
export interface VectorBudget {
  readonly bytesOf: (segment: SegmentInfo) => number;
  /** Whether searches walk a graph of the segment. */
  readonly hasGraph: (segment: SegmentInfo) => boolean;
  readonly bytesMax: number;
}
export const NO_VECTORS: VectorBudget = { bytesOf: () => 0, hasGraph: () => false, bytesMax: VECTOR_BYTES_MAX };

/** Bytes of vectors that may be merged at once within the memory of indexing. */
export function vectorBytesWithin(maxIndexingBytes: number): number {
  return Math.min(VECTOR_BYTES_MAX, maxIndexingBytes * VECTOR_SHARE);
}

/** Bytes of postings that may be merged at once within the memory of indexing. */
export function mergeBytesWithin(maxIndexingBytes: number): number {
  return maxIndexingBytes / MERGE_COPIES;
}

/**
 * The segments to merge next, or none: four of one tier (sizes within a factor of four), two with graphs of vectors of about one size, a segment that is half
 * deleted, or the smallest ones when there are more than ten. `bytesMax`: postings that may be merged at once.
 */
export function chooseMerge(
  segments: readonly SegmentInfo[],
  bytesMax: number = Number.POSITIVE_INFINITY,
  vectors: VectorBudget = NO_VECTORS,
): readonly SegmentInfo[] {
  const total = segments.reduce((sum, { postingBytes }) => sum + postingBytes, 0);
  const grownBytes = Math.min(bytesMax / 2, Math.max(GROWN_BYTES_MIN, total / GROWN_COUNT_MAX));
  const mergedMax = Math.min(bytesMax, grownBytes * 2);
  // Of a full-grown segment only its deleted documents are a reason to write it again.
  const growing = segments.filter(
    (segment) => segment.postingBytes < grownBytes && vectors.bytesOf(segment) < vectors.bytesMax / 2,
  );
  const bySize = growing.sort((left, right) => liveCount(left) - liveCount(right));
  const tiers = new Map<number, SegmentInfo[]>();
  for (const segment of bySize) {
    const tier = tierOf(liveCount(segment));
    const members = tiers.get(tier);
    if (members === undefined) tiers.set(tier, [segment]);
    else members.push(segment);
  }
  for (const members of tiers.values()) {
    const chosen = members.length < MERGE_WIDTH ? [] : withinBytes(members, mergedMax, vectors);
    if (chosen.length > 0) return chosen;
  }
  const pair = graphPair(growing, mergedMax, vectors);
  if (pair.length > 0) return pair;
  const wasteful = segments.find((segment) => segment.deadCount * 2 > segment.docCount);
  if (wasteful !== undefined) return [wasteful];
  return segments.length > SEGMENT_COUNT_MAX
    ? withinBytes(bySize.slice(0, segments.length - SEGMENT_COUNT_MAX + 1), mergedMax, vectors)
    : [];
}

/** The two smallest segments with graphs that are near enough in size for one graph to be grown into both. */
function graphPair(growing: readonly SegmentInfo[], bytesMax: number, vectors: VectorBudget): readonly SegmentInfo[] {
  const graphs = growing.filter(vectors.hasGraph).sort((left, right) => vectors.bytesOf(left) - vectors.bytesOf(right));
  for (const [at, larger] of graphs.entries()) {
    const smaller = graphs[at - 1];
    if (smaller === undefined || vectors.bytesOf(larger) > vectors.bytesOf(smaller) * GRAPH_RATIO_MAX) continue;
    const chosen = withinBytes([smaller, larger], bytesMax, vectors);
    if (chosen.length > 0) return chosen;
  }
  return [];
}

function liveCount(segment: SegmentInfo): number {
  return segment.docCount - segment.deadCount;
}

function tierOf(docCount: number): number {
  let tier = 0;
  for (let bound = TIER_BASE_DOCS; docCount > bound; bound *= TIER_RATIO) tier += 1;
  return tier;
}

function withinBytes(
  segments: readonly SegmentInfo[],
  bytesMax: number,
  vectors: VectorBudget,
): readonly SegmentInfo[] {
  const chosen: SegmentInfo[] = [];
  let byteCount = 0;
  let vectorBytes = 0;
  for (const segment of segments) {
    byteCount += segment.postingBytes;
    vectorBytes += vectors.bytesOf(segment);
    if (byteCount > bytesMax || vectorBytes > vectors.bytesMax) break;
    chosen.push(segment);
  }
  return chosen.length > 1 ? chosen : [];
}
