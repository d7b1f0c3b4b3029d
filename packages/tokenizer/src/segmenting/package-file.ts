import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

const requireHere = createRequire(import.meta.url);

/**
 * Bytes of a dictionary file inside an installed package, unpacked when its name ends in `.gz`. Such files, and this
 * package's own, are the one thing this room reads, and only when text in the dictionary's language turns up. Synchronous, as cutting text is.
 * The package's `exports` do not matter, as they name code. Throws when it is not installed.
 */
export function readPackageFile(packageName: string, path: string): Buffer {
  const bytes = readFileSync(findPackageFile(packageName, path));
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** Bytes of a file this package ships itself, by its path there, unpacked in the same way. */
export function readOwnFile(path: string): Buffer {
  const bytes = readFileSync(new URL(`../../${path}`, import.meta.url));
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** For a dictionary that may be left out, see the README. */
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

/** A package's module, loaded at the call and not with this room: for what few texts need and costs memory. */
export function loadPackage(packageName: string): unknown {
  return requireHere(packageName);
}
