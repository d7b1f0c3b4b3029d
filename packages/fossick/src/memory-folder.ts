import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCK_FILE, tryLockFile } from '@fossick/instance';

const PREFIX = 'fossick-memory-';
/** A folder of Linux that is in memory. In containers it has 64 MB by default, which a few documents fill. */
const SHARED_MEMORY = '/dev/shm';
const FREE_BYTES_MIN = 512 * 2 ** 20;
/** A folder without a lock was abandoned, unless it has just been created. */
const UNCLAIMED_MS = 60_000;

/** The data of an engine without a path: stores are files that several threads map, so it is a folder in memory. */
export interface MemoryFolder {
  readonly path: string;
  remove(): void;
}

/**
 * Creates one, in memory where the system has enough, otherwise among the temporary files. It is removed at the latest
 * when the process ends.
 */
export function newMemoryFolder(): MemoryFolder {
  const parent = hasSpace(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
  removeLeftOvers(parent);
  const path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { path, remove };
}

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= FREE_BYTES_MIN;
  } catch {
    return false;
  }
}

/** Removes folders of processes that were killed. */
function removeLeftOvers(parent: string): void {
  for (const name of readdirSync(parent).filter((one) => one.startsWith(PREFIX))) {
    const folder = join(parent, name);
    try {
      if (Date.now() - statSync(folder).mtimeMs < UNCLAIMED_MS) continue;
      const lockFile = join(folder, LOCK_FILE);
      const lock = existsSync(lockFile) ? tryLockFile(lockFile) : null;
      if (lock === undefined || lock?.isGuarding === false) continue;
      rmSync(folder, { recursive: true, force: true });
      lock?.release();
    } catch {
      // another user's, or removed meanwhile
    }
  }
}
