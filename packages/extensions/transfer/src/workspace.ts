import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@fossick/base/durable-names';
import { tryLockFile } from '@fossick/instance';

const LOCK = '.lock';
const WORKSPACE = /^\..+-[0-9a-f]{12}$/;
/** Names of folders, and of unfinished archives, that versions without locks left. */
const UNLOCKED = /^\..+-[0-9A-Za-z]{6}$|\.(dump|snapshot)\.partial$/;
/**
 * They are removed when nothing in them has changed for this long, in milliseconds: another server of such a version
 * may be using them.
 */
const UNLOCKED_MS = 3_600_000;
/** Folders of copies may be another user's, or on a disk that is only read: that prevents no start. */
const UNCHANGEABLE = new Set(['EACCES', 'EPERM', 'EROFS']);

/**
 * Runs `work` with a temporary folder inside `parent`, from which its result can be renamed to `parent`, and removes it
 * afterwards. Its lock shows the next start whether it is in use: several servers may share `parent`.
 */
export async function withWorkspace<T>(parent: string, name: string, work: (folder: string) => Promise<T>): Promise<T> {
  makeFolder(parent);
  const folder = join(parent, `.${name}-${randomUUID().slice(-12)}`);
  const lock = tryLockFile(folder + LOCK);
  // a concurrent start has removed the folder: the lock is on a removed name
  if (lock === undefined) return withWorkspace(parent, name, work);
  try {
    await mkdir(folder);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    lock.remove();
  }
}

/** Removes workspaces of killed processes. Does nothing where `parent` does not exist, cannot be read or cannot be changed. */
export function sweepWorkspaces(parent: string): void {
  for (const name of namesIn(parent)) {
    const path = join(parent, name);
    const locked = name.endsWith(LOCK) ? name.slice(0, -LOCK.length) : name;
    try {
      if (WORKSPACE.test(locked)) sweepLocked(join(parent, locked));
      else if (UNLOCKED.test(name) && isOld(path)) rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if (!UNCHANGEABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

function sweepLocked(folder: string): void {
  const lock = tryLockFile(folder + LOCK);
  if (lock === undefined) return;
  // without locks it is unknown, and removing a folder in use would be worse
  if (lock.isGuarding || isOld(folder)) {
    rmSync(folder, { recursive: true, force: true });
    lock.remove();
  } else lock.release();
}

function namesIn(folder: string): readonly string[] {
  try {
    return existsSync(folder) ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

function isOld(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || Date.now() - stats.mtimeMs > UNLOCKED_MS;
}
