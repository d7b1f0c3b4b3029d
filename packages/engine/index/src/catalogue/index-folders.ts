/**
 * Which folders below `indexes` may be removed without a look at their contents. A folder that the list of indexes does
 * not name is not enough: the list may be an older one, and then the folder has documents that nobody else has.
 */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { flushFolder, makeFolder } from '@fossick/base/durable-names';

/** Ends the name of a folder that is being removed. */
export const REMOVED_SUFFIX = '.removed';
/** Ends the name of a copy that is not complete, and of a new folder that is not marked yet. */
export const UNFINISHED_SUFFIX = '.copying';
/** An empty file in a folder that is being made, or is about to be removed: unless the list names the folder, it is of no use. */
const UNNAMED_FILE = 'UNNAMED';

/**
 * Marks a folder, which is made when it is missing; a new one has its name only once it is marked, so that a process that
 * ends in between leaves nothing that a start keeps. A full disk is no reason not to go on: the folder is then kept. The
 * mark is flushed with the store of a new folder.
 */
export function markUnnamed(folder: string, isNew = true): void {
  if (!isNew || existsSync(folder)) return mark(folder, isNew);
  const unfinished = `${folder}${UNFINISHED_SUFFIX}`;
  rmSync(unfinished, { recursive: true, force: true });
  makeFolder(dirname(folder));
  mkdirSync(unfinished);
  mark(unfinished, true);
  renameSync(unfinished, folder);
  flushFolder(dirname(folder));
}

function mark(folder: string, isNew: boolean): void {
  try {
    closeSync(openSync(join(folder, UNNAMED_FILE), 'a'));
    if (!isNew) flushFolder(folder);
  } catch {
    // disk full, or no descriptor left
  }
}

export function unmark(folder: string): void {
  rmSync(join(folder, UNNAMED_FILE), { force: true });
}

/** Names of folders below `indexes`: those that have or had an index, and those that are of no use unless they are named. */
export function indexFolders(rootFolder: string): {
  readonly kept: readonly string[];
  readonly unnamed: readonly string[];
} {
  const indexes = join(rootFolder, 'indexes');
  const names = existsSync(indexes) ? readdirSync(indexes) : [];
  const isOfNoUse = (name: string): boolean =>
    name.endsWith(REMOVED_SUFFIX) || name.endsWith(UNFINISHED_SUFFIX) || existsSync(join(indexes, name, UNNAMED_FILE));
  const unnamed = new Set(names.filter(isOfNoUse));
  return { kept: names.filter((name) => !unnamed.has(name)), unnamed: [...unnamed] };
}
