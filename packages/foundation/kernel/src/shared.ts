/** Kernel memory that several threads share. */
import { KernelLostError } from './fault.js';
import { HostCalls, instantiateShared, type SharedBuild } from './instance.js';
import { Kernel } from './kernel.js';
import { Directory } from './shared/directory.js';
import { type SharedKernel, threadHasEnded } from './shared/shared-memory.js';
import { SharedMemoryView } from './shared/shared-memory-view.js';

export {
  newSharedKernelMemory,
  SHARING_THREADS_MAX,
  type SharedKernel,
  type SharedKernelMemory,
  threadHasEnded,
} from './shared/shared-memory.js';

/**
 * A kernel over a memory that several threads share. What an earlier thread of its number had for itself is freed.
 * @param build `sharedChecked` traps on broken contracts
 * @throws KernelLostError, WebAssembly.RuntimeError when the memory is lost (`threadHasEnded`)
 */
export function createSharedKernel(shared: SharedKernel, build: SharedBuild = 'shared'): Kernel {
  // an earlier call of this thread may have trapped while it changed the memory
  if (!threadHasEnded(shared, shared.thread)) throw new KernelLostError();
  const calls = new HostCalls();
  const exports = instantiateShared(shared, calls, build);
  return new Kernel(exports, calls, {
    view: new SharedMemoryView(exports, exports.memory),
    directoryOf: (memory, own) => new Directory(shared, exports, memory, own),
  });
}
