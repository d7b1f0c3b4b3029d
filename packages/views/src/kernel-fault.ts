import { isKernelFault, KernelMemoryError } from '@fossick/kernel';

/** Why a search cannot go on with its kernel: memory that it lacks, or a trap; null for errors that leave it as it was. */
export function faultKind(error: unknown): 'memory' | 'trap' | null {
  if (error instanceof KernelMemoryError || isOutOfMemory(error)) return 'memory';
  return isKernelFault(error) ? 'trap' : null;
}

/** As the system tells it. */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOMEM';
