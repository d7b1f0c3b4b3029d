/** Sums and histograms of the numbers of a field among candidates. */
import { type ExactNumber, withDigits } from '@fossick/documents/stored';
import type { Bitmap } from '@fossick/kernel';
import type { ColumnView } from '../port.js';
import { fieldCounts, presentNumbers } from './counted-values.js';

/** Each different number of a document counts once. `sum`, `avg`, `min` and `max` are null without any number. Sums are calculated in floats. */
export interface NumberStats {
  readonly count: number;
  readonly sum: number | null;
  readonly avg: number | null;
  readonly min: ExactNumber | null;
  readonly max: ExactNumber | null;
}
/** Numbers from `from` (included) to `to` (excluded). */
export interface HistogramBucket {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}
export interface HistogramShape {
  readonly interval: number;
  /** A bound of buckets. */
  readonly start: number;
}
export interface NumberSummary {
  readonly stats: NumberStats;
  /** Ascending, without empty buckets; null when there are more than `maxBuckets`, or their bounds are not exact. */
  readonly histogram: readonly HistogramBucket[] | null;
}

/** O(different numbers, or candidates where they are few) */
export function numberSummary(
  view: ColumnView,
  candidates: Bitmap,
  field: string,
  shape: HistogramShape | null,
  maxBuckets: number,
): NumberSummary {
  const total = new ExactSum();
  const sum: { count: number; min: ExactNumber; max: ExactNumber } = { count: 0, min: Number.NaN, max: Number.NaN };
  const buckets = new Map<number, number>();
  let isTooFine = false;
  for (const { value: exact, count } of presentNumbers(fieldCounts(view, candidates, field))) {
    const value = Number(exact);
    if (sum.count === 0) sum.min = exact;
    sum.max = exact;
    sum.count += count;
    total.add(value * count);
    if (shape === null || buckets.size > maxBuckets) continue;
    const at = Math.floor((value - shape.start) / shape.interval);
    if (!Number.isSafeInteger(at)) isTooFine = true;
    buckets.set(at, (buckets.get(at) ?? 0) + count);
  }
  const { count, min, max } = sum;
  const isEmpty = count === 0;
  const stats = {
    count,
    sum: isEmpty ? null : total.value,
    avg: isEmpty ? null : total.value / count,
    min: isEmpty ? null : withDigits(min),
    max: isEmpty ? null : withDigits(max),
  };
  const bound = (at: number): number => shape!.start + at * shape!.interval;
  const histogram = [...buckets].map(([at, docs]) => ({ from: bound(at), to: bound(at + 1), count: docs }));
  return { stats, histogram: isTooFine || buckets.size > maxBuckets ? null : histogram };
}

/** A sum whose rounding errors are summed too (Neumaier). */
class ExactSum {
  private sum = 0;
  private rest = 0;

  add(value: number): void {
    const next = this.sum + value;
    this.rest += Math.abs(this.sum) >= Math.abs(value) ? this.sum - next + value : value - next + this.sum;
    this.sum = next;
  }

  get value(): number {
    return Number.isFinite(this.rest) ? this.sum + this.rest : this.sum;
  }
}
