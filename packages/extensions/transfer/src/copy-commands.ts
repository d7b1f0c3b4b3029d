import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkDatabaseVersion, claimFolder, completeDatabase, LaunchError } from '@fossick/instance';
import type { CommandHost } from '@fossick/runtime/extension';
import type { ExecuteContext, Task } from '@fossick/tasks';
import { writeDump } from './dumps/write-dump.js';
import { importAtLaunch } from './launch-import.js';
import { isObject, readTransfer } from './options.js';
import { writeSnapshot } from './snapshots/write-snapshot.js';

/** The command cannot be canceled, and shows its steps in the terminal. */
const WATCHED: ExecuteContext = {
  isCanceled: () => false,
  watchCanceled: () => () => undefined,
  onProgress: (step, done, total) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${step}${total > 1 ? ` ${done}/${total}` : ''}`);
  },
  addStats: () => undefined,
};
/** Ends the line that shows the steps. */
const endSteps = (): void => void (process.stderr.isTTY && process.stderr.write('\r\x1b[K'));

/** Writes a dump of a database that no server has open, to a bucket as well; returns its file. Throws LaunchError and ApiError. */
export async function dumpDatabase({ options, withDatabase, archived }: CommandHost): Promise<string> {
  const { s3, ...folders } = readTransfer(options.values);
  const dumpFolder = resolve(folders.dumpFolder);
  return withDatabase(async ({ engine, tasks, authStore }) => {
    const sources = { engine, tasks, authStore, dumpFolder, s3, archived: await archived() };
    const dumpUid = await writeDump(sources, taskOfNobody(), WATCHED);
    endSteps();
    return join(dumpFolder, `${dumpUid}.dump`);
  });
}

/**
 * Writes a snapshot of a database that no server has open; returns its file, or its address in an object store. Throws
 * LaunchError and ApiError.
 */
export async function snapshotDatabase({ options, withDatabase }: CommandHost): Promise<string> {
  const { s3, ...folders } = readTransfer(options.values);
  const snapshotFolder = resolve(folders.snapshotFolder);
  // the snapshot opens the stores that it copies itself
  return withDatabase(async (database) => {
    const written = await writeSnapshot({ ...database.folders, snapshotFolder }, WATCHED, s3);
    endSteps();
    return written;
  });
}

/** Creates a database from a dump or snapshot, a file or an address `s3://…`; returns its folder, which must not exist. Throws LaunchError. */
export async function importDatabase(command: CommandHost, file: string): Promise<string> {
  const dbPath = resolve(command.options.dbPath);
  if (!isObject(file) && !existsSync(file)) throw new LaunchError(`there is no file ${resolve(file)}`);
  const claim = claimFolder(dbPath);
  try {
    await importInto(dbPath, command, file);
    completeDatabase(dbPath);
    claim.release();
  } catch (error) {
    claim.abandon();
    throw error;
  }
  return dbPath;
}

/** The same in a folder that is claimed. */
export async function importInto(dbPath: string, { options, archived }: CommandHost, file: string): Promise<void> {
  const isStored = isObject(file);
  const isDump = isStored ? file.split('?')[0]!.endsWith('.dump') : !file.endsWith('.snapshot');
  const launchImport = {
    kind: isDump ? 'dump' : 'snapshot',
    file,
    ignoreMissing: false,
    ignoreIfDbExists: false,
  } as const;
  const { s3 } = readTransfer(options.values);
  await importAtLaunch(launchImport, dbPath, {
    options: { ...options, isUpgradeAllowed: false },
    s3,
    isAnyKind: isStored,
    archived,
  });
  checkDatabaseVersion(dbPath, false);
}

/** A dump belongs to a task; this one is not in the log, so no list of tasks shows it. */
function taskOfNobody(): Task {
  const now = Date.now() * 1000;
  return {
    uid: -1,
    batchUid: null,
    content: { type: 'dumpCreation' },
    status: 'processing',
    canceledBy: null,
    resultDetails: null,
    error: null,
    enqueuedAt: now,
    startedAt: now,
    finishedAt: null,
  };
}
