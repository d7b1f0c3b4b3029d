/** The numbers of a directory in memory that threads share: its lock, and a table of entries with the threads that use each. */

import { KernelLostError } from '../fault.js';

// Words of four bytes. The head: the lock, the number of the last view, the first free entry, entries ever used, entries in use, how many views have ended,
// the thread that runs alone, and how often an entry was evicted.
const LOCK = 0;
const CLOCK = 1;
const FREE = 2;
const HIGH = 3;
const COUNT = 4;
const ENDED = 5;
const ALONE = 6;
/** Always 0: a thread that waits for this sleeps. */
const NEVER = 7;
const EVICTED = 8;
/** By thread: 1 while its view runs. */
const RUNNING = 16;
const RUNNING_COUNT = 256;
/** By hash: the number of the first entry, counted from 1. */
const BUCKETS = RUNNING + RUNNING_COUNT;
const BUCKET_COUNT = 1 << 16;
/** The entries. */
const ENTRIES = BUCKETS + BUCKET_COUNT;
const ENTRY_COUNT = 1 << 17;
const ENTRY_WORDS = 16;
// Words of an entry.
const NEXT = 0;
const HASH = 1;
const GENERATION = 2;
/** The number of the last view that has used it; 0: it is evicted, or was never there. */
const USED = 3;
const ADDRESS = 4;
/** A bit for each thread whose running view uses it. */
const PINS = 8;
const PIN_WORDS = 8;

/** Instead of a thread in the lock. */
const LOST = -1;
/** After this many views their numbers would end: the memory is to be replaced before. */
const VIEW_NUMBERS_MAX = 2 ** 31 - 2 ** 20;
/** Tries before a thread sleeps, and for how long, in milliseconds. */
const SPINS = 1_000;
const WAIT_MS = 0.1;
/** How often a thread that waits for others looks, in milliseconds, and how many times: that is longer than a search may take. */
const POLL_MS = 1;
const POLLS_MAX = 5_000;
/** One look at all entries finds this part of them, those that were used longest ago, and at least this many. */
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
 * The table, as one thread sees it. Changes are made in `locked` sections. Uses and evictions need no lock to exclude each other: a user first sets its pin and
 * then looks whether the entry is there, and who evicts first says that the entry is gone and then looks for pins.
 */
export class DirectoryWords {
  private readonly words: Int32Array;
  private readonly thread: number;
  /** The entries that the running view has pinned. */
  private pinned: number[] = [];

  /** @param thread its number; a thread that only looks has none */
  constructor(buffer: SharedArrayBuffer, thread = 0) {
    this.words = new Int32Array(buffer);
    this.thread = thread;
  }

