import type { SegmentInfo } from '@fossick/format';

/** Number of segments of similar size that are merged together. */
const MERGE_WIDTH = 4;
/**
 * With more segments than this, the smallest are merged whatever their sizes: only a few of them, because merging
 * unequal sizes rewrites much for little gain.
 */
const SEGMENT_COUNT_MAX = 10;
/**
 * With more segments than this, merges run in parallel with batches if there is no idle time between batches, and large batches
 * that follow one another wait for them ...
 */
export const SEGMENTS_MAX = 12;
/** ... and with more than this, any batch does. */
export const SEGMENTS_HELD_MAX = 24;
/** Segments of up to this many documents form the lowest tier. */
const TIER_BASE_DOCS = 1_000;
const TIER_RATIO = 4;
/**
 * A segment is full-grown at this share of all postings, so that the number of segments is bounded, and at a minimum of
 * bytes.
 */
const GROWN_COUNT_MAX = 5;
const GROWN_BYTES_MIN = 64 << 20;
/** A merge streams postings in pieces, but holds each column in its old and new form, which takes half as much. */
const MERGE_COPIES = 2;

/**
 * Share of the memory for the vector indexes that a merge extends and makes; the other half is for the pages it writes.
 */
const VECTOR_SHARE = 1 / 2;
/** The most bytes of vectors that one merge may hold, whatever the memory: the kernel's addresses end at 4 GiB. */
const VECTOR_BYTES_MAX = 2 ** 31;

/**
 * Every search walks every vector graph, so two segments whose vectors differ in size by at most this ratio are merged.
 * Linking a vector takes as long as copying some twenty, so a ratio of 6 links less than a ratio of 4 and writes a
 * fifth more.
 */
const GRAPH_RATIO_MAX = 6;

/** The bytes that merging the vectors of a segment needs, and the most that a merge may use. */
export interface VectorBudget {
  readonly bytesOf: (segment: SegmentInfo) => number;
  /** Whether the segment has a graph of vectors. */
  readonly hasGraph: (segment: SegmentInfo) => boolean;
  readonly bytesMax: number;
}
export const NO_VECTORS: VectorBudget = { bytesOf: () => 0, hasGraph: () => false, bytesMax: VECTOR_BYTES_MAX };

/** Whether a merge of these segments has the memory that it needs; asked with ever more of them. */
export type MergeFits = (segments: readonly SegmentInfo[]) => boolean;
export const ALWAYS_FITS: MergeFits = () => true;

/** Bytes of vectors that one merge may hold within the memory for indexing. */
export function vectorBytesWithin(maxIndexingBytes: number): number {
  return Math.min(VECTOR_BYTES_MAX, maxIndexingBytes * VECTOR_SHARE);
}

/** Bytes of postings that one merge may read within the memory for indexing. */
export function mergeBytesWithin(maxIndexingBytes: number): number {
  return maxIndexingBytes / MERGE_COPIES;
}

/**
 * The segments to merge next, or none: four of one tier (sizes within a factor of four), two with vector graphs of
 * similar size, one that is half deleted, or the smallest ones when there are more than ten. `bytesMax`: postings that
 * may be merged at once. `fits`: a merge that lacks memory is made of fewer segments; one that is half deleted is written
 * again in any case, since nothing else frees its documents.
 */
export function chooseMerge(
  segments: readonly SegmentInfo[],
  bytesMax: number = Number.POSITIVE_INFINITY,
  vectors: VectorBudget = NO_VECTORS,
  fits: MergeFits = ALWAYS_FITS,
): readonly SegmentInfo[] {
  const total = segments.reduce((sum, { postingBytes }) => sum + postingBytes, 0);
  const grownBytes = Math.min(bytesMax / 2, Math.max(GROWN_BYTES_MIN, total / GROWN_COUNT_MAX));
  const limits: MergeLimits = { bytesMax: Math.min(bytesMax, grownBytes * 2), vectors, fits };
  // A full-grown segment is rewritten only to drop its deleted documents.
  const growing = segments.filter(
    (segment) =>
      segment.postingBytes < grownBytes &&
      vectors.bytesOf(segment) < vectors.bytesMax / 2 &&
      // one like it would not fit in addition
      fits([segment, segment]),
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
    const chosen = members.length < MERGE_WIDTH ? [] : withinLimits(members, limits);
    if (chosen.length > 0) return chosen;
  }
  const pair = graphPair(growing, limits);
  if (pair.length > 0) return pair;
  const wasteful = segments.find((segment) => segment.deadCount * 2 > segment.docCount);
  if (wasteful !== undefined) return [wasteful];
  return segments.length > SEGMENT_COUNT_MAX
    ? withinLimits(bySize.slice(0, segments.length - SEGMENT_COUNT_MAX + 1), limits)
    : [];
}

/** The two smallest segments whose graphs are similar enough in size to extend one with the vectors of the other. */
function graphPair(growing: readonly SegmentInfo[], limits: MergeLimits): readonly SegmentInfo[] {
  const { vectors } = limits;
  const graphs = growing.filter(vectors.hasGraph).sort((left, right) => vectors.bytesOf(left) - vectors.bytesOf(right));
  for (const [at, larger] of graphs.entries()) {
    const smaller = graphs[at - 1];
    if (smaller === undefined || vectors.bytesOf(larger) > vectors.bytesOf(smaller) * GRAPH_RATIO_MAX) continue;
    const chosen = withinLimits([smaller, larger], limits);
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

/** What one merge may take. */
interface MergeLimits {
  readonly bytesMax: number;
  readonly vectors: VectorBudget;
  readonly fits: MergeFits;
}

/** The first of the segments that may be merged together; none when these are fewer than two. */
function withinLimits(
  segments: readonly SegmentInfo[],
  { bytesMax, vectors, fits }: MergeLimits,
): readonly SegmentInfo[] {
  const chosen: SegmentInfo[] = [];
  let byteCount = 0;
  let vectorBytes = 0;
  for (const segment of segments) {
    byteCount += segment.postingBytes;
    vectorBytes += vectors.bytesOf(segment);
    if (byteCount > bytesMax || vectorBytes > vectors.bytesMax || !fits([...chosen, segment])) break;
    chosen.push(segment);
  }
  return chosen.length > 1 ? chosen : [];
}
