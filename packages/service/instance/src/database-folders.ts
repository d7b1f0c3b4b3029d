import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

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

/**
 * Flushes a folder, and with `isDeep` all folders below it, so that names renamed or created there survive a power cut.
 */
export function syncFolder(folder: string, isDeep = false): void {
  if (isDeep)
    for (const item of readdirSync(folder, { withFileTypes: true }))
      if (item.isDirectory()) syncFolder(join(folder, item.name), true);
  // Windows cannot open folders, and flushes names itself
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
