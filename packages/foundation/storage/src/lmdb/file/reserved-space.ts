import { linkSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from '@fossick/base/durable-names';
import { threadId } from '@fossick/threads';
import { emptyStore } from './empty-store.js';
import { DATA_FILE } from './store-file.js';

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
  if (present === undefined) makeFile(file, Buffer.alloc(LOCK_BYTES));
}

/**
 * Makes the data file of a new store, which LMDB would do otherwise: when a write of its opening fails, lmdb-js uses
 * memory that it has freed, which ends the process. Returns whether there was none. Throws the system's error. One look
 * for a file, if it is there.
 */
export function makeDataFile(folder: string): boolean {
  const file = join(folder, DATA_FILE);
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  if (bytes === undefined || bytes === 0) {
    // LMDB's numbers are those of the machine
    if (endianness() === 'LE') makeFile(file, emptyStore(), bytes === 0);
  }
  return bytes === undefined || bytes === 0;
}

/**
 * The file appears with all its blocks or not at all, whatever other threads do. `mayReplace`: an empty file that an
 * interrupted opening left, which nobody has open.
 */
function makeFile(file: string, bytes: Uint8Array, mayReplace = false): void {
  const temporary = `${file}.${process.pid}-${threadId}`;
  makeFolder(dirname(file));
  try {
    writeFileSync(temporary, bytes, { mode: 0o664 });
    if (mayReplace) renameSync(temporary, file);
    else linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
