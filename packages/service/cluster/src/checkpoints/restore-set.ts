import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DatabaseFolders, LaunchError, stageImport } from '@fossick/instance';
import {
  type CommitLog,
  DamagedCheckpointError,
  type ObjectStore,
  readCheckpoint,
  restoreCheckpoint,
  TrimmedError,
} from '@fossick/replication';
import { openLmdbStore } from '@fossick/storage';
import { SavedLog } from '../node/saved-log.js';
import type { CheckpointSet, StoreCheckpoint } from './checkpoint-set.js';
import { lastSet } from './write-set.js';

/** Everything of a database that follows the log. */
const FOLLOWING = ['tasks', 'auth', 'instance', 'indexes', 'cluster'];

export interface RestoreSetOptions {
  readonly objects: ObjectStore;
  readonly logName: string;
  readonly set: CheckpointSet;
  readonly folders: DatabaseFolders;
}

/**
 * Replaces the stores of a database, which nothing has open, by those of a set. Killed at any time, it leaves either the
 * new database or none, and the next start begins again. Rejects with DamagedCheckpointError.
 */
export async function restoreCheckpointSet({ objects, logName, set, folders }: RestoreSetOptions): Promise<void> {
  const { dbPath } = folders;
  await stageImport(dbPath, async (stage) => {
    for (const one of set.stores) await restoreStore(objects, logName, one, stage);
    const saved = new SavedLog(join(stage, 'cluster'));
    saved.replace(set.state);
    await saved.close();
    // the log has everything, so a database that is gone can be restored again
    for (const name of FOLLOWING) rmSync(join(dbPath, name), { recursive: true, force: true });
  });
}

async function restoreStore(objects: ObjectStore, log: string, one: StoreCheckpoint, stage: string): Promise<void> {
  const { store: name, position } = one;
  const isIndex = !FOLLOWING.includes(name);
  const folder = isIndex ? join(stage, 'indexes', name) : join(stage, name);
  const checkpoint = await readCheckpoint(objects, { log, position, store: name });
  if (checkpoint === null) throw new DamagedCheckpointError(`${log}/${position}/${name}`, 'is missing');
  const into = openLmdbStore({ folder });
  try {
    await restoreCheckpoint({ objects, checkpoint, into });
  } finally {
    await into.close();
  }
}

export interface JoinOptions extends Omit<RestoreSetOptions, 'set'> {
  readonly log: Pick<CommitLog, 'read'>;
}

/**
 * Makes a folder ready to follow the log, before anything in it is opened: a new one, and one whose position was trimmed,
 * get the last checkpoints. Throws LaunchError when that cannot be.
 */
export async function prepareFolder(options: JoinOptions): Promise<void> {
  const { folders, log, objects, logName } = options;
  const position = await positionOf(folders);
  if (position === undefined && existsSync(join(folders.taskFolder, 'data.mdb')))
    throw new LaunchError(
      `the database in ${folders.dbPath} was not made by a node of a cluster; start with an empty folder, ` +
        'and import a dump of it into the cluster',
    );
  try {
    const floor = await floorAfter(log, (position ?? 0) + 1);
    if (floor === 1 && position !== undefined) return;
    const set = await lastSet(objects, logName);
    if (set !== null && set.state.position > (position ?? 0)) return await restoreCheckpointSet({ ...options, set });
    if (floor > 1) throw new LaunchError(`the log begins at ${floor}, and there is no checkpoint from before`);
  } catch (error) {
    if (error instanceof LaunchError) throw error;
    if (error instanceof DamagedCheckpointError) throw new LaunchError(error.message, { cause: error });
    // the log or the store of objects does not answer: the node serves what it has
    if (position === undefined) throw new LaunchError(`a new node needs the log and the objects: ${String(error)}`);
  }
}

/** Where a node is in the log; undefined for a folder that is none of a node. */
async function positionOf({ dbPath }: DatabaseFolders): Promise<number | undefined> {
  const folder = join(dbPath, 'cluster');
  if (!existsSync(join(folder, 'data.mdb'))) return undefined;
  const saved = new SavedLog(folder);
  try {
    return saved.read()?.position ?? 0;
  } finally {
    await saved.close();
  }
}

/** The floor of the log if it is above a position, else 1. */
async function floorAfter(log: Pick<CommitLog, 'read'>, position: number): Promise<number> {
  try {
    await log.read(position, 1);
    return 1;
  } catch (error) {
    if (error instanceof TrimmedError) return error.floor;
    throw error;
  }
}
