import { closeSync, linkSync, mkdirSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';

const LOCK_FILE = 'lock.mdb';
/**
 * LMDB maps its lock file, which it creates without blocks: 126 readers of 64 bytes after a header of less than 1 KiB.
 */
const LOCK_BYTES = 12_288;
/**
 * Bytes that opening a store writes: its lock file, two meta pages, one page of tables, and as much again for the file
 * system.
 */
const OPENING_BYTES_MIN = 128 << 10;

/**
 * Reserves the disk space that opening a store needs. A page of a mapped file without a disk block is a bus error,
 * which would end the process. The data file grows by writes, where a full disk is an ordinary error. Throws with
 * `code` ENOSPC.
 */
export function reserveSpace(folder: string): void {
  const file = join(folder, LOCK_FILE);
  const present = statSync(file, { throwIfNoEntry: false });
  if (present !== undefined && present.blocks * 512 >= present.size && present.size > 0) return;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < OPENING_BYTES_MIN)
    throw Object.assign(new Error(`no space left on device: ${folder} cannot be opened`), { code: 'ENOSPC' });
  if (present === undefined) makeLockFile(file);
}

/** The file appears with all its blocks or not at all, whatever other threads do. */
function makeLockFile(file: string): void {
  const beside = `${file}.${process.pid}-${threadId}`;
  mkdirSync(dirname(file), { recursive: true });
  try {
    const descriptor = openSync(beside, 'w', 0o664);
    try {
      writeSync(descriptor, Buffer.alloc(LOCK_BYTES));
    } finally {
      closeSync(descriptor);
    }
    linkSync(beside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(beside, { force: true });
  }
}
