import { builtIn, libraryLoader, requiredBuiltIn } from '@fossick/base';

const loadHere = libraryLoader(import.meta.url);
/** Files that were given, unpacked, by their paths within this package. */
const given = new Map<string, Uint8Array>();

/**
 * Bytes of a dictionary file in an installed package, unpacked when its name ends in `.gz`. This package reads only such files and its own,
 * and only for text in the dictionary's language. Synchronous, as cutting text is. The package's `exports` do not matter, because they list
 * code. Throws when the package is not installed.
 */
export function readPackageFile(packageName: string, path: string): Uint8Array {
  return unpacked(findPackageFile(packageName, path));
}

/** Bytes of a file that this package ships, by its path within the package, unpacked in the same way. */
export function readOwnFile(path: string): Uint8Array {
  return given.get(path) ?? unpacked(new URL(`../../${path}`, import.meta.url));
}

/** Gives the unpacked bytes of such a file to a platform without a file system, until `work` has used them. */
export function withOwnFile<T>(path: string, bytes: Uint8Array, work: () => T): T {
  given.set(path, bytes);
  try {
    return work();
  } finally {
    given.delete(path);
  }
}

function unpacked(file: string | URL): Uint8Array {
  const bytes = requiredBuiltIn('node:fs').readFileSync(file);
  return String(file).endsWith('.gz') ? requiredBuiltIn('node:zlib').gunzipSync(bytes) : bytes;
}

/** Tests for an optional dictionary (README). */
export function isPackageInstalled(packageName: string): boolean {
  return searchPackageFile(packageName, 'package.json') !== undefined;
}

function findPackageFile(packageName: string, path: string): string {
  const file = searchPackageFile(packageName, path);
  if (file === undefined) throw new Error(`${packageName}/${path} is not installed`);
  return file;
}

function searchPackageFile(packageName: string, path: string): string | undefined {
  return builtIn('node:module')
    ?.createRequire(import.meta.url)
    .resolve.paths(packageName)
    ?.map((folder) => `${folder}/${packageName}/${path}`)
    .find((file) => requiredBuiltIn('node:fs').existsSync(file));
}

/** Loads a package's module at the call instead of at start: few texts need it, and it costs memory. */
export function loadPackage(packageName: string): unknown {
  return loadHere(packageName);
}
