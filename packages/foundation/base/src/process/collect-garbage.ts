import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collector: (() => void) | undefined;

/**
 * Collects the garbage of this thread now, for memory outside of V8's heap, which V8 does not take into account. A
 * pause of some 20 ms, more in a large heap.
 */
export function collectGarbage(): void {
  collector ??= exposeCollector();
  collector();
}

/** The collector is a global of contexts made after its flag is set. */
function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
