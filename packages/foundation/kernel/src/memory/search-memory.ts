/** The only owner of the memory that a thread keeps for searches, in its kernel and outside of it. */
import { USUAL_SEARCH_BYTES, USUAL_SEARCH_BYTES_PER_DOCUMENT } from '@fossick/base';
import type { Kernel } from '../kernel.js';
import type { Directory } from '../shared/directory.js';
import { type MemoryBudget, OVERDRAFT_SHARE } from './memory-budget.js';

/** Kinds of memory, in the kernel and outside of it. */
export type MemoryKind = 'bitmaps' | 'columns' | 'dictionaries' | 'postings' | 'vectors' | HostKind;
type HostKind = 'answers' | 'hits' | 'terms' | 'texts';
const HOST_KINDS: ReadonlySet<MemoryKind> = new Set<HostKind>(['answers', 'hits', 'terms', 'texts']);

/** Memory whose contents can be read from the store or computed again. */
export interface HeldMemory {
  readonly kind: MemoryKind;
  /** Current bytes of this thread: the holder reports every change by `grow`. */
  readonly byteCount: number;
  free(): void;
  /**
   * For memory that belongs to all threads (`Structure`): notes a use in the running search. False when another thread has evicted it: it is
   * then freed and made again.
   */
  use?(): boolean;
  /** For such memory: whether no thread has evicted it so far. */
  isThere?(): boolean;
  /** For such memory, instead of `free`: no thread will need it any more. */
  discard?(): void;
}

/** Held memory, in the list of least recent use. */
export class MemoryEntry {
  readonly held: HeldMemory;
  /** Called when the memory is freed. */
  readonly forget: () => void;
  newer: MemoryEntry | undefined;
  older: MemoryEntry | undefined;
  /** The number of the last search that used it. */
  lastUse = 0;
  /** It has no bytes of this thread, so that dropping it would free nothing, and was not used since that was found. */
  isAside = false;

  constructor(held: HeldMemory, forget: () => void) {
    this.held = held;
    this.forget = forget;
  }
}

/** The part of a thread's memory that a search may use for intermediate results. */
const WORKING_SHARE = 1 / 8;
/** Entries that are looked at before a search because other threads may have evicted what they are for. */
const FORGOTTEN_MAX = 32;
/** Kernel memory that a thread may always use: with less, searches of small indexes would be refused. */
const KERNEL_BYTES_MIN = 48 * 2 ** 20;

/** Bytes that the memory of a kernel may have that threads share, given the limit of the memory of searches. */
export function sharedKernelBytes(maxSearchBytes: number): number {
  return Math.max(maxSearchBytes * (1 + OVERDRAFT_SHARE), KERNEL_BYTES_MIN) + KERNEL_BYTES_MIN;
}

/**
 * Holds the memory of a thread's searches, in one kernel and outside of it, within the thread's allowance; frees the
 * least recently used first. Memory that the running search has used or allocated is never freed before the search
 * ends: pointers stay valid as long as the view they come from. Everything else may be freed at any call of `hold`,
 * `grow` and `evict`, and when the kernel runs out of memory during a search.
 *
 * Where threads share the kernel's memory, what they have published is in its directory and belongs to none of them: whatever was used longest ago is
 * evicted first, be it there or of this thread alone.
 */
export class SearchMemory {
  private readonly budget: MemoryBudget;
  private readonly kernel: Kernel;
  private readonly directory: Directory | null;
  private readonly kernelBytesMin: number;
  private newest: MemoryEntry | undefined;
  private oldest: MemoryEntry | undefined;
  /** Entries of what all threads have, which are kept until it is evicted. */
  private readonly aside = new Set<MemoryEntry>();
  /** How many of these are to be looked at since something was evicted, and how often something was by then. */
  private suspectCount = 0;
  private evictedCount = 0;
  private bytes = 0;
  private hostBytes = 0;
  private search = 0;
  private readonly byKind = new Map<MemoryKind, number>();
  private allowance = 0;
  /** The last limit passed to the kernel. */
  private kernelLimit = -1;

