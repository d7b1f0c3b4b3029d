import { isKernelFault, KernelMemoryError } from '@fossick/kernel';

/**
 * Why a search cannot continue with its kernel: lack of memory, or a trap; null for errors that leave the kernel intact.
 */
export function faultKind(error: unknown): 'memory' | 'trap' | null {
  if (error instanceof KernelMemoryError || isOutOfMemory(error)) return 'memory';
  return isKernelFault(error) ? 'trap' : null;
}

/** As the system reports it. */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOMEM';

/** The bytes of kernel memory that a search lacked. Infinity for memory of another kind. */
export function missingBytesOf(error: unknown): number {
  return error instanceof KernelMemoryError ? error.byteCount : Number.POSITIVE_INFINITY;
}
