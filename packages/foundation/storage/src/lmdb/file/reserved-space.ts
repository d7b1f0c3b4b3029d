import { linkSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from '@fossick/base/durable-names';
import { threadId } from '@fossick/threads';
import { HEADER_BYTES, INTEGER_KEYS, NO_PAGE, P_META, TREE_BYTES } from './file-format.js';
import { DATA_FILE } from './store-file.js';

const PAGE_BYTES = 4_096;
const META_PAGES = 2;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
/** Address space that LMDB maps a file into when nobody says otherwise; everybody does (environment.ts). */
const MAP_BYTES = 4n * 2n ** 30n;

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

/**
 * The bytes of a data file before its first commit, as LMDB makes it on a machine with pages of 4 KiB: two meta pages
 * of commit 0, whose trees are empty. Layout: docs/internals/storage-layout.md, "An environment"; little-endian.
 */
export function emptyStore(): Buffer {
  const bytes = Buffer.alloc(META_PAGES * PAGE_BYTES);
  for (let page = 0; page < META_PAGES; page++) {
    const start = page * PAGE_BYTES;
    bytes.writeBigUInt64LE(BigInt(page), start);
    bytes.writeUInt16LE(P_META, start + 18);
    const meta = start + HEADER_BYTES;
    bytes.writeUInt32LE(MAGIC, meta);
    bytes.writeUInt32LE(VERSION, meta + 4);
    bytes.writeBigUInt64LE(MAP_BYTES, meta + 16);
    const freeTree = meta + 24;
    bytes.writeUInt32LE(PAGE_BYTES, freeTree);
    bytes.writeUInt16LE(INTEGER_KEYS, freeTree + 4);
    for (const tree of [freeTree, freeTree + TREE_BYTES]) bytes.writeBigUInt64LE(NO_PAGE, tree + 40);
    bytes.writeBigUInt64LE(BigInt(META_PAGES - 1), freeTree + 2 * TREE_BYTES);
  }
  return bytes;
}