  /** @param kernelBytesMin memory that the kernel may always use */
  constructor(budget: MemoryBudget, kernel: Kernel, kernelBytesMin = KERNEL_BYTES_MIN) {
    this.budget = budget;
    this.kernel = kernel;
    this.directory = kernel.directory;
    this.kernelBytesMin = kernelBytesMin;
    kernel.onShortage = (byteCount) => this.reclaim(byteCount);
    this.settle();
  }

  /** Bytes that may be held. */
  get maxBytes(): number {
    return this.allowance * (1 - WORKING_SHARE);
  }

  /**
   * Says how many documents the open indexes have together, from which follows what searches use of their limit, from the next one on. Until it is known they
   * may use all of it: other threads may have what this one needs.
   */
  expectDocuments(count: number): void {
    this.budget.expect(Math.max(USUAL_SEARCH_BYTES, count * USUAL_SEARCH_BYTES_PER_DOCUMENT));
  }

  get heldBytes(): number {
    return this.bytes;
  }

  /** Bytes held, by kind. */
  get bytesByKind(): ReadonlyMap<MemoryKind, number> {
    return this.byKind;
  }

  /**
   * Whether the kernel has grown far beyond a limit that was reduced since: only a new kernel helps, because its memory
   * never shrinks.
   */
  get isOverdrawn(): boolean {
    if (this.directory?.isWorn === true) return true;
    return this.kernel.memory.byteCount > this.kernelBytesMax + this.allowance * OVERDRAFT_SHARE;
  }

  /** Called before a search, when no view is open: from here on anything may be freed until it is used again. */
  begin(): void {
    this.search = this.directory === null ? this.search + 1 : this.directory.beginView();
    this.forgetEvicted();
    this.takeAllowance();
    this.evict(0);
    this.limitKernel();
  }

  /** Called after a search, when no view is open. */
  settle(): void {
    this.directory?.endView();
    this.takeAllowance();
    this.limitKernel();
  }

  /**
   * Adds memory as the most recently used; it stays in use until the running search ends. O(1) and the evictions it
   * needs.
   */
  hold(held: HeldMemory, forget: () => void): MemoryEntry {
    const entry = new MemoryEntry(held, forget);
    this.count(held.kind, held.byteCount);
    this.pushNewest(entry);
    this.evict(0);
    return entry;
  }

  /**
   * Notes a use; required once in each search before its memory is read. A search uses most of its memory hundreds of
   * times, but only the first use counts: nothing that it uses is freed before it ends. False when another thread has evicted what the entry is for: it
   * is to be dropped. O(1)
   */
  touch(entry: MemoryEntry): boolean {
    if (entry.lastUse === this.search) return true;
    if (this.directory !== null && entry.held.use?.() === false) return false;
    entry.lastUse = this.search;
    if (entry === this.newest) return true;
    this.unlink(entry);
    this.pushNewest(entry);
    return true;
  }

  /** Called with every change of an entry's bytes. */
  grow(kind: MemoryKind, bytes: number): void {
    this.count(kind, bytes);
    // nothing for this thread: a structure was loaded that all threads share
    if (bytes > 0 || (bytes === 0 && this.directory !== null)) this.evict(0);
  }

  /** The same for postings, of which there are many holders. */
  readonly growPostings = (bytes: number): void => this.grow('postings', bytes);

  /** Frees unused memory until this many more bytes would stay within the bound. False when that is not possible. */
  evict(byteCount: number): boolean {
    while (this.usedBytes + byteCount > this.maxBytes) if (this.evictOldest() === 0) return false;
    return true;
  }

  /**
   * Frees everything that no view uses, and says whether a search that had `usedBytes` of the kernel's memory in use and lacked `missingBytes` would find them in
   * a new memory that threads share: what other threads have for themselves, and the free memory that it parts, is used again only then.
   */
  wouldFitInNew(usedBytes: number, missingBytes: number): boolean {
    while (this.evictOldest() > 0);
    const neededBytes = usedBytes - this.kernel.memory.totalBytes + missingBytes;
    return this.directory !== null && neededBytes <= this.kernelBytesMax * (1 - WORKING_SHARE);
  }

