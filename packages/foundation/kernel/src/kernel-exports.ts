import type { instantiate } from '../build/kernel.fast.js';

/** The compiler's own description of its output (build.mjs). */
type Described = Awaited<ReturnType<typeof instantiate>>;
type Functions = Omit<Described, 'memory'>;
type Given<Parameters extends unknown[]> = {
  [At in keyof Parameters]: Parameters[At] extends boolean ? boolean | number : number;
};

/**
 * What the compiled kernel exports. WebAssembly has only numbers: a boolean result is 0 or 1, and a boolean argument may be either. Addresses are returned
 * signed: `>>> 0` makes them addresses.
 */
export type KernelExports = { readonly memory: { readonly buffer: ArrayBuffer } } & {
  readonly [Name in keyof Functions]: (
    ...given: Given<Parameters<Functions[Name]>>
  ) => ReturnType<Functions[Name]> extends void ? void : number;
};
