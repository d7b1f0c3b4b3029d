import { partitionPoint } from '@fossick/base';
import { UserSketch } from './user-sketch.js';

/** Upper bounds of the histogram of latencies in milliseconds; a last group holds all longer ones. */
export const LATENCY_BOUNDS_MS = [
  ...[0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048],
  ...[4096, 8192, 16_384],
] as const;
/** Positions of clicks that are counted one by one, from 0; a last group holds all others. */
export const POSITION_COUNT = 20;

/** What is counted for a query, a rule, a group of users, and an index alike. */
export interface Counts {
  /** Searches, those of one typing once. */
  searches: number;
  /** Of these, the ones whose answer named no hit. */
  withoutHits: number;
  clicks: number;
  /** Searches with at least one click. */
  clickedSearches: number;
  conversions: number;
  /** Sum of the positions of clicks that named one, from 0, and their number. */
  positionSum: number;
  positionedClicks: number;
}

/** The counts of an index in an hour. */
export interface IndexCounts extends Counts {
  /** Answered searches, each keystroke by itself. */
  requests: number;
  /** Clicks and conversions whose query is not known. */
  unlinked: number;
  tookMsSum: number;
  /** By LATENCY_BOUNDS_MS. */
  readonly latencies: number[];
  /** Clicks by position. */
  readonly positions: number[];
  readonly users: UserSketch;
  hasUsers: boolean;
  readonly groups: Map<string, Counts>;
  readonly rules: Map<string, Counts>;
}

export interface QueryCounts extends Counts {
  readonly indexUid: string;
  readonly query: string;
  /** Of the last search. */
  hitCount: number;
  /** Distinct users, up to USERS_PER_QUERY. */
  readonly users: string[];
}

/** Distinct users of a query that are told apart in one hour: what a threshold of suggestions may ask for. */
export const USERS_PER_QUERY = 10;

export function newCounts(): Counts {
  return {
    searches: 0,
    withoutHits: 0,
    clicks: 0,
    clickedSearches: 0,
    conversions: 0,
    positionSum: 0,
    positionedClicks: 0,
  };
}

export function newIndexCounts(): IndexCounts {
  return {
    ...newCounts(),
    requests: 0,
    unlinked: 0,
    tookMsSum: 0,
    latencies: new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0),
    positions: new Array<number>(POSITION_COUNT + 1).fill(0),
    users: new UserSketch(),
    hasUsers: false,
    groups: new Map(),
    rules: new Map(),
  };
}

/** Adds to counts. */
export function addCounts(to: Counts, more: Readonly<Counts>): void {
  to.searches += more.searches;
  to.withoutHits += more.withoutHits;
  to.clicks += more.clicks;
  to.clickedSearches += more.clickedSearches;
  to.conversions += more.conversions;
  to.positionSum += more.positionSum;
  to.positionedClicks += more.positionedClicks;
}

/** The latency below which `share` of the searches are, in milliseconds: the upper bound of their group; 0 without searches. */
export function latencyBelow(latencies: readonly number[], share: number): number {
  const total = latencies.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 0;
  let seen = 0;
  for (const [at, count] of latencies.entries()) {
    seen += count;
    if (seen >= total * share) return LATENCY_BOUNDS_MS[at] ?? LATENCY_BOUNDS_MS.at(-1)! * 2;
  }
  return LATENCY_BOUNDS_MS.at(-1)! * 2;
}

/** The group of a latency. O(log of the bounds) */
export function latencyGroup(tookMs: number): number {
  return partitionPoint(0, LATENCY_BOUNDS_MS.length, (at) => LATENCY_BOUNDS_MS[at]! < tookMs);
}
