import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeDump, writeSnapshot } from '@fossick/copies';
import {
  checkDatabaseVersion,
  claimFolder,
  completeDatabase,
  isObject,
  LaunchError,
  type ServerOptions,
} from '@fossick/instance';
import { importAtLaunch } from '@fossick/runtime';
import type { ExecuteContext, Task } from '@fossick/tasks';
import { EXTENSIONS } from '../extensions/extension-list.js';
import { dumpModulesOf } from '../extensions/served-extensions.js';
import { withOpenedDatabase } from './closed-database.js';

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
export async function dumpDatabase(options: ServerOptions): Promise<string> {
  const dumpFolder = resolve(options.dumpFolder);
  return withOpenedDatabase(options, async ({ engine, tasks, authStore }) => {
    const { s3 } = options;
    const sources = { engine, tasks, authStore, dumpFolder, s3, dumpModules: dumpModulesOf(EXTENSIONS) };
    const dumpUid = await writeDump(sources, taskOfNobody(), WATCHED);
    endSteps();
    return join(dumpFolder, `${dumpUid}.dump`);
  });
}

/**
 * Writes a snapshot of a database that no server has open; returns its file, or its address in an object store. Throws
 * LaunchError and ApiError.
 */
export async function snapshotDatabase(options: ServerOptions): Promise<string> {
  const snapshotFolder = resolve(options.snapshotFolder);
  // the snapshot opens the stores that it copies itself
  return await withOpenedDatabase(options, async (database) => {
    const written = await writeSnapshot({ ...database.folders, snapshotFolder }, WATCHED, options.s3);
    endSteps();
    return written;
  });
}

/** Creates a database from a dump or snapshot, a file or an address `s3://…`; returns its folder, which must not exist. Throws LaunchError. */
export async function importDatabase(options: ServerOptions, file: string): Promise<string> {
  const dbPath = resolve(options.dbPath);
  const isStored = isObject(file);
  if (!isStored && !existsSync(file)) throw new LaunchError(`there is no file ${resolve(file)}`);
  const isDump = isStored ? file.split('?')[0]!.endsWith('.dump') : !file.endsWith('.snapshot');
  const kind = isDump ? 'dump' : 'snapshot';
  const claim = claimFolder(dbPath);
  try {
    const importing = { isAnyKind: isStored, dumpModules: dumpModulesOf(EXTENSIONS) };
    const launchImport = { kind, file, ignoreMissing: false, ignoreIfDbExists: false } as const;
    await importAtLaunch({ ...options, launchImport, isUpgradeAllowed: false }, dbPath, importing);
    checkDatabaseVersion(dbPath, false);
    completeDatabase(dbPath);
    claim.release();
  } catch (error) {
    claim.abandon();
    throw error;
  }
  return dbPath;
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
