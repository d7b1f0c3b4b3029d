/** The kernel memory that search threads share: it is made for the first of them, and anew when it is lost or has become too large. */

import { collectGarbage } from '@fossick/base';
import { closeAccount, sharedKernelBytes } from '@fossick/kernel/memory';
import { newSharedKernelMemory, type SharedKernelMemory, threadHasEnded } from '@fossick/kernel/shared';

/** When this thread forgets a memory that was replaced, in milliseconds: the threads' messages have been sent by then. */
const SWEPT_AFTER_MS = 500;

/** A thread as far as its memory matters. */
export interface SharingThread {
  /** Its number among the threads, and of its account. */
  readonly owner: number;
  /** The memories that it was given and may use, the last one last. */
  readonly memories: readonly SharedKernelMemory[];
  useMemory(memory: SharedKernelMemory): void;
}

/** Gives the threads of a process the same kernel memory. */
export class ThreadMemory {
  private readonly budget: SharedArrayBuffer;
  private readonly maxBytes: number;
  private readonly kernelOwner: number;
  private made: SharedKernelMemory | undefined;
  private sweeping: NodeJS.Timeout | undefined;

  /**
   * @param budget the accounts of all threads
   * @param maxBytes the limit of the memory of searches
   * @param kernelOwner the account of the memory
   */
  constructor(budget: SharedArrayBuffer, maxBytes: number, kernelOwner: number) {
    this.budget = budget;
    this.maxBytes = maxBytes;
    this.kernelOwner = kernelOwner;
  }

  /** The memory for a thread that starts. */
  get current(): SharedKernelMemory {
    this.made ??= newSharedKernelMemory(sharedKernelBytes(this.maxBytes));
    return this.made;
  }

  /** Called when a thread has reported that it needs another memory than this one: all threads get one, after their present jobs. */
  replace(memoryId: number, threads: readonly SharingThread[]): void {
    if (memoryId === this.made?.id) this.renew(threads);
  }

  /**
   * Called when a thread has ended; `threads` are the others. False when it ended while it changed a memory, which nobody can use any more: the threads
   * get another one, unless they have it already.
   */
  end(thread: SharingThread, threads: readonly SharingThread[]): boolean {
    closeAccount(this.budget, thread.owner);
    const lost = thread.memories.filter((memory) => !threadHasEnded(memory, thread.owner));
    if (lost.some((memory) => memory === this.made)) this.renew(threads);
    return lost.length === 0;
  }

  private renew(threads: readonly SharingThread[]): void {
    this.made = undefined;
    closeAccount(this.budget, this.kernelOwner);
    for (const thread of threads) thread.useMemory(this.current);
    // the old memory is freed when no thread has it any more, which V8 does not see the size of
    clearTimeout(this.sweeping);
    this.sweeping = setTimeout(collectGarbage, SWEPT_AFTER_MS).unref();
  }
}
