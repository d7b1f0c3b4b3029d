import type { SearchRecord } from '../records/record.js';

/** Milliseconds within which a search that continues the one before it, of the same visitor and index, replaces it. */
export const TYPING_MS = 4_000;
/** Visitors who are typing at the same time; beyond, the one who paused longest is done. */
const VISITORS_MAX = 10_000;
/** Searches of one visitor that are looked at again at most, on average. */
const SEARCHES_MAX = 4 * VISITORS_MAX;

/**
 * The last search of each visitor in each index, until nobody continues it in time. Searches arrive in the order of their time. They
 * are kept in a queue, in which those that were continued are passed over: a map in order of time would have to be walked over its
 * deleted entries.
 */
export class TypingVisitors {
  private readonly finish: (search: SearchRecord) => void;
  /** By index and visitor, so that no key is made of both names. */
  private readonly byIndex = new Map<string, Map<string, SearchRecord>>();
  private queue: SearchRecord[] = [];
  /** Of the oldest search in the queue. */
  private first = 0;
  private visitorCount = 0;

  /** @param finish called once with each search that counts: the last one of its typing */
  constructor(finish: (search: SearchRecord) => void) {
    this.finish = finish;
  }

  /** O(1) on average. */
  add(search: SearchRecord): void {
    const { indexUid, visitor } = search;
    let visitors = this.byIndex.get(indexUid);
    if (visitors === undefined) {
      visitors = new Map();
      this.byIndex.set(indexUid, visitors);
    }
    const before = visitors.get(visitor);
    if (before !== undefined && beganMs(search) < beganMs(before)) {
      // its request was slower than that of what was typed after it
      if (!continues(search.query, before.query)) this.finish(search);
      return;
    }
    if (before === undefined) this.visitorCount += 1;
    else if (!continues(before.query, search.query)) this.finish(before);
    visitors.set(visitor, search);
    this.queue.push(search);
    while (this.visitorCount > VISITORS_MAX || this.queue.length - this.first > SEARCHES_MAX) this.finishFirst();
  }

  /** Counts the searches that nobody continued in time. */
  settle(nowMs: number): void {
    while (this.first < this.queue.length && nowMs - this.queue[this.first]!.atMs >= TYPING_MS) this.finishFirst();
  }

  /** The visitor typed this text to its end: it counts instead of the last one, if that continues it. */
  choose(search: SearchRecord): void {
    const last = this.byIndex.get(search.indexUid)?.get(search.visitor);
    if (last === undefined) return;
    this.remove(last);
    this.finish(continues(last.query, search.query) ? search : last);
  }

  private finishFirst(): void {
    const search = this.queue[this.first]!;
    this.first += 1;
    if (this.first > this.queue.length / 2) {
      this.queue = this.queue.slice(this.first);
      this.first = 0;
    }
    if (this.byIndex.get(search.indexUid)?.get(search.visitor) !== search) return;
    this.remove(search);
    this.finish(search);
  }

  private remove({ indexUid, visitor }: SearchRecord): void {
    const visitors = this.byIndex.get(indexUid)!;
    visitors.delete(visitor);
    if (visitors.size === 0) this.byIndex.delete(indexUid);
    this.visitorCount -= 1;
  }
}

const beganMs = ({ atMs, tookMs }: SearchRecord): number => atMs - tookMs;

/** Whether one of the two texts is the start of the other, as while a query is typed or taken back. A field that is cleared at once ends a typing. */
function continues(before: string, query: string): boolean {
  if (query === '' && before.length > 1) return false;
  return query.startsWith(before) || before.startsWith(query);
}
