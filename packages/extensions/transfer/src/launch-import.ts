import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkIndexes, openEngineReader } from '@fossick/index';
import {
  type DatabaseFolders,
  foldersOf,
  INSTANCE_STORES,
  LaunchError,
  LOCK_FILE,
  type ServerOptions,
  settleImport,
  stageImport,
} from '@fossick/instance';
import type { ArchivedValue } from '@fossick/runtime/extension';
import { checkStore, openLmdbStore, storeUse } from '@fossick/storage';
import { openTaskLog } from '@fossick/tasks';
import type { ArchiveSource } from './dumps/archive.js';
import { readDump } from './dumps/read-dump.js';
import { openSource } from './objects/object-source.js';
import { isObject, type LaunchImport, type S3Options } from './options.js';
import { readSnapshot } from './snapshots/read-snapshot.js';

/** Time limit for checking the pages and rows of an import, in milliseconds: the next start checks again. */
const LOOK_MS = 3_000;

export interface ImportOptions {
  readonly options: Pick<ServerOptions, 'isUpgradeAllowed' | 'maxIndexingBytes' | 'maxSearchBytes'>;
  readonly s3: S3Options;
  /** An object may also be of the other kind. */
  readonly isAnyKind?: boolean;
  archived(): Promise<readonly ArchivedValue[]>;
}

/**
 * Starts an empty database from a dump or snapshot, before anything is opened. A failed import leaves no database, nor does a
 * killed one. Throws LaunchError.
 */
export async function importAtLaunch(
  launchImport: LaunchImport,
  dbPath: string,
  { options, s3, isAnyKind = false, archived }: ImportOptions,
): Promise<void> {
  const { isUpgradeAllowed, maxIndexingBytes, maxSearchBytes } = options;
  settleImport(dbPath);
  const { kind, ignoreMissing, ignoreIfDbExists } = launchImport;
  const file = isObject(launchImport.file) ? launchImport.file : resolve(launchImport.file);
  const isEmpty = readdirSync(dbPath).every((name) => name === LOCK_FILE);
  if (!isEmpty && !ignoreIfDbExists)
    throw new LaunchError(`there is a database in ${dbPath} already; use --ignore-${kind}-if-db-exists`);
  // an object store is asked only for what is needed
  if (!isEmpty && isObject(file)) return;
  const { archive, kind: found } = await openedSource(file, isAnyKind ? null : kind, s3);
  if (archive === null) {
    if (ignoreMissing) return;
    throw new LaunchError(`the ${kind} ${file} does not exist; use --ignore-missing-${kind} to start without`);
  }
  if (!isEmpty) return;
  if (typeof archive === 'string' && statSync(archive).isDirectory())
    throw new LaunchError(`the ${kind} ${file} is a folder and no file: name the file with --import-${kind}`);
  try {
    await stageImport(dbPath, async (stage, scratch) => {
      const folders = foldersOf(stage);
      const limits = { maxIndexingBytes, maxSearchBytes };
      if (found === 'dump') {
        await readDump(archive, { ...folders, ...limits, archived: await archived() }, scratch);
      } else {
        await readSnapshot(archive, folders, isUpgradeAllowed);
      }
      await checkWhole(folders, maxSearchBytes);
    });
  } catch (error) {
    const said = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!;
    const isOtherFile = (error as NodeJS.ErrnoException).code === 'Z_DATA_ERROR';
    const reason = isOtherFile ? `it is damaged, or no ${found} (${said})` : said;
    throw new LaunchError(`the ${found} ${file} cannot be imported: ${reason}`, { cause: error });
  }
}

interface OpenedSource {
  readonly kind: 'dump' | 'snapshot';
  /** Null where there is none. */
  readonly archive: ArchiveSource | null;
}

/** `kind`: null for an object that is known by its key. Throws LaunchError. */
async function openedSource(file: string, kind: OpenedSource['kind'] | null, s3: S3Options): Promise<OpenedSource> {
  const named = kind ?? 'snapshot';
  if (!isObject(file)) return { kind: named, archive: existsSync(file) ? file : null };
  try {
    const found = await openSource(file, s3);
    if (kind !== null && found.archive !== null && found.kind !== kind) throw new Error(`it is a ${found.kind}`);
    return found;
  } catch (error) {
    throw new LaunchError(`the ${named} ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Opens everything that a database must have, and reads in it. Throws for anything missing or unreadable. */
async function checkWhole(folders: DatabaseFolders, maxSearchBytes: number): Promise<void> {
  const { dbPath, taskFolder, payloadFolder } = folders;
  const look = { untilMs: performance.now() + LOOK_MS };
  for (const name of INSTANCE_STORES) {
    const use = storeUse(join(dbPath, name));
    if (use === 'missing' || use === 'void') throw new Error(`it holds no ${name}`);
    checkStore(join(dbPath, name), look);
  }
  const damaged = (await checkIndexes(dbPath, look)).find(({ kind }) => kind === 'damaged');
  if (damaged !== undefined) throw new Error(`the index ${damaged.uid} is damaged: ${damaged.reason}`);
  const store = openLmdbStore({ folder: taskFolder });
  try {
    const log = openTaskLog(store, { payloadFolder });
    for (const payload of log.livePayloadFiles())
      if (!existsSync(payload)) throw new Error('the documents of a waiting task are missing');
  } finally {
    await store.close();
  }
  const engine = openEngineReader({ rootFolder: dbPath, maxSearchBytes });
  try {
    for (const { uid } of engine.indexes()) engine.stats(uid);
  } finally {
    await engine.close();
  }
}
