import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where the parts of a database lie; indexes have theirs from the engine. */
export interface DatabaseFolders {
  readonly dbPath: string;
  readonly authFolder: string;
  readonly taskFolder: string;
  /** Payloads of tasks that wait. */
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

/** Flushes the names in a folder, and with `isDeep` in all below it: what was renamed or made there survives a power cut. */
export function syncFolder(folder: string, isDeep = false): void {
  if (isDeep)
    for (const item of readdirSync(folder, { withFileTypes: true }))
      if (item.isDirectory()) syncFolder(join(folder, item.name), true);
  // Windows opens no folders, and flushes their names by itself
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
