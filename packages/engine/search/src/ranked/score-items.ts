/** Makes scores of hits of different queries and indexes comparable. */
import { compareUtf8 } from '@fossick/base';
import { compareExact, type ExactNumber } from '@fossick/documents';
import { globalScore, isRanked, type ScoreDetail, scaleOf, type ValueScore } from '../ranking/rules/score-details.js';

/** One step of a comparison: a weighted number, or the value of a sort rule. */
export type ScoreItem =
  | { readonly kind: 'score'; readonly value: number }
  | { readonly kind: 'vector'; readonly value: number }
  | { readonly kind: 'sort'; readonly isAscending: boolean; readonly value: unknown }
  | { readonly kind: 'geo'; readonly isAscending: boolean; readonly distance: number | null };

/** Sort key of a hit among hits of other queries. */
export interface Ranked {
  readonly items: readonly ScoreItem[];
  /** Global ranking score times the weight of the query. */
  readonly weightedScore: number;
  /** Index of the query in `queries`; breaks ties, the lower first. */
  readonly queryPosition: number;
}

/** Smaller differences are rounding errors. */
const EPSILON = Number.EPSILON;

/**
 * Turns details, in rule order, into items: consecutive ranks become one number times `weight` and the weight of search rules; a
 * pin has no item. O(details).
 */
export function scoreItems(details: readonly ScoreDetail[], ofQuery: number): ScoreItem[] {
  const weight = ofQuery * scaleOf(details);
  const items: ScoreItem[] = [];
  let run: ScoreDetail[] = [];
  const closeRun = (): void => {
    if (run.length > 0) items.push({ kind: 'score', value: globalScore(run) * weight });
    run = [];
  };
  for (const detail of details) {
    if (isRanked(detail)) {
      run.push(detail);
      continue;
    }
    closeRun();
    const item = valueItem(detail, weight);
    if (item !== null) items.push(item);
  }
  closeRun();
  return items;
}

function valueItem(detail: ScoreDetail, weight: number): ScoreItem | null {
  if (detail.kind === 'vector') return { kind: 'vector', value: (detail.similarity ?? 0) * weight };
  if (detail.kind === 'sort')
    return { kind: 'sort', isAscending: detail.key.endsWith(':asc'), value: detail.value ?? null };
  if (detail.kind === 'valueScore') return { kind: 'sort', isAscending: false, value: comparedScore(detail) };
  if (detail.kind === 'geoSort')
    return { kind: 'geo', isAscending: detail.key.endsWith(':asc'), distance: detail.distance };
  return null;
}

/** The score itself, or with buckets the share of buckets that are not better. */
function comparedScore({ value, bucket, bucketCount }: ValueScore): number | null {
  if (bucketCount === null) return value;
  return bucket === null ? null : 1 - (bucket - 1) / bucketCount;
}

/** Above 0 when `a` goes first, below 0 when `b` does, 0 when neither. O(items). */
export function compareRanked(a: Ranked, b: Ranked): number {
  const length = Math.max(a.items.length, b.items.length);
  for (let at = 0; at < length; at++) {
    const left = a.items[at];
    const right = b.items[at];
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    const order = compareItems(left, right);
    if (order === null) return a.items.length - b.items.length || compareNumbers(a.weightedScore, b.weightedScore);
    if (order !== 0) return order;
  }
  return 0;
}

/** Null when the two cannot be compared. */
function compareItems(a: ScoreItem, b: ScoreItem): number | null {
  if (a.kind === 'sort' && b.kind === 'sort')
    return a.isAscending === b.isAscending ? compareValues(a.value, b.value, a.isAscending) : null;
  if (a.kind === 'geo' && b.kind === 'geo')
    return a.isAscending === b.isAscending ? compareDistances(a.distance, b.distance, a.isAscending) : null;
  if ('value' in a && 'value' in b && a.kind !== 'sort' && b.kind !== 'sort') return compareNumbers(a.value, b.value);
  return null;
}

function compareNumbers(a: number, b: number): number {
  return Math.abs(a - b) <= EPSILON ? 0 : a - b;
}

/**
 * Numbers precede strings, documents without a value come last, whatever the direction: positive when `a` goes first.
 */
export function compareValues(a: unknown, b: unknown, isAscending: boolean): number {
  const [rankA, rankB] = [valueRank(a), valueRank(b)];
  if (rankA !== rankB) return rankA - rankB;
  const order = rankA === 2 ? compareExact(a as ExactNumber, b as ExactNumber) : compareUtf8(String(a), String(b));
  if (rankA === 0 || order === 0) return 0;
  return isAscending ? -order : order;
}

const valueRank = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'bigint' ? 2 : typeof value === 'string' ? 1 : 0;

/** Positive when `a` goes first in the direction; documents without a point come last. */
function compareDistances(a: number | null, b: number | null, isAscending: boolean): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return isAscending ? b - a : a - b;
}
