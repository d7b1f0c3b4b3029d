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

/** The interval between checks, and the processor time from which on a process is not idle, in milliseconds. */
const LOOK_MS = 1_000;
const BUSY_MS = 20;

/**
 * Keeps compiled code while the process is idle, until the function that it returns is called. V8 reduces the memory of an idle thread, after 8 to 100 seconds,
 * and discards all code for hidden classes that have no object at that moment: the next searches are compiled again. It has no limit for that, but
 * begins only where it marks in steps; so it does not mark in steps until the process works again.
 */
export function keepCodeWhileIdle(): () => void {
  const { setFlagsFromString } = requiredBuiltIn('node:v8');
  let isIdle = false;
  let used = process.cpuUsage();
  const change = (toIdle: boolean): void => {
    if (toIdle !== isIdle) setFlagsFromString(toIdle ? '--no-incremental-marking' : '--incremental-marking');
    isIdle = toIdle;
  };
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    change(user + system < BUSY_MS * 1_000);
  }, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    change(false);
  };
}
