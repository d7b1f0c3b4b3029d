import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCK_FILE, tryLockFile } from '@fossick/server/in-process';

const PREFIX = 'fossick-memory-';
/** Memory behind the folder of Linux. Containers have 64 MB there by default, which a few documents fill. */
const SHARED_MEMORY = '/dev/shm';
const ROOM_BYTES_MIN = 512 * 2 ** 20;
/** A folder that nobody has locked belongs to nobody, unless it has just been made. */
const UNCLAIMED_MS = 60_000;

/** Where an engine without a path keeps its data: stores are files that several threads map, so it is memory that looks like a folder. */
export interface MemoryFolder {
  readonly path: string;
  remove(): void;
}

/** Makes one, in memory where the system has enough, else among the temporary files. It goes with the process at the latest. */
export function newMemoryFolder(): MemoryFolder {
  const parent = hasRoom(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
  removeLeftOvers(parent);
  const path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { path, remove };
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM_BYTES_MIN;
  } catch {
    return false;
  }
}

/** What processes left behind that were killed. */
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
      // another user's, or gone meanwhile
    }
  }
}
