import type { Ptr } from '../ptr.js';

/** What was made in kernel memory: blocks of the heap, each by its address, and numbers of 32 bits that say what they are. */
export interface MadeStructure {
  readonly blocks: readonly Ptr[];
  readonly numbers?: readonly number[];
  /** Bytes of the blocks. */
  readonly byteCount: number;
}

/** A structure that never changes, in kernel memory. Its addresses are valid until the view ends in which it was loaded or used. */
export interface Structure {
  readonly blocks: readonly Ptr[];
  readonly numbers: readonly number[];
  /** Bytes that this thread has to account for: 0 when the structure belongs to all threads. */
  readonly ownBytes: number;
  /** Notes a use in the running view, which is required once in each view. False: it was evicted by another thread, and has to be loaded again. */
  use(): boolean;
  /** Whether it was not evicted by another thread so far. */
  isThere(): boolean;
  /** The thread does not need it any more; frees it unless it belongs to all threads. */
  free(): void;
  /** Nobody will need it any more; frees it unless a running view of another thread has used it. */
  discard(): void;
}

/** Loads structures by key, within a scope of keys. Where threads share a memory, one of them makes a structure, and the others find it. */
export interface Structures {
  /** The structure with this key, made now unless it is there. `make` leaves nothing in memory when it throws. */
  load(key: string, make: () => MadeStructure): Structure;
  /** The same structures, with keys that begin with `prefix`. */
  scope(prefix: string): Structures;
}
