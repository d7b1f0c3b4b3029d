import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLockFile } from './file-lock.js';

const LOCK = '.lock';
const WORKSPACE = /^\..+-[0-9a-f]{12}$/;
/** What versions without locks left behind: folders, and archives that were being written. */
const UNLOCKED = /^\..+-[0-9A-Za-z]{6}$|\.(dump|snapshot)\.partial$/;
/** Those are swept when nothing has changed in them for so long: another server of such a version may be at work. */
const UNLOCKED_MS = 3_600_000;

/**
 * Gives `work` a folder of its own inside `parent`, where its result can be renamed to, and removes it afterwards. Its lock tells the next
 * start whether somebody still works in it: servers may share `parent`.
 */
export async function withWorkspace<T>(parent: string, name: string, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(parent, { recursive: true });
  const folder = join(parent, `.${name}-${randomUUID().slice(-12)}`);
  const lock = tryLockFile(folder + LOCK);
  // a start that sweeps was faster: its lock is on a name that nobody needs
  if (lock === undefined) return withWorkspace(parent, name, work);
  try {
    await mkdir(folder);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    lock.remove();
  }
}

/** Removes workspaces whose process was killed. Nothing happens where `parent` is not there or cannot be read. */
export function sweepWorkspaces(parent: string): void {
  for (const name of namesIn(parent)) {
    const path = join(parent, name);
    const locked = name.endsWith(LOCK) ? name.slice(0, -LOCK.length) : name;
    if (WORKSPACE.test(locked)) sweepLocked(join(parent, locked));
    else if (UNLOCKED.test(name) && isOld(path)) rmSync(path, { recursive: true, force: true });
  }
}

function sweepLocked(folder: string): void {
  const lock = tryLockFile(folder + LOCK);
  if (lock === undefined) return;
  // without locks nobody can tell, and a folder that is in use would be the worse loss
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
