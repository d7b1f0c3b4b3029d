/** Kernel memory that can be had again from the store. */
export interface HeldMemory {
  readonly byteCount: number;
  free(): void;
}

/** What the cache holds, in the row of all by last use. */
export class CacheEntry {
  newer: CacheEntry | undefined;
  older: CacheEntry | undefined;

  constructor(
    readonly held: HeldMemory,
    /** Tells its owner that it is gone. */
    readonly forget: () => void,
  ) {}
}

/**
 * What all open segments of a thread hold of posting lists, bounded in bytes, least recently used first out. Nothing is freed while a
 * view runs: `trim` is called between views.
 */
export class PostingCache {
  private newest: CacheEntry | undefined;
  private oldest: CacheEntry | undefined;
  private bytes = 0;

  constructor(readonly maxBytes: number) {}

  get heldBytes(): number {
    return this.bytes;
  }

  /** Takes memory in, as the most recently used. */
  hold(held: HeldMemory, forget: () => void): CacheEntry {
    const entry = new CacheEntry(held, forget);
    this.bytes += held.byteCount;
    this.pushNewest(entry);
    return entry;
  }

  /** Notes a use. O(1). */
  touch(entry: CacheEntry): void {
    if (entry === this.newest) return;
    this.unlink(entry);
    this.pushNewest(entry);
  }

  /** To be called with every change of what an entry holds. */
  readonly grow = (bytes: number): void => {
    this.bytes += bytes;
  };

  /** Frees the least recently used until the bound holds. */
  trim(): void {
    while (this.oldest !== undefined && this.bytes > this.maxBytes) this.drop(this.oldest);
  }

  /** Frees what an entry holds. */
  drop(entry: CacheEntry): void {
    this.unlink(entry);
    entry.held.free();
    this.bytes -= entry.held.byteCount; // the rest: what was freed of it has told so by itself
    entry.forget();
  }

  private pushNewest(entry: CacheEntry): void {
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest !== undefined) this.newest.newer = entry;
    this.newest = entry;
    this.oldest ??= entry;
  }

  private unlink(entry: CacheEntry): void {
    if (entry.newer !== undefined) entry.newer.older = entry.older;
    else if (this.newest === entry) this.newest = entry.older;
    if (entry.older !== undefined) entry.older.newer = entry.newer;
    else if (this.oldest === entry) this.oldest = entry.newer;
    entry.newer = undefined;
    entry.older = undefined;
  }
}
