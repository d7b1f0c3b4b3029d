import type { Root } from './environment.js';
import { sharedBuffer } from './open-tables.js';

/**
 * A count of commits shared by all handles of one folder in this process. lmdb-js keeps its read transaction until the
 * event loop turns, so a message of another thread can arrive before its commit is visible; comparing this count before
 * a read tells when to renew, for one atomic load.
 */
export function commitCounter(root: Root): {
  /** Tells the other handles that a commit is done. */
  advance(): void;
  /** Commits since the first handle was opened. */
  count(): number;
  /** True when somebody committed since the last time it was asked. */
  hasMoved(): boolean;
} {
  const shared = new Int32Array(sharedBuffer(root, 'commits', 8));
  let seen = Atomics.load(shared, 0);
  return {
    advance: () => {
      Atomics.add(shared, 0, 1);
    },
    count: () => Atomics.load(shared, 0),
    hasMoved: () => {
      const now = Atomics.load(shared, 0);
      const hasMoved = now !== seen;
      seen = now;
      return hasMoved;
    },
  };
}
