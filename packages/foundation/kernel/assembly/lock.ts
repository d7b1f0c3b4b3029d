// The lock around the allocator of a memory that threads share. It spins, because sections take some 100 ns.

import { HEAP_LOCK } from "./layout";
import { thread } from "./tables";

/** What the host writes when the thread that held the lock has ended: the heap may be inconsistent, and nobody may use it. */
const LOST: u32 = 0xffffffff;

/** Waits for the lock, which holds the number of its thread. It traps when the lock is lost. */
// @ts-ignore: decorator
@inline export function lock(): void { if (ASC_FEATURE_THREADS) acquire(); }

function acquire(): void {
  while (atomic.cmpxchg<u32>(HEAP_LOCK, 0, thread) != 0) {
    let holder = atomic.load<u32>(HEAP_LOCK);
    while (holder != 0) {
      if (holder == LOST) unreachable();
      holder = atomic.load<u32>(HEAP_LOCK);
    }
  }
}

/** A lock that was lost meanwhile stays so. */
// @ts-ignore: decorator
@inline export function unlock(): void { if (ASC_FEATURE_THREADS) atomic.cmpxchg<u32>(HEAP_LOCK, thread, 0); }
