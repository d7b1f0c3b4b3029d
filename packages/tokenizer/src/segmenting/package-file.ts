import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

const requireHere = createRequire(import.meta.url);

/**
 * Bytes of a dictionary file inside an installed package, unpacked when its name ends in `.gz`: the one thing this
 * room reads, and only when text in the dictionary's language turns up. Synchronous, as cutting text is. The package's
 * `exports` do not matter, as they name code. Throws when it is not installed.
 */
export function readPackageFile(packageName: string, path: string): Buffer {
  for (const folder of requireHere.resolve.paths(packageName) ?? []) {
    const file = `${folder}/${packageName}/${path}`;
    if (!existsSync(file)) continue;
    const bytes = readFileSync(file);
    return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  }
  throw new Error(`${packageName}/${path} is not installed`);
}

/** A package's module, loaded at the call and not with this room: for what few texts need and costs memory. */
export function loadPackage(packageName: string): unknown {
  return requireHere(packageName);
}
