import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  claimFolder,
  completeDatabase,
  LaunchError,
  type RestoreOptions,
  refuseForeignFolder,
  type ServerOptions,
  VERSION_FILE,
} from '@fossick/instance';
import { EXTENSIONS } from '../extensions/extension-list.js';
import { importDatabase } from './copies.js';

/**
 * Creates a database from a copy in an object store, or from what an extension keeps elsewhere; returns its folder,
 * which must not exist. Throws LaunchError and OptionError.
 */
export async function restoreDatabase(options: ServerOptions, { url, given }: RestoreOptions): Promise<string> {
  const [restore] = EXTENSIONS.flatMap((extension) => extension.restore?.read(url, given) ?? []);
  if (restore === undefined) return importDatabase(options, url);
  const dbPath = resolve(options.dbPath);
  refuseForeignFolder(dbPath);
  if (existsSync(join(dbPath, VERSION_FILE)))
    throw new LaunchError(`there is a database in ${dbPath}: name another folder with --db-path`);
  const claim = claimFolder(dbPath);
  try {
    const line = await restore(dbPath);
    completeDatabase(dbPath);
    process.stderr.write(`${line}\n`);
    claim.release();
  } catch (error) {
    claim.abandon();
    throw error;
  }
  return dbPath;
}
