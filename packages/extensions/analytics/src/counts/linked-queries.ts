import type { LinkedQuery } from './hour-counts.js';

/** The last queries whose events are linked, by their uids. The oldest is forgotten first, in O(1). */
export class LinkedQueries {
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
