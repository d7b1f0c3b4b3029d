import { builtIn } from './built-in.js';

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
