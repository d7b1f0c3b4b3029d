import { existsSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { DATABASE_VERSION } from '@fossick/api';
import { BatchCanceled } from '@fossick/base';
import { type DatabaseFolders, VERSION_FILE } from '@fossick/instance';
import { openLmdbStore } from '@fossick/storage';
import { type ExecuteContext, openTaskLog } from '@fossick/tasks';
import { type AddFolder, packArchive, packFile } from '../dumps/archive.js';
import type { PreparePayloads } from '../dumps/write-dump.js';
import { ArchiveUploads } from '../objects/archive-uploads.js';
import type { S3Options } from '../options.js';
import { withWorkspace } from '../workspace.js';

/** A folder with this file is a store. */
const STORE_FILE = 'data.mdb';
const READ_ONLY = 0o444;

export interface SnapshotFolders extends Pick<DatabaseFolders, 'dbPath' | 'taskFolder' | 'payloadFolder'> {
  /** The folder of `<database folder>.snapshot`; created when missing. */
  readonly snapshotFolder: string;
  /** As of dumps. */
  readonly preparePayloads?: PreparePayloads | undefined;
}

/**
 * Writes one archive with copies of every store of the instance and the payloads of waiting tasks, replacing the previous
 * snapshot, and returns its path or its address. Runs in the writer thread, so indexes do not change; each other store is
 * copied at one of its commits, tasks before payloads, so that no task lacks its payload. Takes the disk space of a copy of
 * the largest store, and of the archive unless that goes to an object store.
 */
export async function writeSnapshot(
  folders: SnapshotFolders,
  context: ExecuteContext,
  s3: S3Options | null = null,
): Promise<string> {
  const { dbPath, snapshotFolder } = folders;
  const name = basename(dbPath);
  const uploads = s3 === null || s3.bucket === null ? null : new ArchiveUploads(s3, s3.bucket, 'snapshot');
  const step = (text: string, done = 0, total = 1): void => {
    if (context.isCanceled()) throw new BatchCanceled('the snapshot was canceled');
    context.onProgress(text, done, total);
  };
  return await withWorkspace(snapshotFolder, name, async (workspace) => {
    const fill = (add: AddFolder): Promise<void> => addCopies(folders, join(workspace, 'content'), step, add);
    if (uploads !== null) {
      const bytes = await folderBytes(dbPath);
      const isOver = (): boolean => context.isCanceled();
      return await uploads.write(name, bytes, (take) => packArchive(fill, take, s3?.compressionLevel), isOver);
    }
    const file = join(snapshotFolder, `${name}.snapshot`);
    await packFile(fill, file, join(workspace, 'archive'));
    await chmod(file, READ_ONLY);
    return file;
  });
}

async function addCopies(
  folders: SnapshotFolders,
  copy: string,
  step: (text: string, done?: number, total?: number) => void,
  add: AddFolder,
): Promise<void> {
  const { dbPath } = folders;
  await mkdir(copy);
  step('start the snapshot creation');
  await writeFile(join(copy, VERSION_FILE), DATABASE_VERSION);
  step('snapshot the index scheduler');
  const taskCopy = join(copy, relative(dbPath, folders.taskFolder));
  await copyStore(folders.taskFolder, taskCopy);
  const payloadFiles = await withoutSnapshotTasks(taskCopy, folders);
  step('snapshot the update files');
  const payloadCopy = join(copy, 'update_files');
  await mkdir(payloadCopy);
  for (const file of payloadFiles) await copyFile(file, join(payloadCopy, basename(file)));
  await add(copy, copy);
  await rm(copy, { recursive: true });
  const stores = (await storesBelow(dbPath)).filter((folder) => folder !== folders.taskFolder);
  for (const [i, folder] of stores.entries()) {
    step('snapshot the indexes', i, stores.length);
    const storeCopy = join(copy, relative(dbPath, folder));
    await copyStore(folder, storeCopy);
    await add(storeCopy, copy);
    await rm(storeCopy, { recursive: true });
  }
  step('create the tarball');
}

async function copyStore(folder: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const store = openLmdbStore({ folder });
  try {
    await store.copyTo(to);
  } finally {
    await store.close();
  }
}

/** Removes unfinished snapshot tasks from the copied log; returns the payload files of its waiting tasks. */
async function withoutSnapshotTasks(
  taskFolder: string,
  { payloadFolder, preparePayloads }: SnapshotFolders,
): Promise<Set<string>> {
  const store = openLmdbStore({ folder: taskFolder });
  try {
    const log = openTaskLog(store, { payloadFolder });
    const tasks = [...log.tasks({ statuses: ['enqueued', 'processing'], types: ['snapshotCreation'] })];
    log.change([
      { kind: 'deleteTasks', uids: tasks.map(({ uid }) => uid) },
      { kind: 'deleteBatches', uids: tasks.flatMap(({ batchUid }) => (batchUid === null ? [] : [batchUid])) },
    ]);
    await preparePayloads?.(log, [...log.tasks({ statuses: ['enqueued', 'processing'] })]);
    return log.livePayloadFiles();
  } finally {
    await store.close();
  }
}

/** Bytes of all files, of which the archive has at most as many. */
async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const item of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, item.name);
    // a file may be removed meanwhile
    bytes += item.isDirectory() ? await folderBytes(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }
  return bytes;
}

async function storesBelow(folder: string): Promise<string[]> {
  if (existsSync(join(folder, STORE_FILE))) return [folder];
  const found: string[] = [];
  for (const item of await readdir(folder, { withFileTypes: true }))
    if (item.isDirectory()) found.push(...(await storesBelow(join(folder, item.name))));
  return found;
}
