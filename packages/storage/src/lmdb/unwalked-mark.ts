import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Beside the file of a store that a start had no time to walk to its end, and LMDB may meet a wrong page in: how many processes in a row
 * ended unexpectedly while they had it open, as digits.
 */
const MARK_FILE = 'UNWALKED';
/** Empty; somebody has opened the store since. A file of its own, so that threads need not wait for one another to leave it. */
const OPENED_FILE = 'UNWALKED.opened';

/** What is known of the deaths of processes that had an unwalked store open. */
export interface UnwalkedMark {
  readonly deaths: number;
  readonly wasOpened: boolean;
}

/** Two looks for a file. Undefined when the store was walked to its end. */
export function readUnwalked(folder: string): UnwalkedMark | undefined {
  const file = join(folder, MARK_FILE);
  if (!existsSync(file)) return undefined;
  const deaths = Number(readFileSync(file, 'utf8'));
  return { deaths: Number.isInteger(deaths) ? deaths : 0, wasOpened: existsSync(join(folder, OPENED_FILE)) };
}

/** Leaves the mark, as of a store that nobody has opened since; takes it away where `deaths` is undefined. A disk that takes no mark has none. */
export function markUnwalked(folder: string, deaths: number | undefined): void {
  try {
    if (deaths === undefined) rmSync(join(folder, MARK_FILE), { force: true });
    else writeFileSync(join(folder, MARK_FILE), String(deaths));
    rmSync(join(folder, OPENED_FILE), { force: true });
  } catch {
    // full, or read only
  }
}

/** Notes that the store is about to be opened, where that may be the end of the process. One look for a file otherwise. */
export function noteOpening(folder: string): void {
  if (!existsSync(join(folder, MARK_FILE))) return;
  try {
    closeSync(openSync(join(folder, OPENED_FILE), 'a'));
  } catch {
    // full, read only, or no descriptor left
  }
}
