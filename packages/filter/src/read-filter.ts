import { ApiError, type ErrorCode } from '@fossick/base';
import { parseFilter } from './parse.js';
import { type Filter, FilterError } from './tree.js';

/** `parseFilter` for a filter that a user gave: what is wrong with it is an ApiError of this code. */
export function readFilter(filter: unknown, code: ErrorCode): Filter | null {
  return ofUser(code, () => parseFilter(filter));
}

/** Does what may throw a FilterError; throws an ApiError of this code instead. */
export function ofUser<T>(code: ErrorCode, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FilterError) throw new ApiError(code, error.message);
    throw error;
  }
}
