/** Kernel memory that several threads share. */
export { createSharedKernel } from './shared/shared-kernel.js';
export {
  newSharedKernelMemory,
  SHARING_THREADS_MAX,
  type SharedKernel,
  type SharedKernelMemory,
  threadHasEnded,
} from './shared/shared-memory.js';
