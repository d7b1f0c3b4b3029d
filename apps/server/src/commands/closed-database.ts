import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type EngineReader, openEngineReader } from '@fossick/engine';
import { LOG_BYTES_MAX, openTaskLog, systemClock, type TaskLog } from '@fossick/scheduler';
import { openLmdbStore, type Store } from '@fossick/storage';
import { LaunchError } from '../config/launch-error.js';
import type { ServerOptions } from '../config/server-options.js';
import { checkStores } from '../instance/check-stores.js';
import { type DatabaseFolders, foldersOf } from '../instance/database-folders.js';
import { checkDatabaseVersion, VERSION_FILE } from '../instance/database-version.js';
import { claimFolder } from '../instance/folder-claim.js';
import { adoptCompactedQueue } from '../instance/queue-compaction.js';

/** Runs `work` on the folder of a database that no server has open, and keeps servers out meanwhile. Throws LaunchError. */
export async function withClosedDatabase<T>(
  { dbPath: path }: ServerOptions,
  work: (folders: DatabaseFolders, isAfterDeath: boolean) => Promise<T>,
): Promise<T> {
  const dbPath = resolve(path);
  if (!existsSync(join(dbPath, VERSION_FILE)))
    throw new LaunchError(`there is no database in ${dbPath}: name its folder with --db-path`);
  const claim = claimFolder(dbPath);
  try {
    checkDatabaseVersion(dbPath, false);
    return await work(foldersOf(dbPath), claim.isAfterDeath);
  } finally {
    claim.release();
  }
}

/** Stores of a database that are open for reading, none of which another process has. */
export interface OpenedDatabase {
  readonly folders: DatabaseFolders;
  readonly tasks: TaskLog;
  readonly authStore: Store;
  readonly engine: EngineReader;
}

/** The same with its stores open, after they were looked at as a start does. What a killed server was doing waits again. */
export function withOpenedDatabase<T>(
  options: ServerOptions,
  work: (database: OpenedDatabase) => Promise<T>,
): Promise<T> {
  return withClosedDatabase(options, async (folders, isAfterDeath) => {
    const { dbPath, taskFolder, authFolder, payloadFolder } = folders;
    adoptCompactedQueue(dbPath, taskFolder);
    for (const line of await checkStores(dbPath, isAfterDeath)) process.stderr.write(`warning: ${line}\n`);
    const taskStore = openLmdbStore({ folder: taskFolder });
    const authStore = openLmdbStore({ folder: authFolder });
    const engine = openEngineReader({ rootFolder: dbPath, maxSearchBytes: options.maxSearchBytes });
    try {
      const tasks = openTaskLog(taskStore, systemClock, LOG_BYTES_MAX, payloadFolder);
      // the mark of attempts stays: the next server counts them
      tasks.recover();
      return await work({ folders, tasks, authStore, engine });
    } finally {
      await engine.close();
      await authStore.close();
      await taskStore.close();
    }
  });
}
