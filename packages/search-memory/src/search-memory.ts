/** The one owner of the memory that a thread keeps for searches, in its kernel and outside of it. */
import type { Kernel } from '@fossick/kernel';
import { type MemoryBudget, OVERDRAFT_SHARE } from './memory-budget.js';

/** What memory is held for, in the kernel and outside of it. */
export type MemoryKind = 'bitmaps' | 'columns' | 'dictionaries' | 'postings' | 'vectors' | HostKind;
type HostKind = 'answers' | 'hits' | 'terms' | 'texts';
const HOST_KINDS: ReadonlySet<MemoryKind> = new Set<HostKind>(['answers', 'hits', 'terms', 'texts']);

/** Memory that can be had again from the store, or made again. */
export interface HeldMemory {
  readonly kind: MemoryKind;
  /** Now: what changes it tells of the change by `grow`. */
  readonly byteCount: number;
  free(): void;
}

/** Something that is held, in the row of all by last use. */
export class MemoryEntry {
  readonly held: HeldMemory;
  /** Tells its owner that it is gone. */
  readonly forget: () => void;
  newer: MemoryEntry | undefined;
  older: MemoryEntry | undefined;
  /** The number of the last search that used it. */
  lastUse = 0;

  constructor(held: HeldMemory, forget: () => void) {
    this.held = held;
    this.forget = forget;
  }
}

/** A search takes such a part of a thread's memory for what it makes while it runs. */
const WORKING_SHARE = 1 / 8;
/** Kernel memory that a thread may have in any case: less would refuse searches of small indexes. */
const KERNEL_BYTES_MIN = 48 * 2 ** 20;

/**
 * Keeps what the searches of a thread hold, in one kernel and outside of it, within what the thread may have; least recently used first
 * out. What the running search has used, or made, is never freed before it ends: pointers are good as long as the view they were asked of.
 * All of the rest may go at any call of `hold`, `grow` and `evict`, and when the kernel runs out of memory in the middle of a search.
 */
export class SearchMemory {
  private readonly budget: MemoryBudget;
  private readonly kernel: Kernel;
  private readonly kernelBytesMin: number;
  private newest: MemoryEntry | undefined;
  private oldest: MemoryEntry | undefined;
  private bytes = 0;
  private hostBytes = 0;
  private search = 0;
  private readonly byKind = new Map<MemoryKind, number>();
  private allowance = 0;
  /** What the kernel was told last. */
  private kernelLimit = -1;

  /** @param kernelBytesMin what the kernel may have in any case */
  constructor(budget: MemoryBudget, kernel: Kernel, kernelBytesMin = KERNEL_BYTES_MIN) {
    this.budget = budget;
    this.kernel = kernel;
    this.kernelBytesMin = kernelBytesMin;
    kernel.onShortage = (byteCount) => this.relieve(byteCount);
    this.settle();
  }

  /** What may be held of it all. */
  get maxBytes(): number {
    return this.allowance * (1 - WORKING_SHARE);
  }

  get heldBytes(): number {
    return this.bytes;
  }

  /** Bytes held, by what they are held for. */
  get bytesByKind(): ReadonlyMap<MemoryKind, number> {
    return this.byKind;
  }

  /** Whether the kernel has grown well beyond what it may have since then, which only a new one mends: its memory never shrinks. */
  get isOverdrawn(): boolean {
    return this.kernel.memory.byteCount > this.kernelBytesMax + this.allowance * OVERDRAFT_SHARE;
  }

  /** To be called before a search, when no view is open: from here on anything may be freed until it is used again. */
  begin(): void {
    this.search += 1;
    this.takeAllowance();
    this.evict(0);
    this.limitKernel();
  }

  /** To be called behind a search, when no view is open. */
  settle(): void {
    this.takeAllowance();
    this.limitKernel();
  }

  /** Takes memory in, as the most recently used, and in use until the running search ends. O(1) and what has to go for it. */
  hold(held: HeldMemory, forget: () => void): MemoryEntry {
    const entry = new MemoryEntry(held, forget);
    this.count(held.kind, held.byteCount);
    this.pushNewest(entry);
    this.evict(0);
    return entry;
  }

  /**
   * Notes a use, of which there must be one in a search before its memory is read. Most memory is used hundreds of times by a search, of which the first alone
   * counts: none of what it uses goes before it ends. O(1).
   */
  touch(entry: MemoryEntry): void {
    if (entry.lastUse === this.search) return;
    entry.lastUse = this.search;
    if (entry === this.newest) return;
    this.unlink(entry);
    this.pushNewest(entry);
  }

  /** To be called with every change of what an entry holds. */
  grow(kind: MemoryKind, bytes: number): void {
    this.count(kind, bytes);
    if (bytes > 0) this.evict(0);
  }

  /** The same for holders of postings, of which there are many. */
  readonly growPostings = (bytes: number): void => this.grow('postings', bytes);

  /** Frees what is not in use until so many bytes more would stay within the bound. False when they don't even so. */
  evict(byteCount: number): boolean {
    while (this.bytes + byteCount > this.maxBytes) {
      const { oldest } = this;
      if (oldest === undefined || oldest.lastUse === this.search) return false;
      this.drop(oldest);
    }
    return true;
  }

  /** Frees so many bytes that are not in use, if there are; false when nothing is left to free. */
  private relieve(byteCount: number): boolean {
    let freed = 0;
    for (let { oldest } = this; freed < byteCount && oldest !== undefined; { oldest } = this) {
      if (oldest.lastUse === this.search) break;
      freed += Math.max(1, oldest.held.byteCount);
      this.drop(oldest);
    }
    this.limitKernel();
    return freed > 0;
  }

  private takeAllowance(): void {
    this.budget.report(this.kernel.memory.byteCount + this.hostBytes);
    this.allowance = this.budget.allowance;
  }

  /** Most searches leave the limit where it was: they are spared the call. */
  private limitKernel(): void {
    const { kernelBytesMax } = this;
    if (kernelBytesMax === this.kernelLimit) return;
    this.kernelLimit = kernelBytesMax;
    this.kernel.memory.limit(kernelBytesMax);
  }

  private get kernelBytesMax(): number {
    return Math.max(this.kernelBytesMin, this.allowance - this.hostBytes);
  }

  /** Frees what an entry holds. */
  drop(entry: MemoryEntry): void {
    const { held } = entry;
    this.unlink(entry);
    held.free();
    this.count(held.kind, -held.byteCount); // the rest: what was freed of it has told so by itself
    entry.forget();
  }

  private count(kind: MemoryKind, bytes: number): void {
    // less nothing is minus zero, no small integer: sums with it would not be either, and all that was compiled for those compiled anew
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
    if (entry.newer !== undefined) entry.newer.older = entry.older;
    else if (this.newest === entry) this.newest = entry.older;
    if (entry.older !== undefined) entry.older.newer = entry.newer;
    else if (this.oldest === entry) this.oldest = entry.newer;
    entry.newer = undefined;
    entry.older = undefined;
  }
}
