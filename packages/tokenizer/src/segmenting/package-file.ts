import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

const { resolve } = createRequire(import.meta.url);

/**
 * Bytes of a dictionary file inside an installed package (`@scope/name/path`), unpacked when its name ends in `.gz`:
 * the one thing this room reads, and only when text in the dictionary's language turns up. Synchronous, as cutting
 * text is. Throws when the package is not installed.
 */
export function readPackageFile(specifier: string): Buffer {
  const bytes = readFileSync(resolve(specifier));
  return specifier.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}
