import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { storeUse } from '@fossick/storage';
import { LaunchError } from '../configuration/launch-error.js';

/** The folder of a database with what a node of a cluster knows of its log. */
export const NODE_FOLDER = 'cluster';
/** The file in it while a database becomes the beginning of a cluster. */
export const PENDING_ENTRY = 'base-entry';

/** Whether a node has lost what it knows of its log. An empty folder is one that it was about to begin. */
export function hasLostLog(dbPath: string): boolean {
  const folder = join(dbPath, NODE_FOLDER);
  if (!existsSync(folder) || existsSync(join(folder, PENDING_ENTRY))) return false;
  return (
    storeUse(folder) !== 'used' &&
    readdirSync(folder).some((name) => name.startsWith('data.mdb') || name.startsWith('lock.mdb'))
  );
}

/**
 * Throws LaunchError for the folder of a node of a cluster: changes that are not in the log of the cluster would make it
 * differ from the other nodes.
 */
export function refuseNodeFolder(dbPath: string): void {
  const folder = join(dbPath, NODE_FOLDER);
  if (!existsSync(folder)) return;
  throw new LaunchError(
    `the database in ${dbPath} is that of a node of a cluster: start it with --cluster-objects. ` +
      `To take it out of the cluster for good, remove the folder ${folder}`,
  );
}
