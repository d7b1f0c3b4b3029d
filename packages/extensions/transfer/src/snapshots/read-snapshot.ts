import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_VERSION } from '@fossick/api';
import { type DatabaseFolders, VERSION_FILE } from '@fossick/instance';
import { type ArchiveSource, unpackArchive } from '../dumps/archive.js';

/**
 * Restores the state of a snapshot in an empty database. The caller removes the database when it throws: it is no
 * snapshot, or one of another version.
 */
export async function readSnapshot(
  source: ArchiveSource,
  { dbPath }: Pick<DatabaseFolders, 'dbPath'>,
  isUpgradeAllowed: boolean,
): Promise<void> {
  await mkdir(dbPath, { recursive: true });
  await unpackArchive(source, dbPath);
  if (!existsSync(join(dbPath, VERSION_FILE))) throw new Error('it is no snapshot');
  const version = (await readFile(join(dbPath, VERSION_FILE), 'utf8')).trim();
  // one of an older version is judged, and upgraded, like any other database
  if (version !== DATABASE_VERSION && !isUpgradeAllowed)
    throw new Error(`it was written by version ${version}, and this is ${DATABASE_VERSION}`);
}
