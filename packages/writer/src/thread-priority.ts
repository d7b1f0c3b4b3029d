import { setPriority } from 'node:os';

/** Where cores are short, a search gets nine tenths of one (decision 0019); indexing still gets on beside other programs. */
const BELOW_SEARCHES = 10;

/**
 * Lets searches come before the work of this thread and of those that it starts. Only Linux has priorities of threads: there, process 0
 * stands for the calling thread. Where it is not allowed nothing changes.
 */
export function yieldToSearches(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, BELOW_SEARCHES);
  } catch {
    // a sandbox may forbid it: indexing then shares the cores evenly
  }
}
