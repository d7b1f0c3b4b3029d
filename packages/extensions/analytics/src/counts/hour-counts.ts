import type { EventRecord, SearchRecord } from '../records/record.js';
import {
  type Counts,
  type IndexCounts,
  latencyGroup,
  newCounts,
  newIndexCounts,
  POSITION_COUNT,
  USERS_PER_QUERY,
} from './counts.js';
import { QueryTable } from './query-table.js';

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
 * The counts of one hour. Sums by index are exact; of the queries the most searched are there, and what the others had is the
 * difference between the sum of their index and its queries.
 */
export class HourCounts {
  readonly hour: number;
  readonly indexes = new Map<string, IndexCounts>();
  readonly queries: QueryTable;

  /** @param hour its start, in seconds since 1970 */
  constructor(hour: number, queriesMax = QUERIES_MAX) {
    this.hour = hour;
    this.queries = new QueryTable(queriesMax);
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
    addSearch(counts, hitCount);
    if (rules.length > 0 || group !== '')
      for (const part of this.parts(counts, group, rules)) addSearch(part, hitCount);
    if (query === '') return;
    const row = this.queries.counted(indexUid, query);
    addSearch(row, hitCount);
    row.hitCount = hitCount;
    if (user !== '' && row.users.length < USERS_PER_QUERY && !row.users.includes(user)) row.users.push(user);
  }

  /** `link`: the query of the event; undefined when it is not known. */
  event({ kind, indexUid, position }: EventRecord, link: LinkedQuery | undefined): void {
    const counts = this.index(indexUid);
    const all: Counts[] = [counts];
    if (link === undefined) counts.unlinked += 1;
    else {
      const { group, rules, query } = link.search;
      all.push(...this.parts(counts, group, rules));
      if (query !== '') all.push(this.queries.counted(indexUid, query));
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
}

function addSearch(counts: Counts, hitCount: number): void {
  counts.searches += 1;
  if (hitCount === 0) counts.withoutHits += 1;
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
