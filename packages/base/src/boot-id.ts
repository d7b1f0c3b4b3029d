import { readFileSync } from 'node:fs';

/** The kernel's name for the time since the machine was started. */
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
/** Characters of every boot's name. */
export const BOOT_ID_LENGTH = 36;

/**
 * What the time since the machine was started is called: a note with another name was left before a power cut or restart, which nothing
 * that ran is to blame for. Blanks where the system has no such name: all notes are of one time then.
 */
export function bootId(): string {
  try {
    return readFileSync(BOOT_ID_FILE, 'latin1').slice(0, BOOT_ID_LENGTH).padEnd(BOOT_ID_LENGTH);
  } catch {
    return ''.padEnd(BOOT_ID_LENGTH);
  }
}
