import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { DATABASE_VERSION } from '@fossick/api';
import { type DatabaseFolders, VERSION_FILE, withWorkspace } from '@fossick/instance';
import { openLmdbStore } from '@fossick/storage';
import { type ExecuteContext, LOG_BYTES_MAX, openTaskLog, systemClock } from '@fossick/tasks';
import { packFolder } from '../dumps/archive.js';

/** A folder with this file is a store. */
const STORE_FILE = 'data.mdb';
const READ_ONLY = 0o444;

export interface SnapshotFolders extends Pick<DatabaseFolders, 'dbPath' | 'taskFolder' | 'payloadFolder'> {
  /** The folder of `<database folder>.snapshot`; created when missing. */
  readonly snapshotFolder: string;
}

/**
 * Writes one file with copies of every store of the instance and the payloads of waiting tasks, replacing the previous
 * snapshot. Runs in the writer thread, so indexes do not change; each other store is copied at one of its commits,
 * tasks before payloads, so that no task lacks its payload.
 */
export async function writeSnapshot(folders: SnapshotFolders, context: ExecuteContext): Promise<void> {
  const { dbPath, payloadFolder, snapshotFolder } = folders;
  const name = basename(dbPath);
  const step = (text: string, done = 0, total = 1): void => {
    if (context.isCanceled()) throw new Error('the snapshot was canceled');
    context.onProgress(text, done, total);
  };
  await withWorkspace(snapshotFolder, name, async (workspace) => {
    const copy = join(workspace, 'content');
    await mkdir(copy);
    step('start the snapshot creation');
    await writeFile(join(copy, VERSION_FILE), DATABASE_VERSION);
    step('snapshot the index scheduler');
    const taskCopy = join(copy, relative(dbPath, folders.taskFolder));
    await copyStore(folders.taskFolder, taskCopy);
    const payloadFiles = await withoutSnapshotTasks(taskCopy, payloadFolder);
    step('snapshot the update files');
    const payloadCopy = join(copy, 'update_files');
    await mkdir(payloadCopy);
    for (const file of payloadFiles) await copyFile(file, join(payloadCopy, basename(file)));
    const stores = (await storesBelow(dbPath)).filter((folder) => folder !== folders.taskFolder);
    for (const [i, folder] of stores.entries()) {
      step('snapshot the indexes', i, stores.length);
      await copyStore(folder, join(copy, relative(dbPath, folder)));
    }
    step('create the tarball');
    const file = join(snapshotFolder, `${name}.snapshot`);
    await packFolder(copy, file, join(workspace, 'archive'));
    await chmod(file, READ_ONLY);
  });
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
async function withoutSnapshotTasks(taskFolder: string, payloadFolder: string): Promise<Set<string>> {
  const store = openLmdbStore({ folder: taskFolder });
  try {
    const log = openTaskLog(store, systemClock, LOG_BYTES_MAX, payloadFolder);
    const tasks = [...log.tasks({ statuses: ['enqueued', 'processing'], types: ['snapshotCreation'] })];
    log.write((writes) => {
      for (const task of tasks) {
        writes.deleteTask(task);
        if (task.batchUid !== null) writes.deleteBatch(task.batchUid);
      }
    });
    return log.livePayloadFiles();
  } finally {
    await store.close();
  }
}

async function storesBelow(folder: string): Promise<string[]> {
  if (existsSync(join(folder, STORE_FILE))) return [folder];
  const found: string[] = [];
  for (const item of await readdir(folder, { withFileTypes: true }))
    if (item.isDirectory()) found.push(...(await storesBelow(join(folder, item.name))));
  return found;
}
