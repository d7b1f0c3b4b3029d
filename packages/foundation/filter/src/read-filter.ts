import { ApiError, type ErrorCode, foreignText } from '@fossick/base';
import { parseFilter } from './parse.js';
import { type Filter, FilterError } from './tree.js';

/** `parseFilter` for a filter given by a user: its errors become an ApiError with this code. */
export function readFilter(filter: unknown, code: ErrorCode): Filter | null {
  // readers of static indexes load the parser with the first filter
  return filter === null || filter === undefined ? null : asApiError(code, () => parseFilter(filter));
}

/** Runs work that may throw a FilterError; throws an ApiError with this code instead. */
export function asApiError<T>(code: ErrorCode, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FilterError) throw new ApiError(code, foreignText(error.message));
    throw error;
  }
}
