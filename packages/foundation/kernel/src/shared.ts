/** Kernel memory that several threads share. */
import { HostCalls, instantiateShared } from './instance.js';
import { WasmKernel } from './kernel.js';
import type { Kernel } from './port.js';
import { Directory } from './shared/directory.js';
import type { SharedKernel } from './shared/shared-memory.js';

export {
  newSharedKernelMemory,
  SHARING_THREADS_MAX,
  type SharedKernel,
  type SharedKernelMemory,
  threadHasEnded,
} from './shared/shared-memory.js';

/**
 * A kernel over a memory that several threads share. What an earlier thread of its number had for itself is freed.
 * @throws WebAssembly.RuntimeError when the memory is lost (`threadHasEnded`)
 */
export function createSharedKernel(shared: SharedKernel): Kernel {
  const calls = new HostCalls();
  const exports = instantiateShared(shared, calls);
  return new WasmKernel(exports, calls, (memory, own) => new Directory(shared, exports, memory, own));
}
