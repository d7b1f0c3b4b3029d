import type { Kernel, Ptr } from '@fossick/kernel';
import type { SegmentPostings } from './index-view.js';
import { type LoadedList, ResidentPostings } from './resident-postings.js';

/** One posting list in kernel memory, in the row of all by last use. */
interface CachedList {
  readonly list: ResidentPostings;
  readonly owner: PostingLists;
  readonly key: number;
  newer: CachedList | undefined;
  older: CachedList | undefined;
}
export type PostingLists = Map<number, CachedList>;

/**
 * Posting lists of all open segments of a thread, bounded in bytes, least recently used first out. Nothing is freed
 * while a view runs: `trim` is called
 * between views.
 */
export class PostingCache {
  private newest: CachedList | undefined;
  private oldest: CachedList | undefined;
  heldBytes = 0;

  constructor(
    private readonly kernel: Kernel,
    private readonly maxBytes: number,
  ) {}

  /** The list under `key` of `owner`, loaded when it is not there. */
  list(owner: PostingLists, key: number, dead: Ptr, load: () => LoadedList): SegmentPostings {
    let entry = owner.get(key);
    if (entry === undefined) {
      const list = new ResidentPostings(this.kernel, load(), dead, this.grow);
      entry = { list, owner, key, newer: undefined, older: undefined };
      owner.set(key, entry);
      this.heldBytes += list.byteCount;
    } else {
      entry.list.dead = dead;
      if (entry === this.newest) return entry.list;
      this.unlink(entry);
    }
    this.pushNewest(entry);
    return entry.list;
  }

  /** Frees the least recently used lists until the bound holds. */
  trim(): void {
    while (this.oldest !== undefined && this.heldBytes > this.maxBytes) this.drop(this.oldest);
  }

  /** Frees every list of an owner: its segment is gone. */
  dropAll(owner: PostingLists): void {
    for (const entry of [...owner.values()]) this.drop(entry);
  }

  private readonly grow = (bytes: number): void => {
    this.heldBytes += bytes;
  };

  private drop(entry: CachedList): void {
    this.unlink(entry);
    entry.owner.delete(entry.key);
    entry.list.free();
    this.heldBytes -= entry.list.byteCount;
  }

  private pushNewest(entry: CachedList): void {
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest !== undefined) this.newest.newer = entry;
    this.newest = entry;
    this.oldest ??= entry;
  }

  private unlink(entry: CachedList): void {
    if (entry.newer !== undefined) entry.newer.older = entry.older;
    else if (this.newest === entry) this.newest = entry.older;
    if (entry.older !== undefined) entry.older.newer = entry.newer;
    else if (this.oldest === entry) this.oldest = entry.newer;
    entry.newer = undefined;
    entry.older = undefined;
  }
}
