/** The numbers of a directory in memory that threads share: its lock, the views that run, and a table of entries. */

import { KernelLostError } from '../fault.js';

// Words of four bytes. The head: the lock, the number of the last view, the first free entry, entries ever used, entries in use; the number of each thread's view.
const LOCK = 0;
const CLOCK = 1;
const FREE = 2;
const HIGH = 3;
const COUNT = 4;
const VIEWS = 16;
const VIEWS_MAX = 256;
/** By hash: the number of the first entry, counted from 1. */
const BUCKETS = 512;
const BUCKET_COUNT = 1 << 16;
/** The entries. */
const ENTRIES = BUCKETS + BUCKET_COUNT;
const ENTRY_COUNT = 1 << 17;
const ENTRY_WORDS = 8;
// Words of an entry.
const NEXT = 0;
const HASH = 1;
const GENERATION = 2;
/** The number of the last view that has used it; 0: it is evicted, or was never there. */
const USED = 3;
const ADDRESS = 4;

/** Instead of a thread in the lock. */
const LOST = -1;
/** After so many views their numbers would end: the memory is to be replaced before. */
const VIEW_NUMBERS_MAX = 2 ** 31 - 2 ** 20;
/** Tries before a thread sleeps, and for how long, in milliseconds. */
const SPINS = 1_000;
const WAIT_MS = 0.1;
/** One look at all entries finds this part of them, those that were used longest ago, and at least so many. */
const OLD_SHARE = 1 / 16;
const OLD_MIN = 64;

/** An empty directory. Bytes that are never written take no memory. */
export function newDirectory(): SharedArrayBuffer {
  return new SharedArrayBuffer((ENTRIES + ENTRY_COUNT * ENTRY_WORDS) * Int32Array.BYTES_PER_ELEMENT);
}

/** An entry, as long as it has the same generation. */
export interface EntryPlace {
  readonly entry: number;
  readonly generation: number;
}

/** An entry, and the last view that has used it. */
export interface OldEntry {
  readonly entry: number;
  readonly used: number;
}

/**
 * The table. Changes are made in `locked` sections. A use is one compare-and-exchange of the entry's last view without a lock, and so is its
 * eviction: one of the two fails.
 */
