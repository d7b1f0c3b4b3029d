import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openTaskLog, type Task } from '@fossick/scheduler';
import { openLmdbStore } from '@fossick/storage';
import { unpackArchive } from '../dumps/archive.js';
import type { ImportTarget } from '../dumps/read-dump.js';
import { API_VERSION } from '../instance/api-version.js';
import { VERSION_FILE } from '../instance/database-version.js';

type Target = Pick<ImportTarget, 'dbPath' | 'taskFolder' | 'payloadFolder'>;

/**
 * Makes an empty database what it was when the snapshot was taken. The caller removes the database when it throws: the
 * file is no snapshot, or one of another version.
 */
export async function readSnapshot(file: string, target: Target, isUpgradeAllowed: boolean): Promise<void> {
  await mkdir(target.dbPath, { recursive: true });
  await unpackArchive(file, target.dbPath);
  const version = (await readFile(join(target.dbPath, VERSION_FILE), 'utf8')).trim();
  // an older one is judged, and taken over, like any other database
  if (version !== API_VERSION && !isUpgradeAllowed)
    throw new Error(`it was written by version ${version}, and this is ${API_VERSION}`);
  await movePayloads(target);
}

/** Waiting tasks name their payload by its full path, which is another one in another database folder. */
async function movePayloads({ taskFolder, payloadFolder }: Target): Promise<void> {
  const store = openLmdbStore({ folder: taskFolder });
  try {
    const log = openTaskLog(store);
    const waiting = [...log.tasks({ statuses: ['enqueued', 'processing'], types: ['documentAdditionOrUpdate'] })];
    log.write((writes) => {
      for (const task of waiting) writes.putTask(moved(task, payloadFolder));
    });
  } finally {
    await store.close();
  }
}
function moved(task: Task, payloadFolder: string): Task {
  const { content } = task;
  if (content.type !== 'documentAdditionOrUpdate') return task;
  return { ...task, content: { ...content, payloadFile: join(payloadFolder, basename(content.payloadFile)) } };
}
