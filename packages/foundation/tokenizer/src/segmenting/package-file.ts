import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

const requireHere = createRequire(import.meta.url);

/**
 * Bytes of a dictionary file in an installed package, unpacked when its name ends in `.gz`. This package reads only such files and its own,
 * and only for text in the dictionary's language. Synchronous, as cutting text is. The package's `exports` do not matter, because they list
 * code. Throws when the package is not installed.
 */
export function readPackageFile(packageName: string, path: string): Buffer {
  const bytes = readFileSync(findPackageFile(packageName, path));
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** Bytes of a file that this package ships, by its path within the package, unpacked in the same way. */
export function readOwnFile(path: string): Buffer {
  const bytes = readFileSync(new URL(`../../${path}`, import.meta.url));
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
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
  return requireHere.resolve
    .paths(packageName)
    ?.map((folder) => `${folder}/${packageName}/${path}`)
    .find((file) => existsSync(file));
}

/** Loads a package's module at the call instead of at start: few texts need it, and it costs memory. */
export function loadPackage(packageName: string): unknown {
  return requireHere(packageName);
}
