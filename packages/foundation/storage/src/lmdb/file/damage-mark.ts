import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file next to the store's file, left by a start that found damage: its text says what is damaged. Other threads that
 * open the store have not checked its pages.
 */
const MARK_FILE = 'DAMAGED';

/**
 * Writes the mark, or removes it where `damage` is undefined. If the disk cannot take the mark, the damage is reported
 * all the same.
 */
export function markDamage(folder: string, damage: string | undefined): void {
  const file = join(folder, MARK_FILE);
  try {
    if (damage === undefined) rmSync(file, { force: true });
    else writeFileSync(file, `${damage}\n`);
  } catch {
    // disk full or read-only
  }
}

/** Why the store must not be opened. One look for a file. */
export function readMark(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, MARK_FILE), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
