/** The memory that the threads of a process may use for searches together. */

import { USUAL_SEARCH_BYTES } from '@fossick/base';

/**
 * Numbers in memory that the threads share: the bytes of each account, the bytes that no account covers, whether segments are being merged, and the
 * bytes of each merge (merge-accounts.ts). Plain data: it is passed to a thread at its start, together with the number of its account.
 */
export interface SharedBudget {
  readonly buffer: SharedArrayBuffer;
  readonly owner: number;
  /** The account of a kernel's memory that threads share; a thread that does not has it in its own. */
  readonly kernelOwner?: number | undefined;
}

const UNIT_BYTES = 1024;
/** A thread may always use this part of an even share, whatever the others use. */
const FLOOR_SHARE = 1 / 2;
/** Bytes that a process uses in normal operation in addition to the memory of searches: code, heaps of its threads, buffers. */
const PROCESS_BYTES = 144 << 20;
/**
 * Bytes beyond that count as memory of searches, up to this part of the bound: heaps of the C library keep freed
 * memory.
 */
const REST_SHARE_MAX = 1 / 4;
/** Above this share of the limit memory is short: idle threads then release theirs. */
const SHORT_SHARE = 7 / 8;

/**
 * How far a thread may stay beyond its allowance, as a part of it: memory of a kernel never shrinks, and a new kernel
 * starts empty.
 */
export const OVERDRAFT_SHARE = 1 / 8;

/** Merges count at most this part of the limit: searches keep the rest, whatever is merged. */
const MERGE_SHARE = 1 / 2;
/** A merge of so few bytes may run whatever the limit: otherwise segments of a process with little memory would pile up. */
const MERGE_BYTES_MIN = 64 << 20;

/** The most bytes that one merge should take next to searches that may use `maxSearchBytes`. Only searches of large indexes use more than is usual. */
export function mergeBytesMax(maxSearchBytes: number): number {
  return Math.max(MERGE_BYTES_MIN, Math.min(maxSearchBytes, USUAL_SEARCH_BYTES) * MERGE_SHARE);
}

/** The most merges that have an account at a time. There is one after the other, unless other indexes get batches. */
export const MERGES_MAX = 16;

/**
 * Accounts for this many threads, and for merges; the thread that starts them keeps the buffer.
 * @param heapBytes the least that is reserved for what no account covers, such as heaps of threads that start later and code that is compiled later: a
 * kernel that had used this memory before would have to be replaced
 */
export function newSharedBudget(ownerCount: number, heapBytes = 0): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(accountBytes(ownerCount));
  const counts = new Int32Array(buffer);
  counts[heapsAt(counts)] = Math.ceil(heapBytes / UNIT_BYTES);
  return buffer;
}

/**
 * Words of a buffer: bytes of each account, bytes that no account covers, whether segments are being merged, the least that is reserved for the second,
 * bytes of each merge, what each thread expects.
 */
const accountBytes = (ownerCount: number): number => (2 * ownerCount + 3 + MERGES_MAX) * Int32Array.BYTES_PER_ELEMENT;

const ownersOf = (counts: Int32Array): number => (counts.length - 3 - MERGES_MAX) / 2;
/** Index of the least that is reserved for what no account covers. */
const heapsAt = (counts: Int32Array): number => ownersOf(counts) + 2;
/** Index of the word that says whether segments are being merged. */
const mergingAt = (counts: Int32Array): number => ownersOf(counts) + 1;
/** Index of the bytes of a merge. */
const mergeAt = (counts: Int32Array, merge: number): number => ownersOf(counts) + 3 + merge;
/** Index of the bytes that searches of a thread's indexes need at most; 0: it has not searched. */
const expectedAt = (counts: Int32Array, owner: number): number => ownersOf(counts) + 3 + MERGES_MAX + owner;

/** Reports the bytes that a merge holds. */
export function reportMerge(buffer: SharedArrayBuffer, merge: number, bytes: number): void {
  const counts = new Int32Array(buffer);
  Atomics.store(counts, mergeAt(counts, merge), Math.ceil(bytes / UNIT_BYTES));
}

