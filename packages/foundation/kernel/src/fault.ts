/** Kernel memory may not grow as far as a call needs. Effects of the call before the error are not undone. */
export class KernelMemoryError extends Error {
  readonly byteCount: number;

  constructor(byteCount: number) {
    super(`no room for ${byteCount} bytes more in kernel memory`);
    this.byteCount = byteCount;
  }
}

/** A thread has ended while it changed a memory that others share: the memory has to be replaced. */
export class KernelLostError extends Error {
  constructor() {
    super('a thread ended while it changed the memory that search threads share');
  }
}

/** Whether a call of the kernel was aborted, by a trap or for lack of memory: its state is then undefined. */
export function isKernelFault(error: unknown): boolean {
  return (
    error instanceof KernelMemoryError || error instanceof KernelLostError || error instanceof WebAssembly.RuntimeError
  );
}