  /**
   * Runs `work` while no other thread changes the table: sections take some microseconds, for which it spins.
   * @throws KernelLostError when a thread has ended in a section
   */
  locked<T>(work: () => T): T {
    const { words, thread } = this;
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

  /** Begins a view, and returns its number: later views have higher ones. Waits for a thread that runs alone. */
  beginView(): number {
    const { words, thread } = this;
    // first the note, then the look: a thread that will run alone does the opposite
    this.waitUntil(() => {
      Atomics.store(words, RUNNING + thread, 1);
      const alone = Atomics.load(words, ALONE);
      if (alone === 0 || alone === thread) return true;
      Atomics.store(words, RUNNING + thread, 0);
      return false;
    });
    Atomics.store(words, RUNNING + thread, 1);
    return Atomics.add(words, CLOCK, 1) + 1;
  }

  /** Runs `work` while no other thread has a view, as far as they end within some seconds. */
  alone<T>(work: () => T): T {
    const { words, thread } = this;
    this.waitUntil(() => Atomics.compareExchange(words, ALONE, 0, thread) === 0);
    try {
      this.waitUntil(
        () => !words.subarray(RUNNING, RUNNING + RUNNING_COUNT).some((runs, at) => runs === 1 && at !== thread),
      );
      return work();
    } finally {
      Atomics.compareExchange(words, ALONE, thread, 0);
    }
  }

  private waitUntil(isSo: () => boolean): void {
    for (let polls = 0; !isSo() && polls < POLLS_MAX && !this.isLost; polls++)
      Atomics.wait(this.words, NEVER, 0, POLL_MS);
  }

  /** Ends the view: others may evict what it has used. O(entries that it has used) */
  endView(): void {
    for (const entry of this.pinned) this.unpin(entry, this.thread);
    this.pinned = [];
    Atomics.store(this.words, RUNNING + this.thread, 0);
    Atomics.add(this.words, ENDED, 1);
  }

  /** Ends the view of a thread that has ended. O(entries ever used) */
  endThread(thread: number): void {
    const high = Atomics.load(this.words, HIGH);
    const bit = 1 << (thread & 31);
    for (let entry = 0; entry < high; entry++)
      if ((Atomics.load(this.words, pinWordOf(entry, thread)) & bit) !== 0) this.unpin(entry, thread);
    Atomics.store(this.words, RUNNING + thread, 0);
    Atomics.compareExchange(this.words, ALONE, thread, 0);
    Atomics.add(this.words, ENDED, 1);
  }

  /** The number of the last view of any thread. */
  get lastView(): number {
    return Atomics.load(this.words, CLOCK);
  }

  /** How many views have ended: until another one does, what cannot be evicted stays so. */
  get endedViews(): number {
    return Atomics.load(this.words, ENDED);
  }

  /** How often an entry was evicted, modulo 2^32. */
  get evictedCount(): number {
    return Atomics.load(this.words, EVICTED);
  }

  /** Notes that the running view uses the entry. False when it was evicted. Without a lock. */
  use({ entry, generation }: EntryPlace, view: number): boolean {
    const { words } = this;
    const at = ENTRIES + entry * ENTRY_WORDS;
    // an entry that was used again for another key has another generation, and may have a pin of this view
    if (Atomics.load(words, at + GENERATION) !== generation) return false;
    const isNew = this.pin(entry);
    if (this.renew(at, view) && Atomics.load(words, at + GENERATION) === generation) {
      if (isNew) this.pinned.push(entry);
      return true;
    }
    if (isNew) this.unpin(entry, this.thread);
    return false;
  }

  /** Notes the view as the last one. False when the entry was evicted. */
  private renew(at: number, view: number): boolean {
    const { words } = this;
    let seen = Atomics.load(words, at + USED);
    while (seen !== 0 && seen < view) {
      const before = Atomics.compareExchange(words, at + USED, seen, view);
      if (before === seen) return true;
      seen = before;
    }
    return seen !== 0;
  }

  /** Whether this thread had no pin there. */
  private pin(entry: number): boolean {
    const bit = 1 << (this.thread & 31);
    return (Atomics.or(this.words, pinWordOf(entry, this.thread), bit) & bit) === 0;
  }

  private unpin(entry: number, thread: number): void {
    Atomics.and(this.words, pinWordOf(entry, thread), ~(1 << (thread & 31)));
  }

  private isPinned(entry: number): boolean {
    const from = ENTRIES + entry * ENTRY_WORDS + PINS;
    for (let at = from; at < from + PIN_WORDS; at++) if (Atomics.load(this.words, at) !== 0) return true;
    return false;
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
    if (this.pin(entry)) this.pinned.push(entry);
    Atomics.store(words, at + USED, view);
    return { entry, generation: words[at + GENERATION]! };
  }

  /** Whether nobody has used the entry since, and no running view uses it. Without a lock. */
  mayEvict({ entry, used }: OldEntry): boolean {
    return Atomics.load(this.words, ENTRIES + entry * ENTRY_WORDS + USED) === used && !this.isPinned(entry);
  }

  /** The entries that were used longest ago among those that no running view uses, the oldest first. Without a lock. O(entries ever used) */
  findOld(): readonly OldEntry[] {
    const { words } = this;
    const high = Atomics.load(words, HIGH);
    const found = new Float64Array(high);
    let count = 0;
    for (let entry = 0; entry < high; entry++) {
      const used = words[ENTRIES + entry * ENTRY_WORDS + USED]!;
      if (used !== 0 && !this.isPinned(entry)) found[count++] = used * ENTRY_COUNT + entry;
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
    if (this.isPinned(entry)) return undefined;
    if (Atomics.compareExchange(words, at + USED, used, 0) !== used) return undefined;
    // who has pinned it before that may have found it there; who finds it gone asks again in a locked section
    if (this.isPinned(entry)) {
      Atomics.store(words, at + USED, used);
      return undefined;
    }
    Atomics.add(words, at + GENERATION, 1);
    Atomics.add(words, EVICTED, 1);
    let link = bucketOf(words[at + HASH]!);
    while (words[link] !== entry + 1) link = ENTRIES + (words[link]! - 1) * ENTRY_WORDS + NEXT;
    words[link] = words[at + NEXT]!;
    words[at + NEXT] = words[FREE]!;
    words[FREE] = entry + 1;
    Atomics.sub(words, COUNT, 1);
    return words[at + ADDRESS]! >>> 0;
  }
}

const pinWordOf = (entry: number, thread: number): number => ENTRIES + entry * ENTRY_WORDS + PINS + (thread >>> 5);
const bucketOf = (hash: number): number => BUCKETS + (hash & (BUCKET_COUNT - 1));
