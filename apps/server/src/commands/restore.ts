import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { restoreFromCluster } from '@fossick/cluster';
import {
  claimFolder,
  completeDatabase,
  LaunchError,
  type RestoreOptions,
  refuseForeignFolder,
  type ServerOptions,
  VERSION_FILE,
} from '@fossick/instance';
import { importDatabase } from './copies.js';

/**
 * Creates a database from a copy in an object store, or from a cluster as it was at some moment; returns its folder,
 * which must not exist. Throws LaunchError.
 */
export async function restoreDatabase(options: ServerOptions, restore: RestoreOptions): Promise<string> {
  if (restore.kind === 'copy') return importDatabase(options, restore.url);
  const dbPath = resolve(options.dbPath);
  refuseForeignFolder(dbPath);
  if (existsSync(join(dbPath, VERSION_FILE)))
    throw new LaunchError(`there is a database in ${dbPath}: name another folder with --db-path`);
  const claim = claimFolder(dbPath);
  try {
    const position = await restoreFromCluster({ ...restore, lingerMs: 0 }, dbPath, restore.at);
    completeDatabase(dbPath);
    process.stderr.write(`restored up to position ${position} of the log\n`);
    claim.release();
  } catch (error) {
    claim.abandon();
    throw error;
  }
  return dbPath;
}
