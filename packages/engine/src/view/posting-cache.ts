import type { Kernel, LivePostings, Ptr } from '@fossick/kernel';

/** A list that was just brought into long-lived kernel memory; the cache frees it. */
export interface LoadedList {
  readonly ptr: Ptr;
  readonly byteCount: number;
}

/** One posting list in kernel memory. */
interface CachedList extends LivePostings {
  ptr: Ptr;
  dead: Ptr;
  readonly byteCount: number;
  readonly owner: Map<number, CachedList>;
  readonly key: number;
  newer: CachedList | undefined;
  older: CachedList | undefined;
}

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
  list(owner: Map<number, CachedList>, key: number, dead: Ptr, load: () => LoadedList): LivePostings {
    let entry = owner.get(key);
    if (entry === undefined) {
      const { ptr, byteCount } = load();
      entry = { ptr, dead, byteCount, owner, key, newer: undefined, older: undefined };
      owner.set(key, entry);
      this.heldBytes += byteCount;
    } else {
      entry.dead = dead;
      if (entry === this.newest) return entry;
      this.unlink(entry);
    }
    this.pushNewest(entry);
    return entry;
  }

  /** Frees the least recently used lists until the bound holds. */
  trim(): void {
    while (this.oldest !== undefined && this.heldBytes > this.maxBytes) this.drop(this.oldest);
  }

  /** Frees every list of an owner: its segment is gone. */
  dropAll(owner: Map<number, CachedList>): void {
    for (const entry of [...owner.values()]) this.drop(entry);
  }

  private drop(entry: CachedList): void {
    this.unlink(entry);
    entry.owner.delete(entry.key);
    this.heldBytes -= entry.byteCount;
    this.kernel.free(entry.ptr);
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
export type PostingLists = Map<number, CachedList>;