export class DirectoryWords {
  private readonly words: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.words = new Int32Array(buffer);
  }

  /**
   * Runs `work` while no other thread changes the table: sections take some microseconds, for which it spins.
   * @throws KernelLostError when a thread has ended in a section
   */
  locked<T>(thread: number, work: () => T): T {
    const { words } = this;
    for (let spins = 1; ; spins++) {
      const holder = Atomics.compareExchange(words, LOCK, 0, thread);
      if (holder === 0) break;
      if (holder === LOST) throw new KernelLostError();
      // the thread that holds it may be waiting for a core
      if (spins % SPINS === 0) Atomics.wait(words, LOCK, holder, WAIT_MS);
    }
    try {
      return work();
    } finally {
      // a lock that was lost meanwhile stays so
      Atomics.compareExchange(words, LOCK, thread, 0);
    }
  }

  /** Makes the lock unusable: if this thread holds it, or in any case when absent. Whether it did. */
  lose(thread?: number): boolean {
    if (thread === undefined) return Atomics.exchange(this.words, LOCK, LOST) !== LOST;
    return Atomics.compareExchange(this.words, LOCK, thread, LOST) === thread;
  }

  get isLost(): boolean {
    return Atomics.load(this.words, LOCK) === LOST;
  }

  /** Whether numbers of views will end. */
  get isWorn(): boolean {
    return Atomics.load(this.words, CLOCK) > VIEW_NUMBERS_MAX;
  }

  /** Begins a view of the thread, and returns its number: later views have higher ones. */
  beginView(thread: number): number {
    const { words } = this;
    // first a number that is not higher: a later view may use a structure before the number of this one is there, and end
    Atomics.store(words, VIEWS + thread, Math.max(1, Atomics.load(words, CLOCK)));
    const view = Atomics.add(words, CLOCK, 1) + 1;
    Atomics.store(words, VIEWS + thread, view);
    return view;
  }

  /** The number of the last view of any thread. */
  get lastView(): number {
    return Atomics.load(this.words, CLOCK);
  }

  endView(thread: number): void {
    Atomics.store(this.words, VIEWS + thread, 0);
  }

  /** The number of the first view that still runs; a higher one than any when none runs. */
  get firstRunning(): number {
    let first = 2 ** 31 - 1;
    for (let thread = 0; thread < VIEWS_MAX; thread++) {
      const view = Atomics.load(this.words, VIEWS + thread);
      if (view !== 0 && view < first) first = view;
    }
    return first;
  }

  /** Notes that the running view uses the entry. False when it was evicted. Without a lock. */
  use({ entry, generation }: EntryPlace, view: number): boolean {
    const { words } = this;
    const used = ENTRIES + entry * ENTRY_WORDS + USED;
    let seen = Atomics.load(words, used);
    while (seen < view) {
      if (seen === 0) return false;
      const before = Atomics.compareExchange(words, used, seen, view);
      if (before === seen) break;
      seen = before;
    }
    // an entry that was used again for another key has another generation
    return Atomics.load(words, used - USED + GENERATION) === generation;
  }

  /** Whether the entry was not evicted so far. */
  has({ entry, generation }: EntryPlace): boolean {
    const at = ENTRIES + entry * ENTRY_WORDS;
    return Atomics.load(this.words, at + USED) !== 0 && Atomics.load(this.words, at + GENERATION) === generation;
  }

  get count(): number {
    return Atomics.load(this.words, COUNT);
  }

  /** The entries of a hash with their addresses. Locked. */
  *withHash(hash: number): Generator<{ readonly place: EntryPlace; readonly address: number }> {
    const { words } = this;
    for (let next = words[bucketOf(hash)]!; next !== 0; ) {
      const at = ENTRIES + (next - 1) * ENTRY_WORDS;
      if (words[at + HASH] === hash && Atomics.load(words, at + USED) !== 0)
        yield { place: { entry: next - 1, generation: words[at + GENERATION]! }, address: words[at + ADDRESS]! >>> 0 };
      next = words[at + NEXT]!;
    }
  }

  /** Adds an entry, used by the view. Undefined when the table is full. Locked. */
  add(hash: number, address: number, view: number): EntryPlace | undefined {
    const { words } = this;
    let entry = words[FREE]! - 1;
    if (entry >= 0) words[FREE] = words[ENTRIES + entry * ENTRY_WORDS + NEXT]!;
    else if (words[HIGH]! < ENTRY_COUNT) entry = Atomics.add(words, HIGH, 1);
    else return undefined;
    const at = ENTRIES + entry * ENTRY_WORDS;
    const bucket = bucketOf(hash);
    words[at + HASH] = hash;
    words[at + ADDRESS] = address | 0;
    words[at + NEXT] = words[bucket]!;
    words[bucket] = entry + 1;
    Atomics.add(words, COUNT, 1);
    Atomics.store(words, at + USED, view);
    return { entry, generation: words[at + GENERATION]! };
  }

  /** Whether the last view that has used the entry is this one. Without a lock. */
  isLastUse({ entry, used }: OldEntry): boolean {
    return Atomics.load(this.words, ENTRIES + entry * ENTRY_WORDS + USED) === used;
  }

  /** The entries that were used longest ago, the oldest first. Without a lock. O(entries ever used) */
  findOld(): readonly OldEntry[] {
    const { words } = this;
    const high = Atomics.load(words, HIGH);
    const found = new Float64Array(high);
    let count = 0;
    for (let entry = 0; entry < high; entry++) {
      const used = words[ENTRIES + entry * ENTRY_WORDS + USED]!;
      if (used !== 0) found[count++] = used * ENTRY_COUNT + entry;
    }
    const old = found
      .subarray(0, count)
      .sort()
      .subarray(0, Math.max(OLD_MIN, count * OLD_SHARE));
    return Array.from(old, (both) => ({ entry: both % ENTRY_COUNT, used: Math.floor(both / ENTRY_COUNT) }));
  }

  /** Evicts an entry unless a running view has used it, or it was evicted before. Its address. Locked. */
  evictUnused({ entry, generation }: EntryPlace): number | undefined {
    const at = ENTRIES + entry * ENTRY_WORDS;
    const used = Atomics.load(this.words, at + USED);
    if (used === 0 || this.words[at + GENERATION] !== generation) return undefined;
    return this.evict({ entry, used });
  }

  /** Evicts an entry that nobody has used since, and no running view at all. Its address. Locked. */
  evict({ entry, used }: OldEntry): number | undefined {
    const { words } = this;
    const at = ENTRIES + entry * ENTRY_WORDS;
    // the views are read after the entry: one that has used it had begun by then
    if (used >= this.firstRunning) return undefined;
    if (Atomics.compareExchange(words, at + USED, used, 0) !== used) return undefined;
    Atomics.add(words, at + GENERATION, 1);
    let link = bucketOf(words[at + HASH]!);
    while (words[link] !== entry + 1) link = ENTRIES + (words[link]! - 1) * ENTRY_WORDS + NEXT;
    words[link] = words[at + NEXT]!;
    words[at + NEXT] = words[FREE]!;
    words[FREE] = entry + 1;
    Atomics.sub(words, COUNT, 1);
    return words[at + ADDRESS]! >>> 0;
  }
}

const bucketOf = (hash: number): number => BUCKETS + (hash & (BUCKET_COUNT - 1));
