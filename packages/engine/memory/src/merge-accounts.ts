import { isShortOfMemory, MERGES_MAX, reportMerge } from './memory-budget.js';

/** The account of one merge, as plain data for the thread that merges. */
export interface SharedMergeAccount {
  readonly buffer: SharedArrayBuffer;
  /** The limit of searches and merges together, in bytes. */
  readonly maxBytes: number;
  readonly merge: number;
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

  /** Undefined when too many merges run. */
  open(): SharedMergeAccount | undefined {
    const merge = this.free.pop();
    return merge === undefined ? undefined : { buffer: this.buffer, maxBytes: this.maxBytes, merge };
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

  report(bytes: number): void {
    reportMerge(this.shared.buffer, this.shared.merge, bytes);
  }

  /** Whether searches and merges hold more than their limit: searches free what a merge has reported, and take time. */
  get isShort(): boolean {
    return isShortOfMemory(this.shared.buffer, this.shared.maxBytes);
  }
}
