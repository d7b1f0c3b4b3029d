import type { Root } from './environment.js';
import { sharedBuffer } from './open-tables.js';

/**
 * A count of commits shared by all handles of one folder in this process. lmdb-js keeps its read transaction until the
 * next turn of the event loop, so a message of another thread can arrive before its commit is visible here; comparing
 * this count before a read costs one atomic load and shows when to renew the transaction.
 */
export function commitCounter(root: Root): {
  /** Signals a finished commit to the other handles. */
  advance(): void;
  /** Commits since the first handle was opened. */
  count(): number;
  /** True when there was a commit since the last call. */
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
