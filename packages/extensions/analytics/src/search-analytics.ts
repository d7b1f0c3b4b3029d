import { createHmac } from 'node:crypto';
import type { HourCounts } from './counts/hour-counts.js';
import { cutText, normalQuery } from './counts/normal-query.js';
import { Tally } from './counts/tally.js';
import type { AnalyticsRecord, EventRecord } from './records/record.js';
import { HOUR_MS, RecordLog } from './records/record-log.js';

/** How often records are written, in milliseconds: what a killed process loses at most. */
export const FLUSH_MS = 1_000;
/** Searches that are counted together. Together they find their maps in the cache of the processor, and cost half as much. */
const TOGETHER = 256;
/** UTF-16 units of the id of a user, and of a group, that are looked at. */
const NAME_UNITS = 256;
/** Search rules of one search that are recorded. */
const RULES_MAX = 20;
const HASHES_MAX = 10_000;
const NAMES_MAX = 10_000;
const HASH_DIGITS = 24;

export interface SearchAnalyticsOptions {
  /** Of the records that are not counted in documents yet. */
  readonly folder: string;
  /** Of these records. */
  readonly bytesMax: number;
  /** False: the texts of queries are dropped before they are recorded. */
  readonly keepsQueries: boolean;
  /** What user ids are hashed with; undefined while it is not known: users are not recorded then. */
  readonly secret: () => string | undefined;
  readonly onFault: (error: unknown) => void;
}

/** Who made a request. */
export interface Caller {
  /** The id that the request names. */
  readonly user: string | undefined;
  /** The group of users that the request names. */
  readonly group: string | undefined;
  /** The connection, which tells visitors apart who name no user. Nothing of it is recorded. */
  readonly connection: object | undefined;
}

/** A search that was answered. */
export interface GivenSearch {
  readonly indexUid: string;
  readonly q: string;
  readonly tookMs: number;
  readonly hitCount: number;
  readonly rules: readonly string[];
  readonly queryUid: string | null;
}

export type GivenEvent = Omit<EventRecord, 'atMs' | 'user'>;

/** Records searches and events in the thread of requests: a few microseconds each, in bounded memory. */
export class SearchAnalytics {
  private readonly options: SearchAnalyticsOptions;
  private readonly log: RecordLog;
  private readonly tally = new Tally();
  /** Searches that are not recorded yet. */
  private given: { readonly search: GivenSearch; readonly caller: Caller; readonly atMs: number }[] = [];
  private readonly hashes = new Map<string, string>();
  private readonly names = new Map<string, string>();
  private readonly connections = new WeakMap<object, string>();
  private connectionCount = 0;
  /** The last one that was forgotten, in seconds since 1970. */
  private storedHour = 0;
  private readonly timer: NodeJS.Timeout;
  /** Settled when the records of earlier processes are counted. */
  readonly earlier: Promise<void>;
  private hasEarlier = true;
  private isClosing = false;

  constructor(options: SearchAnalyticsOptions) {
    this.options = options;
    this.log = new RecordLog(options);
    this.earlier = this.countEarlier().catch(options.onFault);
    this.timer = setInterval(() => this.beat(), FLUSH_MS).unref();
  }

  /** O(1). The search is counted some searches later, at the latest with the next beat, event or report. */
  search(search: GivenSearch, caller: Caller): void {
    this.given.push({ search, caller, atMs: this.nowMs() });
    if (this.given.length >= TOGETHER) this.countGiven();
  }

  event(event: GivenEvent, { user }: Pick<Caller, 'user'>): void {
    this.countGiven();
    const queryUid = cutText(event.queryUid, NAME_UNITS);
    this.add({ ...event, queryUid, atMs: this.nowMs(), user: this.userOf(user) });
  }

  /** The counts that are not known to be stored, ascending; those of the running hour are the last. */
  hours(): readonly HourCounts[] {
    this.countGiven();
    this.tally.settle(Date.now());
    return this.tally.hours();
  }

