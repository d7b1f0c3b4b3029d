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
/** Entries that one look for an old one compares. */
const SAMPLE = 16;
/** Looks that may meet only entries in use before all entries are looked at. */
const LOOKS = 4;

/** An empty directory. Bytes that are never written take no memory. */
export function newDirectory(): SharedArrayBuffer {
  return new SharedArrayBuffer((ENTRIES + ENTRY_COUNT * ENTRY_WORDS) * Int32Array.BYTES_PER_ELEMENT);
}

/** An entry, as long as it has the same generation. */
export interface EntryPlace {
  readonly entry: number;
  readonly generation: number;
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
      Atomics.store(words, LOCK, 0);
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
    const view = Atomics.add(this.words, CLOCK, 1) + 1;
    Atomics.store(this.words, VIEWS + thread, view);
    return view;
  }

  endView(thread: number): void {
    Atomics.store(this.words, VIEWS + thread, 0);
  }

  /** The number of the first view that still runs; a higher one than any when none runs. */
  private get firstRunning(): number {
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

  /**
   * Evicts an entry that was not used for long, as a sample of them tells, and that no running view has used. Its address; undefined when none is
   * found. Locked.
   * @param before only entries last used before this view, and only if a sample has one; all entries are looked at when it is absent
   */
  evictOld(before?: number): number | undefined {
    const high = this.words[HIGH]!;
    const looks = before === undefined ? LOOKS + 1 : 1;
    for (let look = 0; look < looks; look++) {
      const found = look < LOOKS ? this.oldestOf(sampled(high)) : this.oldestOf(all(high));
      if (found === undefined) continue;
      const { entry, used } = found;
      // the views are read after the entry: a view that has used it had begun by then
      if ((before !== undefined && used >= before) || used >= this.firstRunning) continue;
      const address = this.evict(entry, used);
      if (address !== undefined) return address;
    }
    return undefined;
  }

  /** Evicts an entry unless a running view has used it, or it was evicted before. Its address. Locked. */
  evictUnused({ entry, generation }: EntryPlace): number | undefined {
    const at = ENTRIES + entry * ENTRY_WORDS;
    const used = Atomics.load(this.words, at + USED);
    if (used === 0 || this.words[at + GENERATION] !== generation || used >= this.firstRunning) return undefined;
    return this.evict(entry, used);
  }

  private oldestOf(entries: Iterable<number>): { readonly entry: number; readonly used: number } | undefined {
    let oldest: { entry: number; used: number } | undefined;
    for (const entry of entries) {
      const used = Atomics.load(this.words, ENTRIES + entry * ENTRY_WORDS + USED);
      if (used !== 0 && (oldest === undefined || used < oldest.used)) oldest = { entry, used };
    }
    return oldest;
  }

  /** Removes an entry that nobody has used since; undefined when somebody has. */
  private evict(entry: number, used: number): number | undefined {
    const { words } = this;
    const at = ENTRIES + entry * ENTRY_WORDS;
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

function* sampled(high: number): Generator<number> {
  if (high === 0) return;
  for (let count = 0; count < SAMPLE; count++) yield Math.floor(Math.random() * high);
}

function* all(high: number): Generator<number> {
  for (let entry = 0; entry < high; entry++) yield entry;
}
