/** Returns memory to the system after large work: V8 collects when it needs memory, not when it is idle. */
import { builtIn } from './built-in.js';

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

let collector: (() => void) | undefined;

/**
 * Collects the garbage of this thread now, for memory outside of V8's heap, which V8 does not take into account. A
 * pause of some 20 ms, more in a large heap. Does nothing where the platform has no way to.
 */
export function collectGarbage(): void {
  collector ??= exposeCollector();
  collector();
}

/** The collector is a global of contexts made after its flag is set. */
function exposeCollector(): () => void {
  const [v8, vm] = [builtIn('node:v8'), builtIn('node:vm')];
  if (v8 === undefined || vm === undefined) return () => undefined;
  v8.setFlagsFromString('--expose-gc');
  return vm.runInNewContext('gc') as () => void;
}
