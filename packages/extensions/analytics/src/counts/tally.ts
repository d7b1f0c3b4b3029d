import type { AnalyticsRecord, SearchRecord } from '../records/record.js';
import { HOUR_MS, hourOf } from '../records/record-log.js';
import { HourCounts, type LinkedQuery } from './hour-counts.js';
import { TYPING_MS, TypingVisitors } from './typing.js';

/** Queries whose events are linked, at about 300 bytes each: 15 MB. The oldest are forgotten first. */
const LINKS_MAX = 50_000;
/** Hours whose counts wait to be stored; older ones are given up. */
const HOURS_MAX = 6;
/** An hour is complete this long after its end: then nobody types a search of it. */
const GRACE_MS = TYPING_MS + 6_000;

/**
 * The counts of the hours that are not stored yet, from records in the order of their time. Records that are read again after a
 * restart give the same counts. Its memory is bounded, whatever is recorded.
 */
export class Tally {
  private readonly byHour = new Map<number, HourCounts>();
  private readonly typing = new TypingVisitors((search) => this.hour(search.atMs).search(search));
  private readonly links = new LinkedQueries(LINKS_MAX);
  /** The counts that were used last. */
  private last: HourCounts | undefined;
  /** Hours that were given up, since the start. */
  lostHours = 0;

  /** O(1) on average. */
  add(record: AnalyticsRecord): void {
    this.settle(record.atMs);
    if (record.kind === 'search') this.search(record);
    else {
      const link = this.links.get(record.queryUid);
      const known = link?.search.indexUid === record.indexUid ? link : undefined;
      // another text of the same typing, whose request may have been slower, does not count
      if (known !== undefined && known.search.visitor !== '') this.typing.choose(known.search);
      this.hour(record.atMs).event(record, known);
      if (known !== undefined && record.kind === 'click') known.isClicked = true;
    }
  }

  /** Counts the searches that nobody continued in time. */
  settle(nowMs: number): void {
    this.typing.settle(nowMs);
  }

  /** The counts by hour, ascending. */
  hours(): HourCounts[] {
    return [...this.byHour.values()].sort((a, b) => a.hour - b.hour);
  }

  /** Forgets an hour whose counts are stored. */
  remove(hour: number): void {
    this.byHour.delete(hour);
    this.last = undefined;
  }

  private search(record: SearchRecord): void {
    const { atMs, visitor, queryUid } = record;
    this.hour(atMs).request(record);
    if (queryUid !== '') this.links.add(queryUid, { search: record, isClicked: false });
    if (visitor === '') this.hour(atMs).search(record);
    else this.typing.add(record);
  }

  private hour(atMs: number): HourCounts {
    const hour = hourOf(atMs);
    if (this.last?.hour === hour) return this.last;
    let counts = this.byHour.get(hour);
    if (counts === undefined) {
      counts = new HourCounts(hour);
      this.byHour.set(hour, counts);
      if (this.byHour.size > HOURS_MAX) {
        this.byHour.delete(Math.min(...this.byHour.keys()));
        this.lostHours += 1;
      }
    }
    this.last = counts;
    return counts;
  }
}

/** Whether nothing more is counted in an hour. */
export const isComplete = (hour: number, nowMs: number): boolean => nowMs >= hour * 1000 + HOUR_MS + GRACE_MS;

/** The last queries whose events are linked, by their uids. The oldest is forgotten first, in O(1). */
class LinkedQueries {
  private readonly byUid = new Map<string, LinkedQuery>();
  /** The uids in a ring: the order of the map would have to be walked over its deleted entries. */
  private readonly uids: string[] = [];
  private readonly countMax: number;
  private next = 0;

  constructor(countMax: number) {
    this.countMax = countMax;
  }

  get(uid: string): LinkedQuery | undefined {
    return this.byUid.get(uid);
  }

  add(uid: string, query: LinkedQuery): void {
    const isNew = !this.byUid.has(uid);
    this.byUid.set(uid, query);
    if (!isNew) return;
    const oldest = this.uids[this.next];
    if (oldest !== undefined) this.byUid.delete(oldest);
    this.uids[this.next] = uid;
    this.next = (this.next + 1) % this.countMax;
  }
}