  /** The same for a publisher, which waits until the records of earlier processes are counted. */
  publishedHours(): readonly HourCounts[] {
    return this.hasEarlier ? [] : this.hours();
  }

  /** Forgets an hour whose counts are stored. */
  forget(hour: number): void {
    this.storedHour = Math.max(this.storedHour, hour);
    this.tally.remove(hour);
    this.log.remove(hour);
  }

  /** Records without space and hours that could not be stored, since the start; and the bytes of records. */
  losses(): { readonly records: number; readonly hours: number; readonly recordBytes: number } {
    return { records: this.log.dropped, hours: this.tally.lostHours, recordBytes: this.log.bytes };
  }

  /** Writes what was recorded. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    this.countGiven();
    await this.earlier;
    await this.log.close();
  }

  /** A clock that is set back does not open an hour again whose counts are stored. */
  private nowMs(): number {
    return Math.max(Date.now(), this.storedHour * 1000 + HOUR_MS);
  }

  private beat(): void {
    this.countGiven();
    this.log.flush();
    this.tally.settle(Date.now());
  }

  private countGiven(): void {
    const { given } = this;
    this.given = [];
    for (const { search, caller, atMs } of given) this.add(this.recordOf(search, caller, atMs));
  }

  private recordOf(
    { indexUid, q, tookMs, hitCount, rules, queryUid }: GivenSearch,
    caller: Caller,
    atMs: number,
  ): AnalyticsRecord {
    const user = this.userOf(caller.user);
    return {
      kind: 'search',
      atMs,
      indexUid: this.nameOf(indexUid),
      query: this.options.keepsQueries && q !== '' ? normalQuery(q) : '',
      // as it is written, so that the counts of a restarted server are those of one that ran on
      tookMs: Math.round(tookMs * 100) / 100,
      hitCount,
      visitor: user === '' ? this.visitorOf(caller.connection) : user,
      user,
      group: cutText(caller.group ?? '', NAME_UNITS),
      rules: rules.length > RULES_MAX ? rules.slice(0, RULES_MAX) : rules,
      queryUid: cutText(queryUid ?? '', NAME_UNITS),
    };
  }

  /** What finds no space in the files is not counted either: counts and files agree after a restart. */
  private add(record: AnalyticsRecord): void {
    if (this.log.add(record)) this.tally.add(record);
  }

  private async countEarlier(): Promise<void> {
    try {
      for await (const records of this.log.earlier()) {
        if (this.isClosing) return;
        for (const record of records) this.tally.add(record);
      }
    } finally {
      this.hasEarlier = false;
    }
  }

  /** The hash of a user's id, which only this instance can make; empty for none. */
  private userOf(given: string | undefined): string {
    if (given === undefined || given === '') return '';
    const id = cutText(given, NAME_UNITS);
    const secret = this.options.secret();
    if (secret === undefined) return '';
    const known = this.hashes.get(id);
    if (known !== undefined) return known;
    const hash = createHmac('sha256', secret).update(id).digest('hex').slice(0, HASH_DIGITS);
    if (this.hashes.size >= HASHES_MAX) this.hashes.clear();
    this.hashes.set(id, hash);
    return hash;
  }

  /** The same string for equal names: that of a request may keep its whole address in memory. */
  private nameOf(indexUid: string): string {
    const known = this.names.get(indexUid);
    if (known !== undefined) return known;
    if (this.names.size >= NAMES_MAX) this.names.clear();
    const name = Buffer.from(indexUid).toString();
    this.names.set(name, name);
    return name;
  }

  private visitorOf(connection: object | undefined): string {
    if (connection === undefined) return '';
    let name = this.connections.get(connection);
    if (name === undefined) {
      this.connectionCount += 1;
      name = `~${this.connectionCount}`;
      this.connections.set(connection, name);
    }
    return name;
  }
}
