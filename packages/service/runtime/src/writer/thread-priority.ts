import { setPriority } from 'node:os';

/**
 * When cores are scarce, a search gets nine tenths of one (docs/internals/decisions/indexing-threads.md); indexing still progresses in parallel with other
 * programs.
 */
const BELOW_SEARCHES = 10;

/**
 * Gives searches priority over this thread and the threads that it starts. Only Linux has priorities of threads: there,
 * process 0 means the calling thread. Where it is not permitted nothing changes.
 */
export function yieldToSearches(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, BELOW_SEARCHES);
  } catch {
    // a sandbox may forbid it: indexing then shares the cores evenly
  }
}
