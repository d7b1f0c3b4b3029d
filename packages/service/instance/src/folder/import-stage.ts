/**
 * Imports are built next to the database and become it in one step. All of it happens inside of the database's folder,
 * which may be the root of a volume that cannot be renamed itself:
 *
 *   importing/database   the new database        importing/scratch   temporary files
 *   imported             complete: its entries are moved up one by one, at the next start if necessary
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { faultPoint } from '@fossick/base';
import { flushFolder } from '@fossick/base/durable-names';
import { flushFolders } from './database-folders.js';
import { forgetId } from './database-id.js';

const UNFINISHED = 'importing';
const WHOLE = 'imported';

/**
 * Removes what a killed import left in a database folder, or completes it if it was complete. Called before anything is
 * opened.
 */
export function settleImport(dbPath: string): void {
  rmSync(join(dbPath, UNFINISHED), { recursive: true, force: true });
  if (existsSync(join(dbPath, WHOLE))) moveUp(dbPath);
}

/**
 * Builds a database by `fill`, which gets the folder to create, and one for temporary files; it closes and flushes what
 * it writes. When it throws, nothing is left and the database is unchanged.
 */
export async function stageImport(
  dbPath: string,
  fill: (stage: string, scratch: string) => Promise<void>,
): Promise<void> {
  const unfinished = join(dbPath, UNFINISHED);
  const stage = join(unfinished, 'database');
  const scratch = join(unfinished, 'scratch');
  try {
    mkdirSync(scratch, { recursive: true });
    await fill(stage, scratch);
    rmSync(scratch, { recursive: true, force: true });
    flushFolders(stage);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
  faultPoint('rename');
  renameSync(stage, join(dbPath, WHOLE));
  faultPoint('renamed');
  flushFolder(dbPath);
  rmSync(unfinished, { recursive: true, force: true });
  moveUp(dbPath);
}

/** What is in its way is a database that was to be replaced. */
function moveUp(dbPath: string): void {
  const whole = join(dbPath, WHOLE);
  forgetId(dbPath);
  for (const name of readdirSync(whole)) {
    rmSync(join(dbPath, name), { recursive: true, force: true });
    faultPoint('rename');
    renameSync(join(whole, name), join(dbPath, name));
    faultPoint('renamed');
  }
  flushFolder(dbPath);
  flushFolder(whole);
  rmdirSync(whole);
}
