/**
 * Imports are made beside the database and become it at one instant. All of it happens inside of the database's folder, which may be the
 * root of a volume that cannot be renamed itself:
 *
 *   importing/database   what is being made        importing/scratch   what it is made from
 *   imported             whole: its entries move up, one after another, at the next start if need be
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { faultPoint } from '@fossick/base';
import { syncFolder } from './database-folders.js';

const UNFINISHED = 'importing';
const WHOLE = 'imported';

/** Drops what a killed import has left in a database folder, or brings it to its end if it was whole. Before anything is opened. */
export function settleImport(dbPath: string): void {
  rmSync(join(dbPath, UNFINISHED), { recursive: true, force: true });
  if (existsSync(join(dbPath, WHOLE))) moveUp(dbPath);
}

/**
 * Has a database made by `fill`, which gets its folder, to be created, and one for its own use; it closes and flushes what it writes. When it throws
 * nothing is left, and the database is as it was.
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
    syncFolder(stage, true);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
  faultPoint('rename');
  renameSync(stage, join(dbPath, WHOLE));
  faultPoint('renamed');
  syncFolder(dbPath);
  rmSync(unfinished, { recursive: true, force: true });
  moveUp(dbPath);
}

function moveUp(dbPath: string): void {
  const whole = join(dbPath, WHOLE);
  for (const name of readdirSync(whole)) {
    faultPoint('rename');
    renameSync(join(whole, name), join(dbPath, name));
    faultPoint('renamed');
  }
  syncFolder(dbPath);
  rmdirSync(whole);
}
