import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore, openLmdbStore, type StoreCheckLimits, storeUse } from '@fossick/storage';
import { LaunchError } from '../configuration/launch-error.js';
import { databaseId, NODE_ID } from './database-id.js';

/** The folder of a database with what a node of a cluster knows of its log. */
export const NODE_FOLDER = 'cluster';
/** The file in it while a database becomes the beginning of a cluster. */
export const PENDING_ENTRY = 'base-entry';

/** The table in its store that every node has. */
export const NODE_TABLE = 'log-state';
/** What to do without it. */
export const NODE_REMEDY = 'start this node with an empty folder, which is filled from the cluster';

/**
 * Whether a node has lost the store that has its place in the log. Its folder is empty for a moment before it is a node
 * for the first time, and never afterwards.
 */
export function hasLostLog(dbPath: string): boolean {
  const folder = join(dbPath, NODE_FOLDER);
  if (!existsSync(folder) || existsSync(join(folder, PENDING_ENTRY)) || storeUse(folder) === 'used') return false;
  const names = readdirSync(folder);
  if (names.length === 0) return databaseId(dbPath) === NODE_ID;
  return names.some((name) => name.startsWith('data.mdb') || name.startsWith('lock.mdb'));
}

/** Checks that store as `checkStore` does, where it is there. Throws LaunchError for damage, and for another store in its place. */
export function checkNodeStore(dbPath: string, look: StoreCheckLimits): void {
  const folder = join(dbPath, NODE_FOLDER);
  if (existsSync(join(folder, PENDING_ENTRY)) || storeUse(folder) !== 'used') return;
  const file = join(folder, 'data.mdb');
  try {
    checkStore(folder, { ...look, isMarked: false });
  } catch (error) {
    throw new LaunchError(`${file} cannot be read: ${(error as Error).message}; ${NODE_REMEDY}`, { cause: error });
  }
  const store = openLmdbStore({ folder, mayCreate: false });
  const isOfNode = store.tableSizes()[NODE_TABLE] !== undefined;
  void store.close();
  if (!isOfNode) throw new LaunchError(`${file} is not the file of a node of a cluster: ${NODE_REMEDY}`);
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
