import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Beside the file of a store that a start found damaged: says why. Whoever opens it in another thread has not walked its pages. */
const MARK_FILE = 'DAMAGED';

/** Leaves the mark, or takes it away where `damage` is undefined. On a disk that takes no mark the damage is told all the same. */
export function markDamage(folder: string, damage: string | undefined): void {
  const file = join(folder, MARK_FILE);
  try {
    if (damage === undefined) rmSync(file, { force: true });
    else writeFileSync(file, `${damage}\n`);
  } catch {
    // full, or read only
  }
}

/** Why the store is not to be opened. One look for a file. */
export function readMark(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, MARK_FILE), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