/**
 * The bytes that searches and merges together hold beyond the limit and what searches may overdraw; 0 when there are
 * none. O(threads)
 */
export function missingMemory(buffer: SharedArrayBuffer, maxBytes: number): number {
  const { totalBytes } = new MemoryAccounts(new Int32Array(buffer), maxBytes);
  return Math.max(0, totalBytes - maxBytes * (1 + OVERDRAFT_SHARE));
}

/**
 * Notes whether segments are being merged. Merges report what they hold; beyond that the process then has memory that
 * is freed soon, which the memory of searches does not depend on.
 */
export function setMerging(buffer: SharedArrayBuffer, isMerging: boolean): void {
  const counts = new Int32Array(buffer);
  Atomics.store(counts, mergingAt(counts), isMerging ? 1 : 0);
}

/** Closes the account of a thread that has ended. */
export function closeAccount(buffer: SharedArrayBuffer, owner: number): void {
  const counts = new Int32Array(buffer);
  Atomics.store(counts, owner, 0);
  Atomics.store(counts, expectedAt(counts, owner), 0);
}

/**
 * Reports the bytes of the whole process, without mapped files, while no work but searches is done; ignored while
 * segments are merged. Bytes that no account covers reduce what the threads may use, so that the sum stays near the
 * bound.
 */
export function reportProcess(buffer: SharedArrayBuffer, processBytes: number, maxBytes: number): void {
  const counts = new Int32Array(buffer);
  if (Atomics.load(counts, mergingAt(counts)) === 1) return;
  const owners = ownersOf(counts);
  let units = 0;
  for (let owner = 0; owner < owners; owner++) units += Atomics.load(counts, owner);
  for (let merge = 0; merge < MERGES_MAX; merge++) units += Atomics.load(counts, mergeAt(counts, merge));
  const rest = Math.min(maxBytes * REST_SHARE_MAX, processBytes - units * UNIT_BYTES - PROCESS_BYTES);
  Atomics.store(counts, owners, Math.ceil(Math.max(0, rest) / UNIT_BYTES));
}

/** All accounts. */
class MemoryAccounts {
  private readonly counts: Int32Array;
  private readonly maxBytes: number;
  readonly ownerCount: number;

  constructor(counts: Int32Array, maxBytes: number) {
    this.counts = counts;
    this.maxBytes = maxBytes;
    this.ownerCount = ownersOf(counts);
  }

  bytesOf(owner: number): number {
    return Atomics.load(this.counts, owner) * UNIT_BYTES;
  }

  /**
   * The part of the limit that searches use: what they need at most, without merges. It is the most that any thread expects: one that is idle
   * does not see that an index has grown.
   */
  get usualBytes(): number {
    let units = 0;
    for (let owner = 0; owner < this.ownerCount; owner++)
      units = Math.max(units, Atomics.load(this.counts, expectedAt(this.counts, owner)));
    return units === 0 ? this.maxBytes : Math.min(this.maxBytes, units * UNIT_BYTES);
  }

  /** Bytes of all merges that searches make room for. */
  get mergeBytes(): number {
    let units = 0;
    for (let merge = 0; merge < MERGES_MAX; merge++) units += Atomics.load(this.counts, mergeAt(this.counts, merge));
    return Math.min(units * UNIT_BYTES, this.maxBytes * MERGE_SHARE);
  }

  /** Bytes of all threads and merges, and of the process's memory that no account covers. */
  get totalBytes(): number {
    return this.mergeBytes + this.searchBytes;
  }

  /** The same without merges. */
  get searchBytes(): number {
    const restBytes = Math.max(this.bytesOf(this.ownerCount), this.bytesOf(heapsAt(this.counts)));
    let bytes = Math.min(restBytes, this.usualBytes * REST_SHARE_MAX);
    for (let owner = 0; owner < this.ownerCount; owner++) bytes += this.bytesOf(owner);
    return bytes;
  }

