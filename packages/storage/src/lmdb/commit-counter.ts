import type { RootDatabase } from 'lmdb';

/** Part of lmdb-js that its type declarations leave out: one buffer per key shared by all threads of the process. */
interface SharesBuffers {
  getUserSharedBuffer(key: Uint8Array, initial: ArrayBuffer): ArrayBuffer;
}

/**
 * A count of commits shared by all handles of one folder in this process. lmdb-js keeps its read transaction until the
 * event loop turns, so a message of another thread can arrive before its commit is visible; comparing this count before
 * a read tells when to renew, for one atomic load.
 */
export function commitCounter(root: RootDatabase<Uint8Array, Uint8Array>): {
  /** Tells the other handles that a commit is done. */
  advance(): void;
  /** True when somebody committed since the last time it was asked. */
  hasMoved(): boolean;
} {
  const shared = (root as unknown as SharesBuffers).getUserSharedBuffer(Buffer.from('commits'), new ArrayBuffer(8));
  const count = new Int32Array(shared);
  let seen = Atomics.load(count, 0);
  return {
    advance: () => {
      Atomics.add(count, 0, 1);
    },
    hasMoved: () => {
      const now = Atomics.load(count, 0);
      const hasMoved = now !== seen;
      seen = now;
      return hasMoved;
    },
  };
}
