import { MERGES_MAX, missingMemory, reportMerge } from './memory-budget.js';

/** The account of one merge, as plain data for the thread that merges. */
export interface SharedMergeAccount {
  readonly buffer: SharedArrayBuffer;
  /** The limit of searches and merges together, in bytes. */
  readonly maxBytes: number;
  readonly merge: number;
  /** What the merge will need, as estimated before it begins, in bytes: it counts from the beginning to the end. */
  readonly claimedBytes: number;
}

/** The accounts of merges within the memory of searches. The writer thread opens and closes them. */
export class MergeAccounts {
  private readonly buffer: SharedArrayBuffer;
  private readonly maxBytes: number;
  private readonly free: number[] = [];

  /** Closes those that an earlier writer thread has left. */
  constructor(buffer: SharedArrayBuffer, maxBytes: number) {
    this.buffer = buffer;
    this.maxBytes = maxBytes;
    for (let merge = MERGES_MAX - 1; merge >= 0; merge--) this.close(merge);
  }

  /** Counts `claimedBytes` from now on. Undefined when too many merges run. */
  open(claimedBytes: number): SharedMergeAccount | undefined {
    const merge = this.free.pop();
    if (merge === undefined) return undefined;
    reportMerge(this.buffer, merge, claimedBytes);
    return { buffer: this.buffer, maxBytes: this.maxBytes, merge, claimedBytes };
  }

  /** Called when the merge holds nothing any more. */
  close(merge: number): void {
    reportMerge(this.buffer, merge, 0);
    this.free.push(merge);
  }
}

/** What a merge holds, as it reports it. */
export class MergeAccount {
  private readonly shared: SharedMergeAccount;

  constructor(shared: SharedMergeAccount) {
    this.shared = shared;
  }

  get claimedBytes(): number {
    return this.shared.claimedBytes;
  }

  /** What is claimed counts even while the merge holds less. */
  report(bytes: number): void {
    reportMerge(this.shared.buffer, this.shared.merge, Math.max(bytes, this.claimedBytes));
  }

  /**
   * The bytes by which searches and merges exceed their limit; 0 when they do not: searches free what a merge counts, and
   * take time.
   */
  get missingBytes(): number {
    return missingMemory(this.shared.buffer, this.shared.maxBytes);
  }
}
