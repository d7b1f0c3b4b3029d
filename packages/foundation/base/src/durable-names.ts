/**
 * Names in folders that survive a power cut. POSIX keeps a new name only when its folder was flushed; flushing the file
 * is not enough (https://pubs.opengroup.org/onlinepubs/9799919799/functions/fsync.html).
 */
import { closeSync, existsSync, fsync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';

/**
 * Errors where a folder cannot be opened or flushed, although names can be created in it: Windows, a parent folder that
 * this user may not list, some network file systems. As in PostgreSQL's fsync_fname, the names are then up to the system.
 */
const OPENING_REFUSED = new Set(['EACCES', 'EISDIR', 'EPERM']);
const FLUSHING_REFUSED = new Set(['EBADF', 'EINVAL', 'ENOTSUP', 'EPERM']);

const flushed = promisify(fsync);

/** Flushes an open file. A number, because handles of Yarn's Plug'n'Play have no flush. Rejects with the system's error. */
export function flushFile(descriptor: number): Promise<void> {
  return flushed(descriptor);
}

/** Flushes a folder, so that the names in it survive a power cut. Throws the system's error. */
export function flushFolder(folder: string): void {
  const descriptor = openFolder(folder);
  if (descriptor === undefined) return;
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!isOneOf(error, FLUSHING_REFUSED)) throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Creates a folder with its parents where they are missing; the new names survive a power cut. */
export function makeFolder(folder: string): void {
  for (const made of makeMissing(resolve(folder))) flushFolder(dirname(made));
}

/** The folders that were made, deepest first. */
function makeMissing(path: string): string[] {
  if (isFolder(path)) return [];
  // not by `recursive`, which never returns where the system calls a name in a folder that is there missing: /proc/x
  const above = existsSync(dirname(path)) || dirname(path) === path ? [] : makeMissing(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // somebody else may have made it meanwhile
    if (!isFolder(path)) throw error;
  }
  return [path, ...above];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The flush of a folder that runs, and the one that follows it. */
interface FolderFlush {
  readonly running: Promise<void>;
  next: Promise<void> | undefined;
}
const flushes = new Map<string, FolderFlush>();

/**
 * Flushes a folder, as `flushFolder` does, without blocking the thread. Callers at the same time share a flush: a
 * running one may have begun before the caller's name was there, so all who come meanwhile wait for the next one.
 */
export function flushNames(folder: string): Promise<void> {
  const known = flushes.get(folder);
  if (known === undefined) return beginFlush(folder);
  known.next ??= known.running.then(
    () => beginFlush(folder),
    () => beginFlush(folder),
  );
  return known.next;
}

function beginFlush(folder: string): Promise<void> {
  const flush: FolderFlush = { running: flushLater(folder), next: undefined };
  flushes.set(folder, flush);
  const end = (): void => {
    if (flush.next === undefined) flushes.delete(folder);
  };
  flush.running.then(end, end);
  return flush.running;
}

async function flushLater(folder: string): Promise<void> {
  const descriptor = openFolder(folder);
  if (descriptor === undefined) return;
  try {
    await flushed(descriptor);
  } catch (error) {
    if (!isOneOf(error, FLUSHING_REFUSED)) throw error;
  } finally {
    closeSync(descriptor);
  }
}

function openFolder(folder: string): number | undefined {
  try {
    return openSync(folder, 'r');
  } catch (error) {
    if (isOneOf(error, OPENING_REFUSED)) return undefined;
    throw error;
  }
}

function isOneOf(error: unknown, codes: ReadonlySet<string>): boolean {
  return codes.has((error as NodeJS.ErrnoException).code ?? '');
}
