import type { AnalyticsRecord, SearchRecord } from '../records/record.js';
import { HOUR_MS, hourOf } from '../records/record-log.js';
import { HourCounts, type LinkedQuery } from './hour-counts.js';

/** Milliseconds within which a search that continues the one before it, of the same visitor and index, replaces it. */
export const TYPING_MS = 4_000;
/** Visitors who are typing at the same time; beyond, the one who paused longest is done. */
const VISITORS_MAX = 10_000;
/** Queries whose events are linked, at about 300 bytes each: 15 MB. The oldest are forgotten first. */
const LINKS_MAX = 50_000;
/** Hours whose counts wait to be stored; older ones are given up. */
const HOURS_MAX = 6;
/** An hour is complete this long after its end: then nobody types a search of it. */
export const GRACE_MS = TYPING_MS + 6_000;

/**
 * The counts of the hours that are not stored yet, from records in the order of their time. Records that are read again after a
 * restart give the same counts. Its memory is bounded, whatever is recorded.
 */
export class Tally {
  private readonly byHour = new Map<number, HourCounts>();
  /** The last search of each visitor in each index, the one that paused longest first. */
  private readonly typing = new Map<string, SearchRecord>();
  private readonly links = new Map<string, LinkedQuery>();
  /** Hours that were given up, since the start. */
  lostHours = 0;

  /** O(1) on average. */
  add(record: AnalyticsRecord): void {
    this.settle(record.atMs);
    if (record.kind === 'search') this.search(record);
    else {
      const link = this.links.get(record.queryUid);
      const known = link?.search.indexUid === record.indexUid ? link : undefined;
      if (known !== undefined) this.chosen(known.search);
      this.hour(record.atMs).event(record, known);
      if (known !== undefined && record.kind === 'click') known.isClicked = true;
    }
  }

  /** Counts the searches that nobody continued in time. */
  settle(nowMs: number): void {
    for (const [key, { atMs }] of this.typing) {
      if (nowMs - atMs < TYPING_MS) return;
      this.finish(key);
    }
  }

  /** The counts by hour, ascending. */
  hours(): HourCounts[] {
    return [...this.byHour.values()].sort((a, b) => a.hour - b.hour);
  }

  /** Forgets an hour whose counts are stored. */
  remove(hour: number): void {
    this.byHour.delete(hour);
  }

  private search(record: SearchRecord): void {
    const { atMs, indexUid, query, visitor, queryUid } = record;
    this.hour(atMs).request(record);
    if (queryUid !== '') this.link(queryUid, { search: record, isClicked: false });
    if (visitor === '') {
      this.hour(atMs).search(record);
      return;
    }
    const key = `${indexUid} ${visitor}`;
    const before = this.typing.get(key);
    if (before !== undefined && continues(before.query, query)) this.typing.delete(key);
    else this.finish(key);
    this.typing.set(key, record);
    if (this.typing.size > VISITORS_MAX) this.finish(this.typing.keys().next().value!);
  }

  /**
   * A user who clicks has typed the query to its end: it counts, and not another text of the same typing, whose request may have
   * been slower.
   */
  private chosen(search: SearchRecord): void {
    const key = `${search.indexUid} ${search.visitor}`;
    const last = this.typing.get(key);
    if (last === undefined || search.visitor === '') return;
    if (continues(last.query, search.query)) this.typing.set(key, search);
    this.finish(key);
  }

  private finish(key: string): void {
    const search = this.typing.get(key);
    if (search === undefined) return;
    this.typing.delete(key);
    this.hour(search.atMs).search(search);
  }

  private link(uid: string, query: LinkedQuery): void {
    this.links.set(uid, query);
    if (this.links.size > LINKS_MAX) this.links.delete(this.links.keys().next().value!);
  }

  private hour(atMs: number): HourCounts {
    const hour = hourOf(atMs);
    let counts = this.byHour.get(hour);
    if (counts === undefined) {
      counts = new HourCounts(hour);
      this.byHour.set(hour, counts);
      if (this.byHour.size > HOURS_MAX) {
        this.byHour.delete(Math.min(...this.byHour.keys()));
        this.lostHours += 1;
      }
    }
    return counts;
  }
}

/** Whether one of the two texts is the start of the other, as while a query is typed or taken back. */
const continues = (before: string, query: string): boolean => query.startsWith(before) || before.startsWith(query);

/** Whether nothing more is counted in an hour. */
export const isComplete = (hour: number, nowMs: number): boolean => nowMs >= hour * 1000 + HOUR_MS + GRACE_MS;
