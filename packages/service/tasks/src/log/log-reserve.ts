import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** For the results of some thousand tasks. */
const RESERVE_BYTES = 1 << 20;
/** Free space with which the reserve is made: what is released must not be taken again at once. */
const FREE_BYTES_MIN = 3 * RESERVE_BYTES;

/**
 * Disk space that the log of tasks gets when it cannot be written otherwise: a full disk then fails tasks, and does not
 * leave them waiting. While it is used up, only tasks are accepted and done that free space. Any number of threads may
 * have it open.
 */
export interface LogReserve {
  /** Gives the space to the log. False when it was given before. */
  release(): boolean;
  /** Whether it is there, or there is space again to make it. One look for a file, if it is there. */
  restore(): boolean;
}

/** The reserve in the folder of the log: a file that does nothing but take space. */
export function openLogReserve(taskFolder: string): LogReserve {
  const file = join(taskFolder, 'RESERVE');
  return {
    release() {
      if (!existsSync(file)) return false;
      rmSync(file, { force: true });
      return true;
    },
    restore() {
      if (existsSync(file)) return true;
      const temporary = `${file}.new`;
      try {
        const { bavail, bsize } = statfsSync(taskFolder);
        if (bavail * bsize < FREE_BYTES_MIN) return false;
        // bytes that no file system compresses
        writeFileSync(temporary, randomBytes(RESERVE_BYTES));
        renameSync(temporary, file);
        return true;
      } catch {
        rmSync(temporary, { force: true });
        return false;
      }
    },
  };
}
