/** What the threads of a process may take for searches, together. */

/** One number for each thread in memory that they share, and which of them is whose. Plain data: it goes to a thread with its start. */
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

/** For so many threads; whoever starts them keeps it. */
export function newSharedBudget(ownerCount: number): SharedArrayBuffer {
  // one more for what nobody has an account of
  return new SharedArrayBuffer((ownerCount + 1) * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Tells how many bytes the process takes in all, mapped files not counted, and no work but searches being done. What no account explains is taken off what
 * the threads may have, so that all of it together stays near the bound.
 */
export function reportProcess(buffer: SharedArrayBuffer, processBytes: number, maxBytes: number): void {
  const counts = new Int32Array(buffer);
  const owners = counts.length - 1;
  let units = 0;
  for (let owner = 0; owner < owners; owner++) units += Atomics.load(counts, owner);
  const rest = Math.min(maxBytes * REST_SHARE_MAX, processBytes - units * UNIT_BYTES - PROCESS_BYTES);
  Atomics.store(counts, owners, Math.ceil(Math.max(0, rest) / UNIT_BYTES));
}

/**
 * One thread's account: it tells what it has and asks what it may have. A thread that searches alone may have all; when others begin, it
 * finds its allowance smaller at its next search, or gives back when it is idle. Until then the process may be above the bound, by no more
 * than the floors of the others.
 */
export class MemoryBudget {
  readonly maxBytes: number;
  private readonly counts: Int32Array;
  private readonly owner: number;

  /** @param maxBytes of all threads together */
  constructor(maxBytes: number, { buffer, owner }: SharedBudget = { buffer: newSharedBudget(1), owner: 0 }) {
    this.maxBytes = maxBytes;
    this.counts = new Int32Array(buffer);
    this.owner = owner;
    this.report(0);
  }

  /** Tells what this thread has. */
  report(bytes: number): void {
    Atomics.store(this.counts, this.owner, Math.ceil(bytes / UNIT_BYTES));
  }

  /** Bytes that this thread may have now. O(threads) */
  get allowance(): number {
    return Math.max(this.floorBytes, this.maxBytes - (this.totalBytes - this.ownBytes));
  }

  /** Whether this thread, which is not searching, should give back for the sake of one that has come to the end of its allowance. O(threads) */
  get isOwed(): boolean {
    if (this.ownBytes <= this.floorBytes || this.totalBytes <= this.maxBytes * SHORT_SHARE) return false;
    const threads = this.counts.subarray(0, -1);
    return threads.some((_, owner) => owner !== this.owner && this.bytesOf(owner) > this.floorBytes * SHORT_SHARE);
  }

  private get floorBytes(): number {
    const ownerCount = this.counts.length - 1;
    return ownerCount === 1 ? this.maxBytes * (1 - REST_SHARE_MAX) : (this.maxBytes / ownerCount) * FLOOR_SHARE;
  }

  private get ownBytes(): number {
    return this.bytesOf(this.owner);
  }

  private bytesOf(owner: number): number {
    return Atomics.load(this.counts, owner) * UNIT_BYTES;
  }

  /** Of all threads, and what the process takes that nobody has an account of. */
  private get totalBytes(): number {
    let units = 0;
    for (let owner = 0; owner < this.counts.length; owner++) units += Atomics.load(this.counts, owner);
    return units * UNIT_BYTES;
  }
}