  /** Whether more than this share of the limit, or of what searches use of it, is in use. */
  isUsed(share: number): boolean {
    return this.totalBytes > this.maxBytes * share || this.searchBytes > this.usualBytes * share;
  }

  /** The minimum of this many accounts, whatever the others use. */
  floorOf(owners: number): number {
    const { ownerCount, usualBytes } = this;
    return ownerCount === 1 ? usualBytes * (1 - REST_SHARE_MAX) : usualBytes * (owners / ownerCount) * FLOOR_SHARE;
  }
}

/**
 * One thread's account: it reports what the thread uses and returns what it may use, which is all that the other accounts leave. Threads that share a
 * kernel's memory have one account for it together, and one each for what they have outside. When others use more, a thread sees a smaller
 * allowance at its next search, or gives back when it is idle. Until then the process may exceed the bound, by at most the minimums of the others.
 */
export class MemoryBudget {
  readonly maxBytes: number;
  private readonly counts: Int32Array;
  private readonly accounts: MemoryAccounts;
  /** The thread's own account, and the one of the kernel's memory that it shares. */
  private readonly owners: readonly number[];

  /** @param maxBytes of all threads together @param shared absent: this thread has all of it */
  constructor(maxBytes: number, shared?: SharedBudget) {
    this.maxBytes = maxBytes;
    // a thread alone needs no shared memory, which most pages of browsers lack
    const { buffer, owner, kernelOwner } = shared ?? { buffer: new ArrayBuffer(accountBytes(1)), owner: 0 };
    this.counts = new Int32Array(buffer);
    this.accounts = new MemoryAccounts(this.counts, maxBytes);
    this.owners = kernelOwner === undefined ? [owner] : [owner, kernelOwner];
    this.store(owner, 0);
    this.expect(0);
  }

  /** Reports the bytes of the kernel, and those of this thread outside of it. */
  report(kernelBytes: number, hostBytes = 0): void {
    const [owner, kernelOwner] = this.owners;
    if (kernelOwner !== undefined) this.store(kernelOwner, kernelBytes);
    this.store(owner!, kernelOwner === undefined ? kernelBytes + hostBytes : hostBytes);
  }

  /** Bytes that this thread, and the kernel's memory that it shares, may use now. O(threads) */
  get allowance(): number {
    const { accounts, ownBytes } = this;
    const leftBytes = this.maxBytes - (accounts.totalBytes - ownBytes);
    const usualBytes = accounts.usualBytes - (accounts.searchBytes - ownBytes);
    return Math.max(this.floorBytes, Math.min(leftBytes, usualBytes));
  }

  /**
   * Whether this thread, while idle, should give memory back because another thread has reached its allowance, or
   * because a merge needs it. O(threads)
   */
  get isOwed(): boolean {
    const { accounts, floorBytes } = this;
    if (this.ownBytes <= floorBytes || !accounts.isUsed(SHORT_SHARE)) return false;
    if (accounts.mergeBytes > 0 && accounts.totalBytes > this.maxBytes) return true;
    const floor = accounts.floorOf(1);
    for (let other = 0; other < accounts.ownerCount; other++)
      if (!this.owners.includes(other) && accounts.bytesOf(other) > floor * SHORT_SHARE) return true;
    return false;
  }

  /**
   * Says how many bytes searches of this thread's indexes need at most: what all threads may use ends at the most that one of them says, if it
   * does not end before.
   */
  expect(bytes: number): void {
    this.store(expectedAt(this.counts, this.owners[0]!), bytes);
  }

  private store(at: number, bytes: number): void {
    Atomics.store(this.counts, at, Math.ceil(bytes / UNIT_BYTES));
  }

  private get ownBytes(): number {
    return this.owners.reduce((bytes, owner) => bytes + this.accounts.bytesOf(owner), 0);
  }

  /** Threads that share a kernel have the minimum of all accounts but two: those of the thread of HTTP and of the writer. */
  private get floorBytes(): number {
    const { accounts } = this;
    return accounts.floorOf(this.owners.length === 1 ? 1 : Math.max(1, accounts.ownerCount - 2));
  }
}
