import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '@fossick/base/durable-names';
import type { ServerOptions } from '@fossick/instance';
import {
  type AddressReservation,
  checkDatabaseVersion,
  checkStores,
  claimFolder,
  type DatabaseFolders,
  type FolderClaim,
  foldersOf,
  LaunchError,
  refuseNodeFolder,
  reserveAddress,
  settleImport,
  type Upgrade,
  VERSION_FILE,
} from '@fossick/instance';
import { openLmdbStore, storeUse } from '@fossick/storage';
import { openAttemptFile, openTaskLog, type TaskLog } from '@fossick/tasks';
import { adoptCompactedQueue } from '../queue-compaction.js';

/** A database folder that only this process may use, ready to be opened. */
export interface OwnFolder {
  readonly folders: DatabaseFolders;
  readonly claim: FolderClaim;
  /** The task to register first. */
  readonly upgrade: Upgrade | null;
  /** About stores that were damaged or had to be repaired. */
  readonly warnings: readonly string[];
}
/** The same for a server, which also has an address. */
export interface Launch extends OwnFolder {
  /** Held until the server listens. */
  readonly address: AddressReservation;
}

export interface FolderUse {
  /** What extensions do in the folder once it is claimed. */
  readonly prepare?: (dbPath: string) => Promise<void>;
  /** Names of the extensions that are served. */
  readonly extensions?: readonly string[];
  /** Whether the log of the instance is shared, as that of a node is. */
  readonly isLogShared?: boolean;
}

/**
 * Does everything that comes before opening the stores, in a harmless order: the folder is claimed, then the address,
 * and only a server that has both changes anything. Throws LaunchError.
 */
export async function prepareLaunch(options: ServerOptions, use: FolderUse): Promise<Launch> {
  let address: AddressReservation | undefined;
  try {
    const claimed = async (): Promise<void> => {
      address = await reserveAddress(options);
    };
    const own = await prepareFolder(options, claimed, use);
    for (const line of own.warnings) process.stderr.write(`warning: ${line}\n`);
    return { ...own, address: address! };
  } catch (error) {
    await address?.release();
    throw error;
  }
}

/**
 * Claims a folder for this process and repairs its contents; `claimed` is called between the two. Throws LaunchError.
 */
export async function prepareFolder(
  options: ServerOptions,
  claimed: () => Promise<void> = async () => undefined,
  { prepare, extensions = [], isLogShared = false }: FolderUse = {},
): Promise<OwnFolder> {
  const folders = foldersOf(resolve(options.dbPath));
  const { dbPath, taskFolder, payloadFolder } = folders;
  const claim = claimFolder(dbPath, extensions);
  try {
    if (!isLogShared) refuseNodeFolder(dbPath, extensions);
    await claimed();
    settleImport(dbPath);
    await prepare?.(dbPath);
    const upgrade = checkDatabaseVersion(dbPath, options.isUpgradeAllowed);
    adoptCompactedQueue(dbPath, taskFolder);
    const warnings = await checkStores(dbPath, claim.isAfterDeath);
    expectAttemptFile(taskFolder);
    await expectPayloads(folders);
    makeFolder(payloadFolder);
    return { folders, claim, upgrade, warnings };
  } catch (error) {
    claim.abandon();
    throw error;
  }
}

/** The file of what tasks are running. */
export function attemptFileIn(taskFolder: string): string {
  return join(taskFolder, 'attempt');
}

/** Throws LaunchError when the thread that runs tasks could not open its file: it would end again and again. */
function expectAttemptFile(taskFolder: string): void {
  if (!existsSync(taskFolder)) return;
  const file = attemptFileIn(taskFolder);
  try {
    openAttemptFile(file).close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC') return;
    throw new LaunchError(`${file} cannot be opened (${code}): remove it, nothing is lost with it`, { cause: error });
  }
}

/** Throws LaunchError when the folder of payloads is missing although tasks wait that need it: they would fail. */
async function expectPayloads({ dbPath, taskFolder, payloadFolder }: DatabaseFolders): Promise<void> {
  if (existsSync(payloadFolder) || storeUse(taskFolder) !== 'used' || !existsSync(join(dbPath, VERSION_FILE))) return;
  const store = openLmdbStore({ folder: taskFolder });
  try {
    const waiting = openTaskLog(store, { payloadFolder }).livePayloadFiles().size;
    if (waiting > 0)
      throw new LaunchError(
        `the folder ${payloadFolder} is missing, and the documents of ${waiting} waiting tasks with it: put it back, ` +
          'or make an empty folder of that name to go on, and these tasks fail',
      );
  } finally {
    await store.close();
  }
}

/**
 * Removes payloads whose request never became a task, because the process died in between. A log that never had a task
 * may be in the place of another one, and removes nothing.
 */
export function sweepPayloads(payloadFolder: string, tasks: TaskLog): void {
  if (tasks.taskCountMax() === 0) return;
  const live = tasks.livePayloadFiles();
  for (const name of readdirSync(payloadFolder)) {
    const file = join(payloadFolder, name);
    if (!live.has(file)) rmSync(file, { force: true });
  }
}
