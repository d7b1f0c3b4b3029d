/** Kernel memory may not grow as far as a call needs. What the call did before is not undone. */
export class KernelMemoryError extends Error {
  readonly byteCount: number;

  constructor(byteCount: number) {
    super(`no room for ${byteCount} bytes more in kernel memory`);
    this.byteCount = byteCount;
  }
}

/** Whether a call of the kernel ended in the middle of its work, in a trap or for want of memory: nothing in it can be relied on any more. */
export function isKernelFault(error: unknown): boolean {
  return error instanceof KernelMemoryError || error instanceof WebAssembly.RuntimeError;
}
