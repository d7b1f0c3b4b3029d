import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { flushFolder } from '@fossick/base/durable-names';

/** Paths of the parts of a database; the engine has those of indexes. */
export interface DatabaseFolders {
  readonly dbPath: string;
  readonly authFolder: string;
  readonly taskFolder: string;
  /** Payloads of waiting tasks. */
  readonly payloadFolder: string;
}

export function foldersOf(dbPath: string): DatabaseFolders {
  return {
    dbPath,
    authFolder: join(dbPath, 'auth'),
    taskFolder: join(dbPath, 'tasks'),
    payloadFolder: join(dbPath, 'update_files'),
  };
}

/** Flushes a folder and all folders below it, so that the names in them survive a power cut. */
export function flushFolders(folder: string): void {
  for (const item of readdirSync(folder, { withFileTypes: true }))
    if (item.isDirectory()) flushFolders(join(folder, item.name));
  flushFolder(folder);
}
