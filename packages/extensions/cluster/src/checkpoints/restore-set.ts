import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { markUnnamed } from '@fossick/index/following';
import { type DatabaseFolders, foldersOf, LaunchError, NODE_FOLDER, stageImport } from '@fossick/instance';
import type { ObjectStore } from '@fossick/objects';
import {
  type CommitLog,
  DamagedCheckpointError,
  DamagedLogError,
  LogState,
  NewerFormatError,
  readCheckpoint,
  restoreCheckpoint,
  type StoredEntry,
  TrimmedError,
} from '@fossick/replication';
import { openLmdbStore } from '@fossick/storage';
import { SavedLog } from '../node/saved-log.js';
import { BASE } from '../records/base-record.js';
import type { CheckpointSet, StoreCheckpoint } from './checkpoint-set.js';
import { isPublishing, publishFolder } from './publish-folder.js';
import { lastSet } from './write-set.js';

/** Between two looks for checkpoints that another node is about to write, in milliseconds, and their number. */
const [RETRY_MS, ATTEMPTS] = [500, 60] as const;

/** Bytes of entries that are read at once. */
const READ_BYTES = 8 << 20;

/** Everything of a database that follows the log. */
const FOLLOWING = ['tasks', 'auth', 'instance', 'indexes', NODE_FOLDER];

export interface RestoreSetOptions {
  readonly objects: ObjectStore;
  readonly logName: string;
  readonly set: CheckpointSet;
  readonly folders: DatabaseFolders;
}

/**
 * Replaces the stores of a database, which nothing has open, by those of a set. Killed at any time, it leaves the
 * old database, or the new one as soon as the next start has moved it to its place. Rejects with DamagedCheckpointError.
 */
async function restoreCheckpointSet({ objects, logName, set, folders }: RestoreSetOptions): Promise<void> {
  const { dbPath } = folders;
  await stageImport(dbPath, async (stage) => {
    await restoreStores({ objects, logName, set, folders: foldersOf(stage) });
    const saved = new SavedLog(join(stage, NODE_FOLDER));
    saved.replace(set.state);
    await saved.close();
    // it takes the place of the old one, also where there is no index
    await mkdir(join(stage, 'indexes'), { recursive: true });
  });
}

/** Makes the stores of a set in folders that do not have them. Rejects with DamagedCheckpointError. */
export async function restoreStores({ objects, logName, set, folders }: RestoreSetOptions): Promise<void> {
  for (const one of set.stores) await restoreStore(objects, logName, one, folders.dbPath);
}

async function restoreStore(objects: ObjectStore, log: string, one: StoreCheckpoint, stage: string): Promise<void> {
  const { store: name, position } = one;
  const isIndex = !FOLLOWING.includes(name);
  const folder = isIndex ? join(stage, 'indexes', name) : join(stage, name);
  const checkpoint = await readCheckpoint(objects, { log, position, store: name });
  if (checkpoint === null) throw new DamagedCheckpointError(`${log}/${position}/${name}`, 'is missing');
  // whether an index has it is said by the store `instance`, which may be read later
  if (isIndex) markUnnamed(folder);
  const into = openLmdbStore({ folder });
  try {
    await restoreCheckpoint({ objects, checkpoint, into });
  } finally {
    await into.close();
  }
}

export interface JoinOptions extends Omit<RestoreSetOptions, 'set'> {
  readonly log: Pick<CommitLog, 'append' | 'read'>;
  /** Undefined when the store of objects does not answer. */
  readonly clusterId: string | undefined;
  /** Called with sentences for the log of the server. */
  readonly onNote?: (message: string) => void;
}

/**
 * Makes a folder ready to follow the log, before anything in it is opened: a new one, and one whose position was trimmed,
 * get the last checkpoints; the database of a single server becomes the beginning of a new cluster. Throws LaunchError
 * when that cannot be.
 */
export async function prepareFolder(options: JoinOptions): Promise<void> {
  const { folders, clusterId } = options;
  const known = await savedOf(folders);
  if (known?.clusterId !== undefined && clusterId !== undefined && known.clusterId !== clusterId)
    throw new LaunchError(
      `the folder ${folders.dbPath} belongs to the cluster ${known.clusterId}, and the store of objects to ${clusterId}: ` +
        'start this node with an empty folder, or with the folder of this cluster',
    );
  const isDatabase = known === undefined && existsSync(join(folders.taskFolder, 'data.mdb'));
  try {
    const isPending = isPublishing(folders) && (known?.position ?? 0) === 0;
    if (isDatabase || isPending) await publish(options);
    else await catchUp(options, known?.position);
  } catch (error) {
    if (error instanceof LaunchError) throw error;
    const isUnreadable = error instanceof DamagedLogError || error instanceof NewerFormatError;
    if (error instanceof DamagedCheckpointError || (isUnreadable && isNew(known?.position)))
      throw new LaunchError(error.message, { cause: error });
    // the log or the store of objects does not answer: the node serves what it has
    if (known === undefined) throw new LaunchError(`a new node needs the log and the objects: ${String(error)}`);
  }
}

