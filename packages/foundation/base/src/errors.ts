import { type ErrorCode, type ErrorSpec, type ErrorType, errorTable } from './error-table.js';

/** The text of an error: one of the table, or what others say. */
export type ErrorText = string & { readonly __brand: 'ErrorText' };
/** Passes on a text of another source: a parser without codes, a provider, another process, another error. */
export const foreignText = (text: string): ErrorText => text as ErrorText;

/**
 * An error caused by the user: it has a code of the error table, and a message in our own words that says what was
 * wrong, where, and what is allowed. All other errors are bugs or errors of the system.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  declare readonly message: ErrorText;

  constructor(code: ErrorCode, message: ErrorText) {
    super(message);
    this.code = code;
    this.name = 'ApiError';
  }
}

/**
 * A thread that works for this one ended without a message. That is no fault of the work as such: it may be done again.
 */
export class ThreadLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ThreadLost';
  }
}

/** The work on a batch of tasks was given up because it is not wanted any more; nothing of it was committed. */
export class BatchCanceled extends Error {
  constructor(message = 'the batch was canceled') {
    super(message);
    this.name = 'BatchCanceled';
  }
}

/**
 * An absolute path of two parts or more, up to its last part: POSIX, Windows, or a `file:` URL. What follows a letter,
 * a digit or a slash is part of something else, such as the address of another server.
 */
const FOLDER = /(?:file:\/\/|(?<![\w/:.-]))(?:\/[^\s'"`,:;()<>/]+)+\/|\b[A-Za-z]:\\(?:[^\s'"`\\]+\\)*/g;

/**
 * The message of an error of the system or a library, with names of files instead of their paths: answers do not tell
 * where the server keeps its files. O(length)
 */
export function messageWithoutPaths(error: unknown): string {
  if (!(error instanceof Error)) return String(error).replace(FOLDER, '');
  let { message } = error;
  const { path, dest } = error as NodeJS.ErrnoException & { readonly dest?: unknown };
  // they may contain spaces and quotes, which end a path in a text
  for (const known of [path, dest])
    if (typeof known === 'string' && known.length > 1) message = message.replaceAll(known, lastPart(known));
  return message.replace(FOLDER, '');
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? '';
}

/** The default address of the error pages. */
export const ERROR_PAGES_URL = 'https://github.com/fossick/fossick/blob/main/docs/reference/errors.md';

export interface ErrorDescription extends Omit<ErrorSpec, 'messages'> {
  readonly link: string;
}

/**
 * Type, HTTP status and documentation link of a code. A code that is not in the table is a bug and is described as
 * `internal`.
 */
export function describeError(code: string, baseUrl = ERROR_PAGES_URL): ErrorDescription {
  const { type, status } = (errorTable as ReadonlyMap<string, ErrorSpec>).get(code) ?? {
    type: 'internal' as const,
    status: 500,
  };
  return { type, status, link: `${baseUrl}#${code}` };
}

/** An error in the API's form, also in `task.error`; keys in the order of the spec. */
export interface ErrorJson {
  readonly message: string;
  readonly code: string;
  readonly type: ErrorType;
  readonly link: string;
}
/** An error in the API's form. */
export function errorToJson(code: string, message: string, baseUrl?: string): ErrorJson {
  const { type, link } = describeError(code, baseUrl);
  return { message, code, type, link };
}

/** Ends an exhaustive switch: a value here is a bug, never a user's input. */
export function unreachable(value: never): never {
  throw new Error(`unreachable value: ${JSON.stringify(value)}`);
}
