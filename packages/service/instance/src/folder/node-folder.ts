import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore, openLmdbStore, type StoreCheckLimits, storeUse } from '@fossick/storage';
import { LaunchError } from '../configuration/launch-error.js';
import { databaseId } from './database-id.js';
import { NODE_FOLDER, NODE_ID, NODE_REMEDY, NODE_TABLE, nodeRefusal, PENDING_ENTRY } from './node-names.js';

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
  if (!isOfNode) throw new LaunchError(`${file} is not the file of a ${NODE_ID}: ${NODE_REMEDY}`);
}

/**
 * Throws LaunchError for the folder of a node: changes that are not in the log would make it differ from the other nodes.
 * `extensions`: the names of those that are served.
 */
export function refuseNodeFolder(dbPath: string, extensions: readonly string[] = []): void {
  const folder = join(dbPath, NODE_FOLDER);
  if (existsSync(folder)) throw new LaunchError(nodeRefusal(dbPath, folder, extensions));
}
