/** Returns memory to the system after large work: V8 collects when it needs memory, not when it is idle. */
import { collectGarbage } from './collect-garbage.js';

/** Growth of the process since the last collection that justifies a pause of some 20 ms in this thread. */
const WORTH_BYTES = 32 << 20;
/** Unused memory is freed in the background within this time, in milliseconds. */
const SWEEP_MS = 100;

export interface IdleMemory {
  /** Call it when there is nothing to do. Collects the garbage of this thread if the process has grown. */
  release(): void;
}

export function watchIdleMemory(): IdleMemory {
  let baselineBytes = process.memoryUsage.rss();
  return {
    release() {
      if (process.memoryUsage.rss() < baselineBytes + WORTH_BYTES) return;
      collectGarbage();
      // The second collection frees what the first one found to be garbage, kernels among it.
      setTimeout(collectGarbage, SWEEP_MS).unref();
      setTimeout(() => {
        baselineBytes = process.memoryUsage.rss();
      }, 2 * SWEEP_MS).unref();
    },
  };
}
