import { requiredBuiltIn } from './built-in.js';

/** The system's id of the current boot. */
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
/** Characters of every boot id. */
export const BOOT_ID_LENGTH = 36;

/**
 * The id of the current boot: a note with another id was left before a power cut or restart, which no program is to
 * blame for. Blanks where the system has no boot id: then all notes seem to be of the same boot.
 */
export function bootId(): string {
  try {
    return requiredBuiltIn('node:fs')
      .readFileSync(BOOT_ID_FILE, 'latin1')
      .slice(0, BOOT_ID_LENGTH)
      .padEnd(BOOT_ID_LENGTH);
  } catch {
    return ''.padEnd(BOOT_ID_LENGTH);
  }
}
