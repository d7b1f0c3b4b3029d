import { createKernel, type Kernel } from '@fossick/kernel';
import type { SharedKernel } from '@fossick/kernel/shared';

/** Where a reader gets its kernels. The methods throw SharedMemoryLost when a thread has ended while it changed a memory that this one shares. */
export interface KernelSource {
  /** Whether other threads have the memory of the kernels, too. */
  readonly isShared: boolean;
  newKernel(): Kernel;
  /** Kernels are over this memory from now on. */
  use(shared: SharedKernel): void;
  check(kernel: Kernel): void;
  /** The reader needs the kernel no more: frees what this thread has for itself in a memory that it shares. */
  leave(kernel: Kernel): void;
  /** Notes what threads that share the memory of the kernel have done: true if one has searched since the last call. */
  noteSearches(kernel: Kernel): boolean;
  /** Runs `work` while no other thread that shares the memory searches, if there is one. */
  runAlone<T>(kernel: Kernel, work: () => T): T;
}

/** Each kernel has a memory of its own. */
export const OWN_KERNELS: KernelSource = {
  isShared: false,
  newKernel: () => createKernel(),
  use: () => undefined,
  check: () => undefined,
  leave: () => undefined,
  noteSearches: () => false,
  runAlone: (_kernel, work) => work(),
};