  /** What is compared with the limit; where threads share the kernel's memory, all that they have there. */
  private get usedBytes(): number {
    return this.directory === null ? this.bytes : this.kernel.memory.totalBytes + this.hostBytes;
  }

  /** Frees what was used longest ago, and not by the running search. Its bytes, at least 1; 0 when there is nothing. */
  private evictOldest(): number {
    if (this.directory !== null) this.setAside();
    const { oldest } = this;
    const own = oldest === undefined || oldest.lastUse === this.search ? undefined : oldest;
    const evicted = this.directory?.evict(own?.lastUse) ?? 0;
    if (evicted > 0 || own === undefined) return evicted;
    const { byteCount } = own.held;
    this.drop(own);
    return Math.max(1, byteCount);
  }

  /** The oldest entry is one that frees memory of this thread. */
  private setAside(): void {
    for (let { oldest } = this; oldest !== undefined && oldest.lastUse !== this.search; oldest = this.oldest) {
      if (oldest.held.byteCount > 0) return;
      this.unlink(oldest);
      this.aside.add(oldest);
      oldest.isAside = true;
    }
  }

  /** Drops entries for what other threads have evicted. O(1) while nothing is evicted. */
  private forgetEvicted(): void {
    const evictedCount = this.directory?.evictedCount ?? 0;
    if (evictedCount !== this.evictedCount) this.suspectCount = this.aside.size;
    this.evictedCount = evictedCount;
    let count = Math.min(this.suspectCount, FORGOTTEN_MAX);
    this.suspectCount -= count;
    for (const entry of this.aside) {
      if (--count < 0) return;
      this.aside.delete(entry);
      if (entry.held.isThere?.() === false) this.drop(entry);
      else this.aside.add(entry); // looked at again after all others
    }
  }

  /** Frees this many unused bytes, if there are; false when nothing is left to free. */
  private reclaim(byteCount: number): boolean {
    let freed = 0;
    for (let one = 1; freed < byteCount && one > 0; freed += one) one = this.evictOldest();
    this.limitKernel();
    return freed > 0;
  }

  private takeAllowance(): void {
    this.budget.report(this.kernel.memory.byteCount, this.hostBytes);
    this.allowance = this.budget.allowance;
  }

  /** Most searches do not change the limit, so the call is skipped. */
  private limitKernel(): void {
    const { kernelBytesMax } = this;
    if (kernelBytesMax === this.kernelLimit) return;
    this.kernelLimit = kernelBytesMax;
    this.kernel.memory.limit(kernelBytesMax);
  }

  private get kernelBytesMax(): number {
    return Math.max(this.kernelBytesMin, this.allowance - this.hostBytes);
  }

  /** Frees the memory of an entry. `isOver`: no thread will need it any more. */
  drop(entry: MemoryEntry, isOver = false): void {
    const { held } = entry;
    this.unlink(entry);
    if (isOver && held.discard !== undefined) held.discard();
    else held.free();
    this.count(held.kind, -held.byteCount); // only the rest: the holder has reported what it freed itself
    entry.forget();
  }

  private count(kind: MemoryKind, bytes: number): void {
    // subtracting zero gives minus zero, which is not a small integer: sums with it would deoptimise compiled code
    if (bytes === 0) return;
    this.bytes += bytes;
    if (HOST_KINDS.has(kind)) this.hostBytes += bytes;
    this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + bytes);
  }

  private pushNewest(entry: MemoryEntry): void {
    entry.lastUse = this.search;
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest !== undefined) this.newest.newer = entry;
    this.newest = entry;
    this.oldest ??= entry;
  }

  private unlink(entry: MemoryEntry): void {
    if (entry.isAside) {
      this.aside.delete(entry);
      entry.isAside = false;
      return;
    }
    if (entry.newer !== undefined) entry.newer.older = entry.older;
    else if (this.newest === entry) this.newest = entry.older;
    if (entry.older !== undefined) entry.older.newer = entry.newer;
    else if (this.oldest === entry) this.oldest = entry.newer;
    entry.newer = undefined;
    entry.older = undefined;
  }
}
