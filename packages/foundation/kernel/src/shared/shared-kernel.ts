import { HostCalls, instantiateShared } from '../instance.js';
import { WasmKernel } from '../kernel.js';
import type { Kernel } from '../port.js';
import { Directory } from './directory.js';
import type { SharedKernel } from './shared-memory.js';

/**
 * A kernel over a memory that several threads share. What an earlier thread of its number had for itself is freed.
 * @throws WebAssembly.RuntimeError when the memory is lost (`threadHasEnded`)
 */
export function createSharedKernel(shared: SharedKernel): Kernel {
  const calls = new HostCalls();
  const exports = instantiateShared(shared, calls);
  return new WasmKernel(exports, calls, (memory) => new Directory(shared, exports, memory));
}
