import { accessSync, constants, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError } from '../configuration/launch-error.js';
import { foldersOf } from './database-folders.js';
import { INSTANCE_STORES } from './database-id.js';
import { VERSION_FILE } from './database-version.js';
import { NODE_FOLDER, NODE_REMEDY } from './node-names.js';

const FROM_COPY = 'put it back from a copy of the folder';
const OWNER = 'give the folder of the database, and all in it, to the user of the server';
const NEW_LOCK = 'remove it, then the next start makes a new one';
const ELSEWHERE = 'name another folder with --db-path';

/**
 * Looks at what a database has in its folder before anything of it is opened: opening a pipe waits forever, and the system's errors do not
 * say what to do. What is missing is looked at later. Changes nothing. O(indexes). Throws LaunchError with the path.
 * `extensions`: the names of those that are served, which may have a folder each.
 */
export function expectUsableFolder(dbPath: string, extensions: readonly string[] = []): void {
  const { payloadFolder } = foldersOf(dbPath);
  const indexFolder = join(dbPath, 'indexes');
  if (!expectFolder(dbPath, ELSEWHERE)) return;
  const lock = join(dbPath, 'LOCK');
  if (expectUnlinked(lock, NEW_LOCK, constants.R_OK | constants.W_OK)?.isDirectory())
    throw new LaunchError(`${lock} is a folder, not a file: ${NEW_LOCK}`);
  for (const name of [VERSION_FILE, 'ID']) expectUnlinked(join(dbPath, name), FROM_COPY, constants.F_OK);
  for (const name of INSTANCE_STORES) expectStore(join(dbPath, name));
  expectFolder(payloadFolder, 'put the folder back, or remove what is there if no task waits for its documents');
  // also without the extension: a node whose folder is on a disk that is not mounted must not start alone
  if (expectFolder(join(dbPath, NODE_FOLDER), NODE_REMEDY)) expectStore(join(dbPath, NODE_FOLDER));
  for (const name of extensions.filter((name) => name !== NODE_FOLDER)) expectAdded(join(dbPath, name), name);
  if (!expectFolder(indexFolder, FROM_COPY)) return;
  for (const name of readdirSync(indexFolder)) expectStore(join(indexFolder, name));
}

/** A file in the place of its folder, and links that lead nowhere, are told where stores are checked: the fault of an index stops no other one. */
function expectStore(folder: string): void {
  if (!statOf(folder, FROM_COPY)?.isDirectory()) return;
  expectAccess(folder, constants.R_OK | constants.X_OK);
  expectFile(join(folder, 'data.mdb'), FROM_COPY, constants.R_OK | constants.W_OK);
}

/** The folder of an extension, and the files in it. */
function expectAdded(folder: string, name: string): void {
  const advice = `put it back, or remove what is there, and the extension ${name} begins anew`;
  if (!expectFolder(folder, advice)) return;
  expectAccess(folder, constants.W_OK);
  for (const file of readdirSync(folder)) expectUnlinked(join(folder, file), advice, constants.R_OK | constants.W_OK);
}

/**
 * Whether a folder is there that a start reads. Changes nothing. Throws LaunchError for what is no folder, leads nowhere or may not be
 * read, with the advice.
 */
export function expectFolder(path: string, advice: string): boolean {
  const found = statOf(path, advice);
  if (found === undefined) {
    expectNoLink(path, advice);
    return false;
  }
  if (!found.isDirectory()) throw new LaunchError(`${path} cannot be used, it is not a folder: ${advice}`);
  expectAccess(path, constants.R_OK | constants.X_OK);
  return true;
}

/** What is there; a folder in the place of the file is told where the file is read. */
function expectFile(path: string, advice: string, mode: number): Stats | undefined {
  const found = statOf(path, advice);
  if (found === undefined || found.isDirectory()) return found;
  if (!found.isFile()) throw new LaunchError(`${path} is a pipe or a device, not a file: ${advice}`);
  expectAccess(path, mode);
  return found;
}

/** The same for a file that a start makes when it is missing: it must not replace a link. */
function expectUnlinked(path: string, advice: string, mode: number): Stats | undefined {
  const found = expectFile(path, advice, mode);
  if (found === undefined) expectNoLink(path, advice);
  return found;
}

/** Refuses a link in a place where nothing is found: what it leads to may be on a disk that is not mounted. */
function expectNoLink(path: string, advice: string): void {
  if (hasName(path))
    throw new LaunchError(`${path} is a link that leads nowhere: bring back what it leads to, or ${advice}`);
}

function expectAccess(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    throw inaccessible(path, error);
  }
}

/** Undefined for what is not there, and for a link to what is not there or to itself. */
function statOf(path: string, advice: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || (code === 'ELOOP' && hasName(path))) return undefined;
    if (code === 'ENOTDIR')
      throw new LaunchError(`${path} cannot be used, a part of the path is not a folder: ${advice}`);
    throw inaccessible(path, error);
  }
}

/** Whether its folder has this name, if only as a link. */
function hasName(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function inaccessible(path: string, error: unknown): LaunchError {
  const { code } = error as NodeJS.ErrnoException;
  return new LaunchError(`${path} may not be read and written (${code}): ${OWNER}`, { cause: error });
}
