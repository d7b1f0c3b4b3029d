/** The memory that the threads of a process may use for searches together. */

/**
 * Numbers in memory that the threads share: the bytes of each thread, the bytes that no account covers, for each
 * thread whether it shares, whether segments are being merged, and the bytes of each merge (merge-accounts.ts). Plain data: it is passed to a thread at its start, together with the number of its account.
 */
export interface SharedBudget {
  readonly buffer: SharedArrayBuffer;
  readonly owner: number;
}

const UNIT_BYTES = 1024;
/** A thread may always use this part of an even share, whatever the others use. */
const FLOOR_SHARE = 1 / 2;
/** Bytes that a process uses in normal operation beside the memory of searches: code, heaps of its threads, buffers. */
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

/** The most bytes that one merge should take next to searches that may use `maxSearchBytes`. */
export function mergeBytesMax(maxSearchBytes: number): number {
  return Math.max(MERGE_BYTES_MIN, maxSearchBytes * MERGE_SHARE);
}

/** The most merges that have an account at a time. There is one after the other, unless other indexes get batches. */
export const MERGES_MAX = 16;

/** Accounts for this many threads, and for merges; the thread that starts them keeps the buffer. */
export function newSharedBudget(ownerCount: number): SharedArrayBuffer {
  return new SharedArrayBuffer(accountBytes(ownerCount));
}

const accountBytes = (ownerCount: number): number => (2 * ownerCount + 2 + MERGES_MAX) * Int32Array.BYTES_PER_ELEMENT;

const ownersOf = (counts: Int32Array): number => (counts.length - 2 - MERGES_MAX) / 2;
/** Index of the word that says whether a thread shares. */
const sharingAt = (counts: Int32Array, owner: number): number => ownersOf(counts) + 1 + owner;

/**
 * Notes whether a thread searches beside others: all that do have the same allowance, which they see at their next
 * search.
 */
export function setSharing(buffer: SharedArrayBuffer, owner: number, isSharing: boolean): void {
  const counts = new Int32Array(buffer);
  Atomics.store(counts, sharingAt(counts, owner), isSharing ? 1 : 0);
}

/** Index of the word that says whether segments are being merged. */
const mergingAt = (counts: Int32Array): number => counts.length - 1 - MERGES_MAX;
/** Index of the bytes of a merge. */
const mergeAt = (counts: Int32Array, merge: number): number => counts.length - MERGES_MAX + merge;

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

/** Whether the threads that share with this one have shrunk to their new allowance. O(threads) */
export function haveFreedMemory(buffer: SharedArrayBuffer, owner: number, maxBytes: number): boolean {
  const budget = new MemoryAccounts(new Int32Array(buffer), maxBytes);
  const share = budget.evenShare * (1 + OVERDRAFT_SHARE);
  for (let other = 0; other < budget.ownerCount; other++)
    if (other !== owner && budget.isSharing(other) && budget.bytesOf(other) > share) return false;
  return true;
}

/** Closes the account of a thread that has ended. */
export function closeAccount(buffer: SharedArrayBuffer, owner: number): void {
  Atomics.store(new Int32Array(buffer), owner, 0);
  setSharing(buffer, owner, false);
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

  isSharing(owner: number): boolean {
    return Atomics.load(this.counts, sharingAt(this.counts, owner)) === 1;
  }

  /** Bytes of all merges that searches make room for. */
  get mergeBytes(): number {
    let units = 0;
    for (let merge = 0; merge < MERGES_MAX; merge++) units += Atomics.load(this.counts, mergeAt(this.counts, merge));
    return Math.min(units * UNIT_BYTES, this.maxBytes * MERGE_SHARE);
  }

  /** Bytes of all threads and merges, and of the process's memory that no account covers. */
  get totalBytes(): number {
    let bytes = this.mergeBytes;
    for (let owner = 0; owner <= this.ownerCount; owner++) bytes += this.bytesOf(owner);
    return bytes;
  }

  /** The allowance of each sharing thread. */
  get evenShare(): number {
    let left = this.maxBytes - this.totalBytes;
    let sharingCount = 0;
    for (let owner = 0; owner < this.ownerCount; owner++) {
      if (!this.isSharing(owner)) continue;
      sharingCount += 1;
      left += this.bytesOf(owner);
    }
    return left / sharingCount;
  }

  /** The minimum of each thread, whatever the others use. */
  get floorBytes(): number {
    const { ownerCount, maxBytes } = this;
    return ownerCount === 1 ? maxBytes * (1 - REST_SHARE_MAX) : (maxBytes / ownerCount) * FLOOR_SHARE;
  }
}

/**
 * One thread's account: it reports what the thread uses and returns what it may use. A thread that searches alone may
 * use everything. Threads that search at the same time (setSharing) have equal allowances; any other thread has the
 * rest. When others begin, a thread sees a smaller allowance at its next search, or gives back when it is idle. Until
 * then the process may exceed the bound, by at most the minimums of the others.
 */
export class MemoryBudget {
  readonly maxBytes: number;
  private readonly counts: Int32Array;
  private readonly accounts: MemoryAccounts;
  private readonly owner: number;

  /** @param maxBytes of all threads together @param shared absent: this thread has all of it */
  constructor(maxBytes: number, shared?: SharedBudget) {
    this.maxBytes = maxBytes;
    // a thread alone needs no shared memory, which most pages of browsers lack
    const { buffer, owner } = shared ?? { buffer: new ArrayBuffer(accountBytes(1)), owner: 0 };
    this.counts = new Int32Array(buffer);
    this.accounts = new MemoryAccounts(this.counts, maxBytes);
    this.owner = owner;
    this.report(0);
  }

  /** Reports the bytes of this thread. */
  report(bytes: number): void {
    Atomics.store(this.counts, this.owner, Math.ceil(bytes / UNIT_BYTES));
  }

  /** Bytes that this thread may use now. O(threads) */
  get allowance(): number {
    const { accounts, owner } = this;
    const own = accounts.bytesOf(owner);
    const most = accounts.isSharing(owner) ? accounts.evenShare : this.maxBytes - (accounts.totalBytes - own);
    return Math.max(accounts.floorBytes, most);
  }

  /**
   * Whether this thread, while idle, should give memory back because another thread has reached its allowance, or
   * because a merge needs it. O(threads)
   */
  get isOwed(): boolean {
    const { accounts } = this;
    const floor = accounts.floorBytes;
    if (accounts.bytesOf(this.owner) <= floor || accounts.totalBytes <= this.maxBytes * SHORT_SHARE) return false;
    if (accounts.mergeBytes > 0 && accounts.totalBytes > this.maxBytes) return true;
    for (let other = 0; other < accounts.ownerCount; other++)
      if (other !== this.owner && accounts.bytesOf(other) > floor * SHORT_SHARE) return true;
    return false;
  }
}
