import {
  addCounts,
  type Counts,
  LATENCY_BOUNDS_MS,
  latencyBelow,
  newCounts,
  POSITION_COUNT,
} from '../counts/counts.js';
import { UserSketch } from '../counts/user-sketch.js';
import type { ReportAnswer } from '../description.js';
import type { HourDocument } from '../documents/port.js';

export interface ReportRange {
  /** Seconds since 1970; `to` is not within the range. */
  readonly from: number;
  readonly to: number;
  /** Entries of each list. */
  readonly limit: number;
}

/** What was searched in a range of time. */
export type AnalyticsReport = Omit<ReportAnswer, 'from' | 'to' | 'index' | 'enabled' | 'isPartial' | 'dropped'>;
type Whole = AnalyticsReport['totals'];
type QueryRates = AnalyticsReport['queries'][number];
type Rates = Omit<AnalyticsReport['rules'][number], 'rule'>;

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** Ranges of more hours than this are shown by day. */
const HOURLY_SECONDS = 4 * DAY_SECONDS;

/** Sums of rows of kind index. */
class Sums {
  readonly counts = newCounts();
  requests = 0;
  unlinked = 0;
  tookMsSum = 0;
  readonly latencies = new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0);
  readonly positions = new Array<number>(POSITION_COUNT + 1).fill(0);
  private readonly users = new UserSketch();

  add(row: HourDocument): void {
    addCounts(this.counts, row);
    this.requests += row.requests ?? 0;
    this.unlinked += row.unlinked ?? 0;
    this.tookMsSum += row.tookMsSum ?? 0;
    addTo(this.latencies, row.latencies ?? []);
    addTo(this.positions, row.positions ?? []);
    const sketch = row.userSketch === undefined ? undefined : UserSketch.of(row.userSketch);
    if (sketch !== undefined) this.users.merge(sketch);
  }

  toJson(): Whole {
    const { latencies, requests } = this;
    return {
      requests,
      ...ratesOf(this.counts),
      users: this.users.count,
      unlinkedEvents: this.unlinked,
      latency: {
        averageMs: requests === 0 ? 0 : Math.round((this.tookMsSum / requests) * 100) / 100,
        p50Ms: latencyBelow(latencies, 0.5),
        p95Ms: latencyBelow(latencies, 0.95),
        p99Ms: latencyBelow(latencies, 0.99),
      },
    };
  }
}

/** Makes a report of rows. O(rows log rows) */
export function makeReport(rows: readonly HourDocument[], { from, to, limit }: ReportRange): AnalyticsReport {
  const stepSeconds = to - from > HOURLY_SECONDS ? DAY_SECONDS : HOUR_SECONDS;
  const totals = new Sums();
  const times = new Map<number, Sums>();
  const indexes = new Map<string, Sums>();
  const parts = { rule: new Map<string, Counts>(), group: new Map<string, Counts>() };
  const queries = new Map<
    string,
    Counts & Pick<QueryRates, 'index' | 'query'> & { hitCount: number; lastHour: number }
  >();
  for (const row of rows) {
    if (row.kind === 'index') {
      totals.add(row);
      memberOf(times, row.hour - (row.hour % stepSeconds), () => new Sums()).add(row);
      memberOf(indexes, row.index, () => new Sums()).add(row);
    } else if (row.kind === 'query') {
      const { index, query = '', hitCount = 0, hour } = row;
      const known = memberOf(queries, `${index} ${query}`, () => ({
        ...newCounts(),
        index,
        query,
        hitCount,
        lastHour: hour,
      }));
      addCounts(known, row);
      if (hour >= known.lastHour) Object.assign(known, { hitCount, lastHour: hour });
    } else addCounts(memberOf(parts[row.kind], row.name ?? '', newCounts), row);
  }
  const asked = [...queries.values()];
  const listed = asked.reduce((sum, { searches }) => sum + searches, 0);
  const bySearches = (a: Counts, b: Counts): number => b.searches - a.searches;
  const shown = (row: (typeof asked)[number]): QueryRates => ({
    index: row.index,
    query: row.query,
    hitCount: row.hitCount,
    ...ratesOf(row),
  });
  const partsOf = (members: ReadonlyMap<string, Counts>) =>
    [...members].sort(([, a], [, b]) => bySearches(a, b)).slice(0, limit);
  return {
    totals: totals.toJson(),
    times: [...times]
      .sort(([a], [b]) => a - b)
      .map(([start, sums]) => ({ from: new Date(start * 1000).toISOString(), ...sums.toJson() })),
    stepSeconds,
    queries: asked
      .filter(({ searches }) => searches > 0)
      .sort(bySearches)
      .slice(0, limit)
      .map(shown),
    withoutHits: asked
      .filter(({ withoutHits }) => withoutHits > 0)
      .sort((a, b) => b.withoutHits - a.withoutHits)
      .slice(0, limit)
      .map(shown),
    otherSearches: Math.max(0, totals.counts.searches - listed),
    positions: totals.positions.map((clicks, at) => ({
      position: at === POSITION_COUNT ? `${at} and more` : String(at),
      clicks,
    })),
    indexes: [...indexes]
      .sort(([, a], [, b]) => bySearches(a.counts, b.counts))
      .slice(0, limit)
      .map(([index, sums]) => ({ index, ...sums.toJson() })),
    rules: partsOf(parts.rule).map(([rule, counts]) => ({ rule, ...ratesOf(counts) })),
    groups: partsOf(parts.group).map(([group, counts]) => ({ group, ...ratesOf(counts) })),
  };
}

function ratesOf({ positionSum, positionedClicks, ...counts }: Counts): Rates {
  const { searches, withoutHits, clicks, clickedSearches, conversions } = counts;
  const perSearch = (count: number): number | null => (searches === 0 ? null : rounded(Math.min(1, count / searches)));
  return {
    searches,
    withoutHits,
    clicks,
    clickedSearches,
    conversions,
    clickThroughRate: perSearch(clickedSearches),
    conversionRate: perSearch(conversions),
    averageClickPosition: positionedClicks === 0 ? null : rounded(positionSum / positionedClicks),
  };
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

function addTo(sums: number[], more: readonly number[]): void {
  for (const [at, count] of more.entries()) if (at < sums.length) sums[at]! += count;
}

function memberOf<K, V>(members: Map<K, V>, key: K, make: () => V): V {
  let member = members.get(key);
  if (member === undefined) {
    member = make();
    members.set(key, member);
  }
  return member;
}
