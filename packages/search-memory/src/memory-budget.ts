/** What the threads of a process may take for searches, together. */

/**
 * Numbers in memory that the threads share: what each has, what nobody has an account of, and for each thread whether it shares. Plain data: it goes to a
 * thread with its start, which is told which account is its own.
 */
export interface SharedBudget {
  readonly buffer: SharedArrayBuffer;
  readonly owner: number;
}

const UNIT_BYTES = 1024;
/** A thread may always take such a part of what would be its share if all had the same, whatever the others have. */
const FLOOR_SHARE = 1 / 2;
/** What a process takes beside the memory of searches without being short of anything: code, heaps of its threads, buffers. */
const PROCESS_BYTES = 176 << 20;
/** What it takes beyond that counts as memory of searches, up to such a part of it: heaps of the C library keep what was freed in them. */
const REST_SHARE_MAX = 1 / 4;
/** From such a part on memory counts as short: who does not search gives back then. */
const SHORT_SHARE = 7 / 8;

/** How far beyond its allowance a thread may stay, as a part of it: memory of a kernel never shrinks, and a new one begins with nothing. */
export const OVERDRAFT_SHARE = 1 / 8;

/** For so many threads; whoever starts them keeps it. */
export function newSharedBudget(ownerCount: number): SharedArrayBuffer {
  return new SharedArrayBuffer((2 * ownerCount + 1) * Int32Array.BYTES_PER_ELEMENT);
}

const ownersOf = (counts: Int32Array): number => (counts.length - 1) / 2;
/** Where it stands whether a thread shares. */
const sharingAt = (counts: Int32Array, owner: number): number => ownersOf(counts) + 1 + owner;

/** Says of a thread whether it searches side by side with others: those that do are allowed the same, and find it so at their next search. */
export function setSharing(buffer: SharedArrayBuffer, owner: number, isSharing: boolean): void {
  const counts = new Int32Array(buffer);
  Atomics.store(counts, sharingAt(counts, owner), isSharing ? 1 : 0);
}

/** Whether the threads that share with this one have come down to what they are allowed beside it. O(threads) */
export function haveMadeRoom(buffer: SharedArrayBuffer, owner: number, maxBytes: number): boolean {
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
 * Tells how many bytes the process takes in all, mapped files not counted, and no work but searches being done. What no account explains is taken off what
 * the threads may have, so that all of it together stays near the bound.
 */
export function reportProcess(buffer: SharedArrayBuffer, processBytes: number, maxBytes: number): void {
  const counts = new Int32Array(buffer);
  const owners = ownersOf(counts);
  let units = 0;
  for (let owner = 0; owner < owners; owner++) units += Atomics.load(counts, owner);
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

  /** Of all threads, and what the process takes that nobody has an account of. */
  get totalBytes(): number {
    let bytes = 0;
    for (let owner = 0; owner <= this.ownerCount; owner++) bytes += this.bytesOf(owner);
    return bytes;
  }

  /** What each of the sharing threads may have. */
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

  /** Of each thread, whatever the others have. */
  get floorBytes(): number {
    const { ownerCount, maxBytes } = this;
    return ownerCount === 1 ? maxBytes * (1 - REST_SHARE_MAX) : (maxBytes / ownerCount) * FLOOR_SHARE;
  }
}

/**
 * One thread's account: it tells what it has and asks what it may have. A thread that searches alone may have all. Threads that search side by side
 * (setSharing) may have the same each; any other has what is left. When others begin, a thread finds its allowance smaller at its next search, or gives back when it is
 * idle. Until then the process may be above the bound, by no more than the floors of the others.
 */
export class MemoryBudget {
  readonly maxBytes: number;
  private readonly counts: Int32Array;
  private readonly accounts: MemoryAccounts;
  private readonly owner: number;

  /** @param maxBytes of all threads together */
  constructor(maxBytes: number, { buffer, owner }: SharedBudget = { buffer: newSharedBudget(1), owner: 0 }) {
    this.maxBytes = maxBytes;
    this.counts = new Int32Array(buffer);
    this.accounts = new MemoryAccounts(this.counts, maxBytes);
    this.owner = owner;
    this.report(0);
  }

  /** Tells what this thread has. */
  report(bytes: number): void {
    Atomics.store(this.counts, this.owner, Math.ceil(bytes / UNIT_BYTES));
  }

  /** Bytes that this thread may have now. O(threads) */
  get allowance(): number {
    const { accounts, owner } = this;
    const own = accounts.bytesOf(owner);
    const most = accounts.isSharing(owner) ? accounts.evenShare : this.maxBytes - (accounts.totalBytes - own);
    return Math.max(accounts.floorBytes, most);
  }

  /** Whether this thread, which is not searching, should give back for the sake of one that has come to the end of its allowance. O(threads) */
  get isOwed(): boolean {
    const { accounts } = this;
    const floor = accounts.floorBytes;
    if (accounts.bytesOf(this.owner) <= floor || accounts.totalBytes <= this.maxBytes * SHORT_SHARE) return false;
    for (let other = 0; other < accounts.ownerCount; other++)
      if (other !== this.owner && accounts.bytesOf(other) > floor * SHORT_SHARE) return true;
    return false;
  }
}
