/**
 * The compiled code of our modules, which Node.js 22.1 and later can keep in a folder from one start to the next. Loaded
 * before everything else, so it imports nothing but modules of Node.js.
 */
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import * as modules from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Members of `node:module` that older versions lack. */
interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
  /** From 22.10 on. */
  readonly flushCompileCache?: () => void;
}
const cache: CompileCache & object = { ...modules };

/** Write permissions of users other than the owner. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Keeps compiled code in the user's folder for caches. Where that is impossible, code is compiled at each start as
 * before. `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` come first, as in any program of Node.js.
 */
export function keepCompiledCode(env: NodeJS.ProcessEnv = process.env): void {
  if (cache.enableCompileCache === undefined) return;
  const folder = compiledCodeFolder(env);
  if (folder !== undefined) cache.enableCompileCache(folder);
}

/**
 * Writes the code that is not in the folder yet. Blocks the thread for some 0.2 s at the first start of a version, so it is
 * called before requests are accepted. Search threads change flags of V8, after which code that is written could not be
 * read by the next start.
 */
export function saveCompiledCode(): void {
  cache.flushCompileCache?.();
}

/**
 * A folder that only this user can write to, created if necessary; undefined if there is none. Anyone who can write to it
 * can run code in the next server, so it is neither the folder for temporary files nor the database, which may come
 * from another machine.
 */
export function compiledCodeFolder(env: NodeJS.ProcessEnv): string | undefined {
  try {
    const folder = join(cachesOf(env), 'fossick', 'compiled');
    makeOwnFolder(folder);
    const { uid, mode } = lstatSync(folder);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & WRITABLE_BY_OTHERS) === 0);
    return isOwn ? folder : undefined;
  } catch {
    // a user without a home, or with one that cannot be written to
    return undefined;
  }
}

/** Not by `recursive`, which never returns where the system refuses a name in a folder that is there as missing: /proc/x. */
function makeOwnFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeOwnFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** The folder for caches by the custom of the system. */
function cachesOf(env: NodeJS.ProcessEnv): string {
  const { XDG_CACHE_HOME: named, LOCALAPPDATA: local } = env;
  if (named !== undefined && named !== '') return named;
  if (process.platform === 'win32' && local !== undefined) return local;
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
}
