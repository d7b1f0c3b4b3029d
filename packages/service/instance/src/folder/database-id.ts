/**
 * Which stores belong to a database: each of the instance has a row with the id of the database, and so has the file ID.
 * A store without the row was put in place of the right one.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdbStore, replaceFile } from '@fossick/storage';
import { noteVersion, readSmallFile, VERSION_FILE } from './database-version.js';
import { NODE_ID } from './node-names.js';

/** Stores that every instance needs, by their folders. */
export const INSTANCE_STORES = ['auth', 'tasks', 'instance'] as const;
export type InstanceStore = (typeof INSTANCE_STORES)[number];

const ID_FILE = 'ID';
const ID_ADVICE = 'put the file back from a copy of the folder, or remove it, then the next start makes a new one';
const TABLE = 'database';
const KEY = Buffer.from('id');

/** The id of a database; undefined for one of an earlier release, or one that was just imported. */
export function databaseId(dbPath: string): string | undefined {
  const file = join(dbPath, ID_FILE);
  return existsSync(file) ? readSmallFile(file, ID_ADVICE) : undefined;
}

/** What to do with the file ID where all stores have one other id, so that it may be what is wrong. Else undefined. */
export function strayId(dbPath: string): string | undefined {
  const [first, ...others] = INSTANCE_STORES.map((name) => {
    try {
      return storeId(join(dbPath, name));
    } catch {
      return undefined;
    }
  });
  return first !== undefined && first !== databaseId(dbPath) && others.every((id) => id === first)
    ? `${join(dbPath, ID_FILE)} has another id than all stores and may be what is wrong: ${ID_ADVICE}`
    : undefined;
}

/** The id that a store has; undefined when it has none. The store is there. */
export function storeId(folder: string): string | undefined {
  const store = openLmdbStore({ folder, mayCreate: false });
  try {
    const bytes = store.table(TABLE).get(KEY);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
  } finally {
    void store.close();
  }
}

/** The stores in the folder are of another origin: the next `completeDatabase` gives them an id. */
export function forgetId(dbPath: string): void {
  rmSync(join(dbPath, ID_FILE), { force: true });
}

/**
 * Says that all stores of the instance are there, which are made when they are missing: they get an id, and then the
 * folder its VERSION. Interrupted anywhere, the next start does the same. A few reads where there is nothing to do.
 */
export function completeDatabase(dbPath: string, isNode = false): void {
  const isComplete = existsSync(join(dbPath, VERSION_FILE));
  const id = databaseId(dbPath);
  if (!isComplete || id === undefined || (id === NODE_ID) !== isNode) {
    try {
      giveId(dbPath, isNode ? NODE_ID : randomUUID());
    } catch (error) {
      // a full disk: a database of an earlier release has to do without
      if (!isComplete) throw error;
    }
  }
  noteVersion(dbPath);
}

function giveId(dbPath: string, id: string): void {
  forgetId(dbPath);
  // made before any of them is written to: a start that finds one missing beside a written one knows that it was lost
  const stores = INSTANCE_STORES.map((name) => openLmdbStore({ folder: join(dbPath, name) }));
  try {
    for (const store of stores) store.transaction((txn) => txn.put(TABLE, KEY, Buffer.from(id)));
  } finally {
    for (const store of stores) void store.close();
  }
  replaceFile(join(dbPath, ID_FILE), id);
}
