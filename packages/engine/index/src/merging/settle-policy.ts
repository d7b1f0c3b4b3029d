import type { SegmentInfo } from '@fossick/format';
import { ALWAYS_FITS, type MergeFits, NO_VECTORS, type VectorBudget } from './merge-policy.js';

/**
 * The fewest documents of a merged segment: in small indexes the number of segments hardly matters to searches, and
 * tiers keep it low.
 */
const DOCS_MIN = 65_536;
/** How much of an index is rewritten for fewer segments. */
export interface SettlePace {
  /**
   * A merge must produce at least this multiple of its largest segment: a document is rewritten only as often as the
   * index grows by this ratio.
   */
  readonly growthMin: number;
  /** Number of segments from which on they are merged. */
  readonly countMin: number;
}
/** While nothing else is written. */
export const AT_REST: SettlePace = { growthMin: 4 / 3, countMin: 2 };
/**
 * While batches follow one another. A document is written again two or three times, a fifth of the time of
 * loading; searches after the load then find a few segments, not those of all batches.
 */
export const BESIDE_BATCHES: SettlePace = { growthMin: 2, countMin: 4 };
/**
 * The most bytes of postings of a merged segment. A merge streams postings, but holds a column in its old and new form:
 * this many documents take half of the default memory for indexing, and offsets of lists end at 4 GiB.
 */
const BYTES_MAX = 1 << 30;

/**
 * The segments to merge beyond what tiers need: as many as possible, smallest first, provided that the largest of them
 * grows enough. A search looks up each of its words in each segment, so fewer segments answer faster whatever their
 * sizes; tiers alone leave ten. Segments with vectors are left to the tiers: linking vectors again takes twenty times as
 * long as copying them. What does not fit into memory is left out. O(segments log segments), and a question of `fits` for
 * each.
 */
export function chooseSettled(
  segments: readonly SegmentInfo[],
  bytesMax: number = Number.POSITIVE_INFINITY,
  vectors: Pick<VectorBudget, 'bytesOf'> = NO_VECTORS,
  { growthMin, countMin }: SettlePace = AT_REST,
  fits: MergeFits = ALWAYS_FITS,
): readonly SegmentInfo[] {
  const bySize = segments
    .filter((segment) => vectors.bytesOf(segment) === 0)
    .sort((left, right) => liveCount(left) - liveCount(right));
  if (bySize.length < countMin) return [];
  let chosenCount = 0;
  let docCount = 0;
  let byteCount = 0;
  for (const [at, segment] of bySize.entries()) {
    docCount += liveCount(segment);
    byteCount += segment.postingBytes;
    if (byteCount > Math.min(bytesMax, BYTES_MAX) || !fits(bySize.slice(0, at + 1))) break;
    if (at > 0 && docCount >= DOCS_MIN && docCount >= liveCount(segment) * growthMin) chosenCount = at + 1;
  }
  return bySize.slice(0, chosenCount);
}

function liveCount({ docCount, deadCount }: SegmentInfo): number {
  return docCount - deadCount;
}
