/** What is recorded of searches and events: one line of JSON each. */

/** A search that was answered. */
export interface SearchRecord {
  readonly kind: 'search';
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly indexUid: string;
  /** In the form of `normalQuery`; empty for a placeholder search, and where texts are not kept. */
  readonly query: string;
  readonly tookMs: number;
  readonly hitCount: number;
  /** Who typed it, for counting the searches of one typing once; empty when nothing tells one visitor from another. */
  readonly visitor: string;
  /** The hash of the user's id; empty when the request named no user. */
  readonly user: string;
  /** The group of users that the request named; empty for none. */
  readonly group: string;
  /** Uids of the search rules whose conditions held. */
  readonly rules: readonly string[];
  /** The uid that the answer gave to the query; empty when none was requested. */
  readonly queryUid: string;
}

/** What a user did with a hit. */
export interface EventRecord {
  readonly kind: 'click' | 'conversion';
  readonly atMs: number;
  readonly indexUid: string;
  /** Of the query; empty when the event named none. */
  readonly queryUid: string;
  readonly user: string;
  /** Of the hit in its answer, from 0; -1 when the event named none. */
  readonly position: number;
}

export type AnalyticsRecord = SearchRecord | EventRecord;

const KINDS: Readonly<Record<string, AnalyticsRecord['kind']>> = { s: 'search', c: 'click', v: 'conversion' };

/** The line of a record, with its end. O(its texts) */
export function recordLine(record: AnalyticsRecord): string {
  const { atMs, indexUid, user, queryUid } = record;
  if (record.kind !== 'search')
    return `${JSON.stringify([record.kind === 'click' ? 'c' : 'v', atMs, indexUid, user, queryUid, record.position])}\n`;
  const { query, tookMs, hitCount, visitor, group, rules } = record;
  // names of indexes and hashes have no characters that JSON escapes; the uid of a query may come from another instance
  const who = `"${indexUid}","${user}",${queryUid === '' ? '""' : JSON.stringify(queryUid)}`;
  const groups = `${group === '' ? '""' : JSON.stringify(group)},${rules.length === 0 ? '[]' : JSON.stringify(rules)}`;
  return `["s",${atMs},${who},${JSON.stringify(query)},${tookMs},${hitCount},"${visitor}",${groups}]\n`;
}

type SearchLine = ['s', number, string, string, string, string, number, number, string, string, string[]];
type EventLine = ['c' | 'v', number, string, string, string, number];

/** The record of a line; undefined for a line of another kind. @throws SyntaxError for a line that is no JSON */
export function readRecord(line: string): AnalyticsRecord | undefined {
  const parts = JSON.parse(line) as SearchLine | EventLine;
  const kind = KINDS[parts[0]];
  if (kind === undefined) return undefined;
  const [, atMs, indexUid, user, queryUid] = parts;
  if (parts[0] !== 's')
    return { kind: kind as EventRecord['kind'], atMs, indexUid, user, queryUid, position: parts[5] };
  const [, , , , , query, tookMs, hitCount, visitor, group, rules] = parts;
  return { kind: 'search', atMs, indexUid, user, queryUid, query, tookMs, hitCount, visitor, group, rules };
}
