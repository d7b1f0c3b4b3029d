import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openEngineReader } from '@fossick/index';
import {
  checkDatabaseVersion,
  checkStores,
  claimFolder,
  type DatabaseFolders,
  foldersOf,
  INSTANCE_STORES,
  LaunchError,
  refuseForeignFolder,
  refuseNodeFolder,
  type ServerOptions,
  VERSION_FILE,
} from '@fossick/instance';
import { adoptCompactedQueue } from '@fossick/runtime';
import type { OpenedDatabase } from '@fossick/runtime/extension';
import { openLmdbStore } from '@fossick/storage';
import { openTaskLog } from '@fossick/tasks';
import { EXTENSIONS } from '../extensions/extension-list.js';
import { taskKindsOf } from '../extensions/served-extensions.js';

/**
 * Runs `work` on the folder of a database that no server has open, and prevents servers from opening it meanwhile.
 * Throws LaunchError.
 */
export async function withClosedDatabase<T>(
  { dbPath: path }: ServerOptions,
  work: (folders: DatabaseFolders, isAfterDeath: boolean) => Promise<T>,
): Promise<T> {
  const dbPath = resolve(path);
  refuseForeignFolder(dbPath);
  if (!existsSync(join(dbPath, VERSION_FILE))) {
    const hasStores = INSTANCE_STORES.some((name) => existsSync(join(dbPath, name)));
    throw new LaunchError(
      hasStores
        ? `${join(dbPath, VERSION_FILE)} is missing: a start of the server makes it again, and each store that is missing`
        : `there is no database in ${dbPath}: name its folder with --db-path`,
    );
  }
  const claim = claimFolder(dbPath);
  try {
    checkDatabaseVersion(dbPath, false);
    return await work(foldersOf(dbPath), claim.isAfterDeath);
  } finally {
    claim.release();
  }
}

/** The same with its stores open, after the checks of a start. Tasks that a killed server was running wait again. */
export function withOpenedDatabase<T>(
  options: ServerOptions,
  work: (database: OpenedDatabase) => Promise<T>,
): Promise<T> {
  return withClosedDatabase(options, async (folders, isAfterDeath) => {
    const { dbPath, taskFolder, authFolder, payloadFolder } = folders;
    refuseNodeFolder(dbPath);
    adoptCompactedQueue(dbPath, taskFolder);
    for (const line of await checkStores(dbPath, isAfterDeath)) process.stderr.write(`warning: ${line}\n`);
    const taskStore = openLmdbStore({ folder: taskFolder });
    const authStore = openLmdbStore({ folder: authFolder });
    const engine = openEngineReader({ rootFolder: dbPath, maxSearchBytes: options.maxSearchBytes });
    try {
      const tasks = openTaskLog(taskStore, { payloadFolder, kinds: taskKindsOf(EXTENSIONS) });
      // the mark of attempts stays: the next server judges it
      tasks.batches.recover();
      return await work({ folders, tasks, authStore, engine });
    } finally {
      await engine.close();
      await authStore.close();
      await taskStore.close();
    }
  });
}
