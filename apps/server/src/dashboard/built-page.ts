import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

/** A file of the page, as it is answered. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}
/** The built dashboard: its page, with `STYLE_NONCE` where each answer has its own, and the files that it loads, by name. */
export interface BuiltPage {
  readonly html: string;
  readonly files: ReadonlyMap<string, PageFile>;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/**
 * Reads the built files of `@fossick/dashboard`, about a megabyte; null where it is not installed, or not built. Names are taken from the
 * folder, never from a request: what is not in it has no address.
 */
export function readBuiltPage(): BuiltPage | null {
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve('@fossick/dashboard/package.json')), 'dist');
    const files = new Map<string, PageFile>();
    for (const name of readdirSync(join(folder, 'dashboard'))) {
      const type = TYPES.get(extname(name));
      if (type !== undefined) files.set(name, { type, bytes: readFileSync(join(folder, 'dashboard', name)) });
    }
    return { html: readFileSync(join(folder, 'index.html'), 'utf8'), files };
  } catch {
    return null;
  }
}
