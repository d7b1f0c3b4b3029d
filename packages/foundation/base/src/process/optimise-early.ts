import { requiredBuiltIn } from './built-in.js';

/**
 * Compiles for searches of large indexes from now on, in the whole process.
 *
 * WebAssembly is optimised in the background from the first call of each function on. By default V8 waits for many calls, and a
 * running call stays in unoptimised code: calls over a million documents then take several times as long.
 *
 * JavaScript is compiled without optimisation at its first call, not interpreted.
 */
export function optimiseForLargeIndexes(): void {
  const { setFlagsFromString } = requiredBuiltIn('node:v8');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  setFlagsFromString('--always-sparkplug');
}
