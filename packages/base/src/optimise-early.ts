import { setFlagsFromString } from 'node:v8';

/**
 * From now on WebAssembly compiled in this process is optimised in the background from the first call of each function
 * on. By default V8 waits for many calls, and a running call stays in unoptimised code: calls over a million documents
 * then take several times as long.
 */
export function optimiseWebAssemblyEarly(): void {
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
