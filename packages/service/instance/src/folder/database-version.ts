import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_VERSION } from '@fossick/api';
import { replaceFile } from '@fossick/storage';
import { LaunchError } from '../configuration/launch-error.js';

/** Its presence says that the database is complete: it is written after all stores of the instance. */
export const VERSION_FILE = 'VERSION';
/** Databases of older releases than this cannot be upgraded. */
const OLDEST = '1.12.0';

const VERSION_ADVICE = `put the file back from a copy of the folder; a database of this release has ${DATABASE_VERSION} in it`;

/** The text of a file of the folder, without white space around it. Throws LaunchError with the advice when it cannot be read. */
export function readSmallFile(file: string, advice: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new LaunchError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}): ${advice}`);
  }
}

/** The versions of an unfinished upgrade, `vX.Y.Z` as its task shows them. */
export interface Upgrade {
  readonly from: string;
  readonly to: string;
}

/**
 * Compares the database's VERSION with this release, before anything is opened. An older one is upgraded when
 * `isUpgradeAllowed`, and the result is the task to register first; null when there is nothing to do. Changes nothing.
 * Throws LaunchError when the database cannot or must not be opened.
 */
export function checkDatabaseVersion(dbPath: string, isUpgradeAllowed: boolean): Upgrade | null {
  const file = join(dbPath, VERSION_FILE);
  const found = existsSync(file) ? readSmallFile(file, VERSION_ADVICE) : DATABASE_VERSION;
  const order = compareVersions(found, DATABASE_VERSION);
  if (order === undefined) throw refusal(`${file} holds \`${found}\`, which is no version: ${VERSION_ADVICE}`);
  if (order > 0)
    throw refusal(`the database in ${dbPath} is of version ${found}, newer than this server (${DATABASE_VERSION})`);
  if (order < 0 && (compareVersions(found, OLDEST) ?? -1) < 0)
    throw refusal(`the database in ${dbPath} is of version ${found}; upgrades start from ${OLDEST}`);
  if (order < 0 && !isUpgradeAllowed)
    throw refusal(
      `the database in ${dbPath} is of version ${found} and this server of ${DATABASE_VERSION}: ` +
        'start it with --upgrade-db, after a copy of its folder, to take the database over',
    );
  return order < 0 ? { from: `v${found}`, to: `v${DATABASE_VERSION}` } : null;
}

/** Writes this release's version, unless it is there. */
export function noteVersion(dbPath: string): void {
  const file = join(dbPath, VERSION_FILE);
  if (!existsSync(file) || readFileSync(file, 'utf8').trim() !== DATABASE_VERSION) replaceFile(file, DATABASE_VERSION);
}

/** Negative, zero or positive; undefined when one of them is no `X.Y.Z`. */
function compareVersions(left: string, right: string): number | undefined {
  const parts = [left, right].map((text) => /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number));
  const [a, b] = parts;
  if (a === undefined || b === undefined) return undefined;
  return a.map((part, at) => part - b[at]!).find((difference) => difference !== 0) ?? 0;
}

function refusal(message: string): LaunchError {
  return new LaunchError(message);
}
