/** Order and buckets of scores. NaN is no score. */

/** Scores that are sorted at once, between two looks at the clock. */
const RUN = 65_536;

/** Gives the highest scores first, each with the positions that have it. */
export class ScoreHeap {
  private readonly scores: Float64Array;
  /** Positions as a binary heap: no score is above that of its parent. */
  private readonly heap: Uint32Array;
  private size = 0;

  /** O(scores) */
  constructor(scores: Float64Array) {
    this.scores = scores;
    this.heap = new Uint32Array(scores.length);
    for (let at = 0; at < scores.length; at++) if (!Number.isNaN(scores[at]!)) this.heap[this.size++] = at;
    for (let at = (this.size >> 1) - 1; at >= 0; at--) this.sink(at);
  }

  /** Takes the highest score that is left, with its positions in ascending order; null when none is. O(positions * log scores) */
  takeBest(): { readonly score: number; readonly positions: Uint32Array } | null {
    if (this.size === 0) return null;
    const score = this.scores[this.heap[0]!]!;
    const positions: number[] = [];
    while (this.size > 0 && this.scores[this.heap[0]!]! === score) positions.push(this.takeTop());
    return { score, positions: Uint32Array.from(positions).sort() };
  }

  private takeTop(): number {
    const top = this.heap[0]!;
    this.size -= 1;
    this.heap[0] = this.heap[this.size]!;
    this.sink(0);
    return top;
  }

  private sink(from: number): void {
    const { heap, scores, size } = this;
    const item = heap[from]!;
    const score = scores[item]!;
    let at = from;
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && scores[heap[child + 1]!]! > scores[heap[child]!]!) child += 1;
      if (scores[heap[child]!]! <= score) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = item;
  }
}

/**
 * The score above which a document is in a better bucket, for each bucket but the first, descending: of n scores, a score that m are
 * above is in bucket 1 + floor(bucketCount * m / n). O(scores * log scores)
 * @param check called now and then; may throw
 */
export function upperBounds(scores: Float64Array, bucketCount: number, check: () => void): Float64Array {
  const sorted = ascending(Float64Array.from(scores.filter((score) => !Number.isNaN(score))), check);
  const count = sorted.length;
  const bounds = new Float64Array(count === 0 ? 0 : bucketCount - 1);
  return bounds.map((_, at) => sorted[count - Math.ceil(((at + 1) * count) / bucketCount)]!);
}

/** The bucket of a score, 1 for the best: one more than the number of bounds above the score. O(log bounds) */
export function bucketNumber(bounds: Float64Array, score: number): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bounds[middle]! > score) low = middle + 1;
    else high = middle;
  }
  return 1 + low;
}

/** Sorts in runs that are merged, so that the clock is looked at between them. */
function ascending(scores: Float64Array<ArrayBuffer>, check: () => void): Float64Array {
  for (let from = 0; from < scores.length; from += RUN) {
    check();
    scores.subarray(from, from + RUN).sort();
  }
  let [source, target] = [scores, new Float64Array(scores.length > RUN ? scores.length : 0)];
  for (let length = RUN; length < scores.length; length *= 2) {
    for (let from = 0; from < scores.length; from += 2 * length) {
      check();
      merge(source, target, from, Math.min(from + length, scores.length), Math.min(from + 2 * length, scores.length));
    }
    [source, target] = [target, source];
  }
  return source;
}

function merge(source: Float64Array, target: Float64Array, from: number, middle: number, to: number): void {
  let [left, right] = [from, middle];
  for (let at = from; at < to; at++) {
    const isLeft = left < middle && (right >= to || source[left]! <= source[right]!);
    target[at] = isLeft ? source[left++]! : source[right++]!;
  }
}
