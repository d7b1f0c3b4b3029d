import { createKernel, isKernelFault, type Kernel } from '@fossick/kernel';
import type { SharedKernel } from '@fossick/kernel/shared';

/** The kernel memory that search threads share was lost in this search, with a thread that ended: with another memory it can be run again. */
export class SharedMemoryLost extends Error {
  constructor() {
    super('the memory that search threads share was lost, because one of them ended while it changed it');
  }
}

/** Where a reader gets its kernels: with a memory of their own, or with one that other threads have, too. */
export class KernelSource {
  private shared: SharedKernel | undefined;
  private readonly createShared: ((shared: SharedKernel) => Kernel) | undefined;
  /** The last view of all threads when this one looked. */
  private lastView = 0;

  /**
   * @param shared the memory that threads share; absent: each kernel has its own
   * @param createShared makes a kernel over it
   */
  constructor(shared: SharedKernel | undefined, createShared: ((shared: SharedKernel) => Kernel) | undefined) {
    this.shared = shared;
    this.createShared = createShared;
  }

  get isShared(): boolean {
    return this.shared !== undefined;
  }

  /** Kernels are over this memory from now on. */
  use(shared: SharedKernel): void {
    this.shared = shared;
  }

  /** @throws SharedMemoryLost */
  newKernel(): Kernel {
    if (this.shared === undefined) return createKernel();
    try {
      return this.createShared!(this.shared);
    } catch (error) {
      throw isKernelFault(error) ? new SharedMemoryLost() : error;
    }
  }

  /** Whether a thread has ended while it changed the memory of the kernel. */
  isLost({ directory }: Kernel): boolean {
    return directory?.isLost === true;
  }

  /** Notes what threads that share the memory of the kernel have done: true if one has searched since the last call. */
  noteSearches({ directory }: Kernel): boolean {
    const before = this.lastView;
    this.lastView = directory?.lastView ?? before;
    return this.lastView !== before;
  }

  /** Runs `work` while no other thread that shares the memory searches, if there is one. */
  runAlone<T>({ directory }: Kernel, work: () => T): T {
    return directory === null ? work() : directory.alone(work);
  }
}
