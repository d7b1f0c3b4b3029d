import type { EventRecord, SearchRecord } from '../records/record.js';
import {
  type Counts,
  type IndexCounts,
  latencyGroup,
  newCounts,
  newIndexCounts,
  POSITION_COUNT,
  type QueryCounts,
  USERS_PER_QUERY,
} from './counts.js';

/** Distinct queries of an hour in memory. At about 400 bytes each that is 4 MB. */
export const QUERIES_MAX = 10_000;
/** Indexes of an hour; those beyond are counted together. */
const INDEXES_MAX = 1_000;
const GROUPS_MAX = 50;
const RULES_MAX = 1_000;
/** The name of what is counted together; no index, rule or query has it. */
export const OTHERS = '';

/** A query of an answer that events may name. */
export interface LinkedQuery {
  readonly search: SearchRecord;
  isClicked: boolean;
}

/**
 * The counts of one hour. Sums by index are exact. Queries are heavy hitters: when there are too many, the half with the
 * fewest searches is dropped, so a query that comes again and again stays, and texts that a hostile client makes up leave again;
 * what was dropped is the difference between the sum of its index and its queries.
 */
export class HourCounts {
  readonly hour: number;
  readonly indexes = new Map<string, IndexCounts>();
  readonly queries = new Map<string, QueryCounts>();
  private readonly queriesMax: number;

  /** @param hour its start, in seconds since 1970 */
  constructor(hour: number, queriesMax = QUERIES_MAX) {
    this.hour = hour;
    this.queriesMax = queriesMax;
  }

  /** A request was answered; whether it is a search of its own is not known yet. */
  request({ indexUid, tookMs, user }: SearchRecord): void {
    const counts = this.index(indexUid);
    counts.requests += 1;
    counts.tookMsSum += tookMs;
    counts.latencies[latencyGroup(tookMs)]! += 1;
    if (user === '') return;
    counts.users.add(user);
    counts.hasUsers = true;
  }

  /** The request was a search of its own, or the last one of a typing. */
  search({ indexUid, query, hitCount, user, group, rules }: SearchRecord): void {
    const counts = this.index(indexUid);
    const all: Counts[] = rules.length === 0 && group === '' ? [counts] : [counts, ...this.parts(counts, group, rules)];
    const row = query === '' ? undefined : this.query(indexUid, query);
    if (row !== undefined) {
      all.push(row);
      row.hitCount = hitCount;
      if (user !== '' && row.users.size < USERS_PER_QUERY) row.users.add(user);
    }
    for (const each of all) {
      each.searches += 1;
      if (hitCount === 0) each.withoutHits += 1;
    }
  }

  /** `link`: the query of the event; undefined when it is not known. */
  event({ kind, indexUid, position }: EventRecord, link: LinkedQuery | undefined): void {
    const counts = this.index(indexUid);
    const all: Counts[] = [counts];
    if (link === undefined) counts.unlinked += 1;
    else {
      const { group, rules, query } = link.search;
      all.push(...this.parts(counts, group, rules));
      if (query !== '') all.push(this.query(indexUid, query));
    }
    if (kind === 'conversion') {
      for (const each of all) each.conversions += 1;
      return;
    }
    const isFirst = link !== undefined && !link.isClicked;
    for (const each of all) {
      each.clicks += 1;
      if (isFirst) each.clickedSearches += 1;
      if (position < 0) continue;
      each.positionSum += position;
      each.positionedClicks += 1;
    }
    if (position >= 0) counts.positions[Math.min(position, POSITION_COUNT)]! += 1;
  }

  private index(uid: string): IndexCounts {
    return memberOf(this.indexes, uid, INDEXES_MAX, newIndexCounts);
  }

  /** The counts of the group and of the rules. */
  private parts({ groups, rules: byRule }: IndexCounts, group: string, rules: readonly string[]): Counts[] {
    const parts = rules.map((uid) => memberOf(byRule, uid, RULES_MAX, newCounts));
    if (group !== '') parts.push(memberOf(groups, group, GROUPS_MAX, newCounts));
    return parts;
  }

  private query(indexUid: string, query: string): QueryCounts {
    const key = `${indexUid} ${query}`;
    let row = this.queries.get(key);
    if (row === undefined) {
      if (this.queries.size >= this.queriesMax) this.dropRareQueries();
      row = { ...newCounts(), indexUid, query, hitCount: 0, users: new Set() };
      this.queries.set(key, row);
    }
    return row;
  }

  /** O(queries log queries), for every second half of them that is new. */
  private dropRareQueries(): void {
    const weight = ({ searches, clicks }: QueryCounts): number => searches + clicks;
    const sorted = [...this.queries].sort(([, a], [, b]) => weight(a) - weight(b));
    for (const [key] of sorted.slice(0, Math.ceil(this.queriesMax / 2))) this.queries.delete(key);
  }
}

function memberOf<T>(members: Map<string, T>, name: string, countMax: number, make: () => T): T {
  const known = members.get(name);
  if (known !== undefined) return known;
  const isFull = members.size >= countMax;
  if (isFull && name !== OTHERS) return memberOf(members, OTHERS, countMax + 1, make);
  const made = make();
  members.set(name, made);
  return made;
}
