import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ServerOptions } from '../config/server-options.js';
import { type ImportTarget, readDump } from '../dumps/read-dump.js';
import { readSnapshot } from '../snapshots/read-snapshot.js';
import { LaunchError } from './launch-error.js';

/**
 * Starts an empty database from the dump or snapshot the options name, before anything is opened (spec 04 sections 4
 * and 5). A failed import leaves no database behind. Throws LaunchError.
 */
export async function importAtLaunch(
  { launchImport, isUpgradeAllowed }: ServerOptions,
  target: ImportTarget,
): Promise<void> {
  if (launchImport === null) return;
  const { kind, ignoreMissing, ignoreIfDbExists } = launchImport;
  const file = resolve(launchImport.file);
  const isEmpty = !existsSync(target.dbPath) || readdirSync(target.dbPath).length === 0;
  if (!isEmpty && !ignoreIfDbExists)
    throw new LaunchError(`there is a database in ${target.dbPath} already; use --ignore-${kind}-if-db-exists`);
  if (!existsSync(file)) {
    if (ignoreMissing) return;
    throw new LaunchError(`the ${kind} ${file} does not exist; use --ignore-missing-${kind} to start without`);
  }
  if (!isEmpty) return;
  try {
    await (kind === 'dump' ? readDump(file, target) : readSnapshot(file, target, isUpgradeAllowed));
  } catch (error) {
    await rm(target.dbPath, { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new LaunchError(`the ${kind} ${file} cannot be imported: ${reason}`, { cause: error });
  }
}
