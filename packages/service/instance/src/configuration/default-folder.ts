import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the database where none is named. */
export const DEFAULT_FOLDER = './data.fossick';
/** The default of earlier releases, which is also that of the reference engine. */
const FORMER_FOLDER = './data.ms';
/** A file that only a Fossick server creates in its folder. */
const OWN_FILE = 'LOCK';

/**
 * The folder of a server that is started without `--db-path`, relative to the working directory: the former default
 * where only that one has a database of ours, so that an update finds it. Reads names only.
 */
export function defaultFolder(): string {
  const isFormer = !existsSync(DEFAULT_FOLDER) && existsSync(join(FORMER_FOLDER, OWN_FILE));
  return isFormer ? FORMER_FOLDER : DEFAULT_FOLDER;
}

/** Sentences about a folder that was chosen by `defaultFolder`. */
export function folderWarnings(folder: string): string[] {
  if (folder !== FORMER_FOLDER) return [];
  return [
    `the database in ${FORMER_FOLDER} is used, the default folder of earlier releases; ` +
      `stop the server and rename it to ${DEFAULT_FOLDER}, or name it with --db-path`,
  ];
}
