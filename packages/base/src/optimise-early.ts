import { setFlagsFromString } from 'node:v8';

/**
 * From here on WebAssembly that is compiled in this process is optimised, in the background, from the first call of each function on. V8 would wait until it
 * was called often, and a call stays in the code that it began in: those that go through a million documents take several times as long there.
 */
export function optimiseWebAssemblyEarly(): void {
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
