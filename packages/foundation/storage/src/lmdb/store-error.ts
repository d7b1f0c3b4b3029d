import { statfsSync } from 'node:fs';
import { apiError } from '@fossick/base';

/** LMDB's own codes for a file with invalid pages. */
const FILE_CODES = new Set([-30797, -30796, -30794, -30793, -30779]);
/**
 * Codes that LMDB returns when its list of free pages is wrong, and in other cases too: MDB_BAD_TXN for a transaction
 * in which a page was not where it should be, EINVAL and EFBIG for pages written far after the end of the file.
 * Measured with single wrong bytes in that list: free-list.system.test.ts.
 */
const SUSPECT_CODES = new Set([-30782, 22, 27]);
const EIO = 5;
/**
 * System errors that lmdb-js reports by number: https://www.gnu.org/software/libc/manual/html_node/Error-Codes.html,
 * the same on Linux and macOS.
 */
const SYSTEM_CODES: Readonly<Record<number, string>> = {
  [EIO]: 'EIO',
  12: 'ENOMEM',
  23: 'ENFILE',
  24: 'EMFILE',
  28: 'ENOSPC',
};

/**
 * LMDB reports EIO when a write was cut short, as by a disk that fills up during the write; then hardly any space is
 * free.
 */
const FULL_BYTES_MAX = 1 << 20;

/**
 * Converts an error of lmdb-js: ApiError invalid_store_file for a file that cannot be read, an error with the system's
 * name as `code` for a system error, otherwise the error itself. `findDamage` checks the file and marks its damage. It is
 * called where the error alone does not show whether the file or the caller is at fault, and for a write that met an
 * invalid page: LMDB only says that there is one. A read does not wait for the check, because the next one would meet
 * the same page and check again.
 */
export function storeError(
  error: unknown,
  folder: string,
  findDamage: () => string | undefined,
  isWriting: boolean,
): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return error;
  const isOfFile = FILE_CODES.has(error.code);
  if (SUSPECT_CODES.has(error.code) || (isOfFile && isWriting)) {
    const damage = findDamage();
    if (damage !== undefined) return apiError('invalid_store_file', 'store', folder, damage, error.message);
    if (!isOfFile) return error;
  }
  if (isOfFile) return apiError('invalid_store_file', 'unreadable', folder, error.message);
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
