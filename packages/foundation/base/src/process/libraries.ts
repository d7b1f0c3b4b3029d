import { builtIn } from './built-in.js';

/** A library that few texts need is not loaded, and this platform cannot load it at once: see `giveLibrary`. */
export class LibraryMissing extends Error {
  readonly library: string;

  constructor(library: string) {
    super(`the library \`${library}\` is not loaded`);
    this.library = library;
  }
}

const given = new Map<string, unknown>();

/** Makes a loaded library known, where `import` is the only way to load one: before the work that threw LibraryMissing. */
export function giveLibrary(name: string, library: unknown): void {
  given.set(name, library);
}

/**
 * Loads libraries at the call instead of at the start, from where the module at `moduleUrl` finds them: few texts need
 * one, and it costs memory. The loader throws LibraryMissing where the library is neither given nor installed.
 */
export function libraryLoader(moduleUrl: string): (name: string) => unknown {
  return (name) => {
    if (given.has(name)) return given.get(name);
    const requireHere = builtIn('node:module')?.createRequire(moduleUrl);
    if (requireHere === undefined) throw new LibraryMissing(name);
    return requireHere(name);
  };
}