async function publish({ clusterId, folders, onNote, ...options }: JoinOptions): Promise<void> {
  if (clusterId === undefined) throw new Error('the store of objects does not answer');
  await publishFolder({ ...options, folders, clusterId });
  onNote?.(`The database in ${folders.dbPath} is the beginning of the cluster ${clusterId}`);
}

/** Gets the last checkpoints if the log does not have what comes after `position`, or begins with checkpoints. */
async function catchUp(options: JoinOptions, position: number | undefined): Promise<void> {
  const { log, objects, logName, folders, onNote } = options;
  const absence = await absenceAfter(log, position ?? 0);
  if (absence === null && !isNew(position)) return;
  const set = await setOf(options, absence === null);
  if (isNew(position)) await expectWhole(options, set);
  if (set !== null && set.state.position > (position ?? 0)) {
    await restoreCheckpointSet({ objects, logName, folders, set });
    const from = position === undefined ? 'A folder' : `The folder at position ${position}`;
    const reason = absence?.reason ?? 'it is new';
    onNote?.(`${from} was restored from the checkpoints at position ${set.state.position}, because ${reason}`);
  } else if (absence?.isTrimmed === true)
    throw new LaunchError(`${absence.reason}, and there is no checkpoint from before`);
}

function isNew(position: number | undefined): boolean {
  return position === undefined || position === 0;
}

/** Rejects when a new node could not follow the log to its end: it would serve a database that lacks something. */
async function expectWhole({ log, logName }: JoinOptions, set: CheckpointSet | null): Promise<void> {
  const state = new LogState({ logName, ...(set === null ? {} : { saved: set.state }) });
  try {
    for await (const entry of entriesFrom(log, state.position + 1)) state.accept(entry);
  } catch (error) {
    // the node that trims has written later checkpoints, which a node that follows finds
    if (!(error instanceof TrimmedError)) throw error;
  }
}

/** All entries from a position on. Throws what the log does. */
export async function* entriesFrom(log: Pick<CommitLog, 'read'>, from: number): AsyncGenerator<StoredEntry> {
  for (let next = from; ; ) {
    const entries = await log.read(next, READ_BYTES);
    if (entries.length === 0) return;
    yield* entries;
    next = entries.at(-1)!.position + 1;
  }
}

/** The last set. A log that begins with a database has one as soon as the node that brought it has written it. */
async function setOf({ log, objects, logName }: JoinOptions, isWhole: boolean): Promise<CheckpointSet | null> {
  for (let attempt = 1; ; attempt += 1) {
    const set = await lastSet(objects, logName);
    if (set !== null || !isWhole || !(await beginsWithDatabase(log, logName))) return set;
    if (attempt === ATTEMPTS)
      throw new LaunchError('the node that brings the database of this cluster has not written it: start that one');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function beginsWithDatabase(log: JoinOptions['log'], logName: string): Promise<boolean> {
  const [first] = await log.read(1, 1);
  const records = first === undefined ? [] : new LogState({ logName }).accept(first).records;
  return records.some(({ record }) => record.kind === 'data' && record.name === BASE);
}

/** What a folder says of itself; undefined for one that is none of a node. */
export async function savedOf({
  dbPath,
}: DatabaseFolders): Promise<{ position: number; clusterId?: string } | undefined> {
  const folder = join(dbPath, NODE_FOLDER);
  if (!existsSync(join(folder, 'data.mdb'))) return undefined;
  const saved = new SavedLog(folder);
  try {
    const { clusterId } = saved;
    return { position: saved.read()?.position ?? 0, ...(clusterId === undefined ? {} : { clusterId }) };
  } finally {
    await saved.close();
  }
}

/** Why the log does not go on after a position, so that only checkpoints help; null where it does, or ends. */
async function absenceAfter(
  log: Pick<CommitLog, 'read'>,
  position: number,
): Promise<{ readonly reason: string; readonly isTrimmed: boolean } | null> {
  try {
    await log.read(position + 1, 1);
    return null;
  } catch (error) {
    if (error instanceof TrimmedError) return { reason: `the log begins at ${error.floor}`, isTrimmed: true };
    if (error instanceof DamagedLogError && error.position > position)
      return { reason: error.message, isTrimmed: false };
    throw error;
  }
}
