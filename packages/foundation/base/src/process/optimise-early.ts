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

/**
 * V8's limits for optimising a function, with their defaults: calls, or before V8 12 bytes of bytecode that were run. V8 prints an error for a flag that
 * it does not have, so none is set in versions that are not known.
 */
function optimisingLimits(): readonly (readonly [flag: string, limit: number])[] {
  const version = Number(process.versions.v8?.split('.')[0]);
  if (version === 11) return [['interrupt-budget', 67_584]];
  const isKnown = version >= 12 && version <= 14;
  return isKnown
    ? [
        ['invocation-count-for-turbofan', 3_000],
        ['invocation-count-for-maglev', 400],
      ]
    : [];
}

/** So many times as soon as usual functions are optimised from now on, in the whole process; 1: as usual. */
export function optimiseSooner(times: number): void {
  const { setFlagsFromString } = requiredBuiltIn('node:v8');
  for (const [flag, limit] of optimisingLimits()) setFlagsFromString(`--${flag}=${Math.ceil(limit / times)}`);
}
