import { ApiError, sharedError } from '@fossick/base';

/** Runs `work` for one query of several; the message of its error names the query. */
export function inQuery<T>(position: number, work: () => T): T {
  return withPath(`.queries[${position}]`, work);
}

/** The same for any place of a request; `note` tells more about it. */
export function withPath<T>(path: string, work: () => T, note = ''): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) throw sharedError(error.code, 'inQuery', path, note, error.message);
    throw error;
  }
}
