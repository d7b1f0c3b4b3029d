/** The modules of Node.js that code for every platform uses where they exist. */
interface BuiltIns {
  readonly 'node:fs': typeof import('node:fs');
  readonly 'node:module': typeof import('node:module');
  readonly 'node:v8': typeof import('node:v8');
  readonly 'node:vm': typeof import('node:vm');
  readonly 'node:zlib': typeof import('node:zlib');
}

interface Platform {
  readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
}

/**
 * A module of Node.js; undefined in browsers and other runtimes that lack it. An `import` of the module would fail
 * there when the code is loaded.
 */
export function builtIn<N extends keyof BuiltIns>(name: N): BuiltIns[N] | undefined {
  // the platform: this is the one place that looks for it
  return (globalThis as Platform).process?.getBuiltinModule?.(name) as BuiltIns[N] | undefined;
}

/** The same for code that runs only where the module exists. @throws Error elsewhere */
export function requiredBuiltIn<N extends keyof BuiltIns>(name: N): BuiltIns[N] {
  const found = builtIn(name);
  if (found === undefined) throw new Error(`this platform has no ${name}`);
  return found;
}

/**
 * The bytes at an address `file:`, where the platform has files; undefined elsewhere, and for other addresses. The bundle for
 * pages keeps this call, because it runs in Node.js as well. @throws Error when there is no such file
 */
export function readPlatformFile(address: string | URL): Uint8Array | undefined {
  if (!String(address).startsWith('file:')) return undefined;
  const fs = (globalThis as Platform).process?.getBuiltinModule?.('node:fs') as BuiltIns['node:fs'] | undefined;
  return fs?.readFileSync(new URL(address));
}

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
