/** Kernel memory may not grow as far as a call needs. Effects of the call before the error are not undone. */
export class KernelMemoryError extends Error {
  readonly byteCount: number;

  constructor(byteCount: number) {
    super(`no room for ${byteCount} bytes more in kernel memory`);
    this.byteCount = byteCount;
  }
}

/** Whether a call of the kernel was aborted, by a trap or for lack of memory: its state is then undefined. */
export function isKernelFault(error: unknown): boolean {
  return error instanceof KernelMemoryError || error instanceof WebAssembly.RuntimeError;
}
