import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file next to the store's file, left by a start that had no time to check it to its end, so that LMDB may meet a
 * wrong page in it: the number of consecutive processes that ended unexpectedly while they had it open, as digits.
 */
const MARK_FILE = 'UNWALKED';
/**
 * An empty file: the store was opened since. It is separate so that threads can create it without waiting for one
 * another.
 */
const OPENED_FILE = 'UNWALKED.opened';

/** What is known of processes that ended while they had an unchecked store open. */
export interface UnwalkedMark {
  readonly deaths: number;
  readonly wasOpened: boolean;
}

/** Two looks for a file. Undefined when the store was checked to its end. */
export function readUnwalked(folder: string): UnwalkedMark | undefined {
  const file = join(folder, MARK_FILE);
  if (!existsSync(file)) return undefined;
  const deaths = Number(readFileSync(file, 'utf8'));
  return { deaths: Number.isInteger(deaths) ? deaths : 0, wasOpened: existsSync(join(folder, OPENED_FILE)) };
}

/**
 * Writes the mark of a store that nobody has opened since; removes it where `deaths` is undefined. Does nothing where
 * the disk cannot take a mark.
 */
export function markUnwalked(folder: string, deaths: number | undefined): void {
  try {
    if (deaths === undefined) rmSync(join(folder, MARK_FILE), { force: true });
    else writeFileSync(join(folder, MARK_FILE), String(deaths));
    rmSync(join(folder, OPENED_FILE), { force: true });
  } catch {
    // disk full or read-only
  }
}

/** Notes that the store is about to be opened, which may end the process. Otherwise one look for a file. */
export function noteOpening(folder: string): void {
  if (!existsSync(join(folder, MARK_FILE))) return;
  try {
    closeSync(openSync(join(folder, OPENED_FILE), 'a'));
  } catch {
    // disk full, read-only, or no descriptor left
  }
}
