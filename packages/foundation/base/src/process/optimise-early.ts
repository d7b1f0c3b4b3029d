import { requiredBuiltIn } from './built-in.js';

/** Bytes of bytecode that a JavaScript function runs through before V8 optimises it; V8's own value is 67,584. */
const OPTIMISED_FROM_BYTES = 1_000_000;
/** The first V8 that counts calls instead (Node.js 22): it would print an error for the option. */
const COUNTING_CALLS_MAJOR = 12;

/**
 * Compiles for searches of large indexes from now on, in the whole process.
 *
 * WebAssembly is optimised in the background from the first call of each function on. By default V8 waits for many calls, and a
 * running call stays in unoptimised code: calls over a million documents then take several times as long.
 *
 * JavaScript is optimised later: it only tells the kernel what to do, and while two threads search on two cores, optimising it took
 * as much processor time as a fifth of the searches (docs/internals/decisions/search-threads.md).
 * Until then it is compiled without optimisation at its first call, not interpreted.
 */
export function optimiseForLargeIndexes(): void {
  const { setFlagsFromString } = requiredBuiltIn('node:v8');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  if (Number.parseInt(process.versions.v8, 10) < COUNTING_CALLS_MAJOR)
    setFlagsFromString(`--interrupt-budget=${OPTIMISED_FROM_BYTES}`);
  setFlagsFromString('--always-sparkplug');
}
