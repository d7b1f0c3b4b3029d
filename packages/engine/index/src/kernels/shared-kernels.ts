import { isKernelFault, type Kernel } from '@fossick/kernel';
import { createSharedKernel, type SharedKernel } from '@fossick/kernel/shared';
import type { KernelSource } from './kernel-source.js';

/** The kernel memory that search threads share was lost in this search, with a thread that ended: with another memory it can be run again. */
export class SharedMemoryLost extends Error {
  constructor() {
    super('the memory that search threads share was lost, because one of them ended while it changed it');
  }
}

/** Kernels over a memory that search threads share. */
export class SharedKernels implements KernelSource {
  readonly isShared = true;
  private shared: SharedKernel;
  /** The last view of all threads when this one looked. */
  private lastView = 0;

  constructor(shared: SharedKernel) {
    this.shared = shared;
  }

  use(shared: SharedKernel): void {
    this.shared = shared;
  }

  newKernel(): Kernel {
    try {
      return createSharedKernel(this.shared);
    } catch (error) {
      throw isKernelFault(error) ? new SharedMemoryLost() : error;
    }
  }

  check({ directory }: Kernel): void {
    if (directory?.isLost === true) throw new SharedMemoryLost();
  }

  leave({ directory, memory }: Kernel): void {
    // what is published stays for other threads
    if (directory?.isLost === false) memory.reset();
  }

  noteSearches({ directory }: Kernel): boolean {
    const before = this.lastView;
    this.lastView = directory?.lastView ?? before;
    return this.lastView !== before;
  }

  runAlone<T>({ directory }: Kernel, work: () => T): T {
    return directory === null ? work() : directory.alone(work);
  }
}
