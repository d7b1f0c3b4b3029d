import type { ErrorCode } from './error-table.js';

/**
 * An error that is the user's: it has a code of the error table, and a message in our own words that tells what was wrong, where, and what is
 * allowed. Anything else that is thrown is a fault of ours or of the world.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
    this.name = 'ApiError';
  }
}
