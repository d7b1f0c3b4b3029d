import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

/** A file of the page and its headers. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}
/** The built dashboard: its page, in which every answer replaces `STYLE_NONCE` and `PAYLOAD_LIMIT`, and its other files, by name. */
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
 * Whether the dashboard is being built at this moment, as by the first `npm start` of a checkout
 * (tools/run/quick-build.mjs).
 */
export function isPageComing(): boolean {
  try {
    return existsSync(join(pageFolder(), 'build', 'next'));
  } catch {
    return false;
  }
}

function pageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('@fossick/dashboard/package.json'));
}

/**
 * Reads the built files of `@fossick/dashboard`, about a megabyte; null where it is not installed or not built. Names
 * come from the folder, never from a request: nothing outside of the folder can be requested.
 */
export function readBuiltPage(): BuiltPage | null {
  try {
    const folder = join(pageFolder(), 'dist');
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
