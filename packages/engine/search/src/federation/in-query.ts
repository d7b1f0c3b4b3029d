import { ApiError, sharedError } from '@fossick/base';

/** Runs `work` for one query of several; an error's message names the query. */
export function inQuery<T>(position: number, work: () => T): T {
  return withPath(`.queries[${position}]`, work);
}

/** The same for any path in a request; `note` is added to the message. */
export function withPath<T>(path: string, work: () => T, note = ''): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) throw sharedError(error.code, 'inQuery', path, note, error.message);
    throw error;
  }
}
