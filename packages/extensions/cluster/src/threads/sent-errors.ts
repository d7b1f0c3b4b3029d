import { ApiError, foreignText, isErrorCode } from '@fossick/base';
import { LaunchError } from '@fossick/instance';
import { FencedError, OutcomeUnknownError, ReplicaEndedError } from '@fossick/replication';

/** An error as a message between threads carries it. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
}

export function describe(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), code: undefined };
  const code = 'code' in error ? String(error.code) : undefined;
  return { name: nameOf(error), message: error.message, code };
}

/** The error that a message carries; one of users is an ApiError again. */
export function revived({ name, message, code }: SentError): Error {
  if (code !== undefined && name === 'ApiError' && isErrorCode(code)) return new ApiError(code, foreignText(message));
  // an operator reads it, in one line
  if (name === 'LaunchError') return new LaunchError(message);
  const error = new Error(message);
  error.name = name;
  return code === undefined ? error : Object.assign(error, { code });
}

/** Errors of replication have no names of their own. */
function nameOf(error: Error): string {
  if (error instanceof FencedError) return 'FencedError';
  if (error instanceof OutcomeUnknownError) return 'OutcomeUnknownError';
  return error instanceof ReplicaEndedError ? 'ReplicaEndedError' : error.name;
}
