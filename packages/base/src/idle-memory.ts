/** Gives memory back once large work is done: V8 collects when it is short of room, not when nothing happens. */
import { collectGarbage } from './collect-garbage.js';

/** Growth of the process since the last collection that is worth a pause of some 20 ms of this thread. */
const WORTH_BYTES = 32 << 20;
/** Memory found to be unused is given back in the background within this time. */
const SWEEP_MS = 100;

export interface IdleMemory {
  /** To be called when there is nothing to do. Collects garbage of this thread if the process has grown. */
  release(): void;
}

export function watchIdleMemory(): IdleMemory {
  let baselineBytes = process.memoryUsage.rss();
  return {
    release() {
      if (process.memoryUsage.rss() < baselineBytes + WORTH_BYTES) return;
      collectGarbage();
      // What the first collection has found to be garbage, kernels among it, is given back by the second.
      setTimeout(collectGarbage, SWEEP_MS).unref();
      setTimeout(() => {
        baselineBytes = process.memoryUsage.rss();
      }, 2 * SWEEP_MS).unref();
    },
  };
}
