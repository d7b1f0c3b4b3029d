import { statfsSync } from 'node:fs';
import { apiError } from '@fossick/base';

/** LMDB's own codes for a file whose pages are not what they have to be, or that failed while its head was written. */
const FILE_CODES = new Set([-30797, -30796, -30795, -30794, -30793, -30779]);
/**
 * What LMDB says when its list of free pages is wrong, and in other cases as well: MDB_BAD_TXN of a transaction in which a page was not where it
 * had to be, EINVAL and EFBIG of pages that are written far behind the end of the file. Measured with single wrong bytes in that list:
 * free-list.test.ts.
 */
const SUSPECT_CODES = new Set([-30782, 22, 27]);
const EIO = 5;
/** Errors of the system that lmdb-js tells by number: https://www.gnu.org/software/libc/manual/html_node/Error-Codes.html, Linux and macOS alike. */
const SYSTEM_CODES: Readonly<Record<number, string>> = {
  [EIO]: 'EIO',
  12: 'ENOMEM',
  23: 'ENFILE',
  24: 'EMFILE',
  28: 'ENOSPC',
};

/** LMDB says EIO when a write was cut short, which a disk does that is full in its middle; it has hardly any room then. */
const FULL_BYTES_MAX = 1 << 20;

/**
 * What an error of lmdb-js is to the rest of the house: ApiError invalid_store_file for a file that cannot be read, an error with the
 * system's name as `code` for one of the system, the error itself otherwise. `findDamage` looks at the file, and is asked only where the
 * error alone does not tell whether the file or its user is to blame.
 */
export function storeError(error: unknown, folder: string, findDamage: () => string | undefined): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return error;
  if (FILE_CODES.has(error.code)) return apiError('invalid_store_file', 'unreadable', folder, error.message);
  if (SUSPECT_CODES.has(error.code)) {
    const damage = findDamage();
    return damage === undefined ? error : apiError('invalid_store_file', 'store', folder, damage, error.message);
  }
  const name = error.code === EIO && isFull(folder) ? 'ENOSPC' : SYSTEM_CODES[error.code];
  return name === undefined
    ? error
    : Object.assign(new Error(`${name}: ${error.message}, ${folder}`, { cause: error }), { code: name });
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < FULL_BYTES_MAX;
  } catch {
    return false;
  }
}
