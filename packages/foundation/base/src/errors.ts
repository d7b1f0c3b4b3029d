import { type ErrorCode, type ErrorSpec, type ErrorType, errorTable } from './error-table.js';
import { ERROR_MESSAGES } from './messages/error-messages.js';
import type { Message, MessageRow } from './messages/message-row.js';
import { SHARED_MESSAGES } from './messages/shared.js';
import { own } from './own-members.js';

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

type Rows = typeof ERROR_MESSAGES;
/** The parts of a text: for a code with several texts, the name of the text comes first. */
type Given<Row> = Row extends { readonly message: (...given: infer Parts) => string }
  ? Parts
  : Row extends { readonly messages: infer Named }
    ? {
        [Name in keyof Named]: Named[Name] extends (...given: infer Parts) => string
          ? [name: Name, ...parts: Parts]
          : never;
      }[keyof Named]
    : never;

/** The error of a code of the table, with its text: `apiError('document_not_found', id)`, `apiError('malformed_payload', 'csv', reason)`. */
export function apiError<Code extends keyof Rows>(code: Code, ...given: Given<Rows[Code]>): ApiError {
  const row: MessageRow = ERROR_MESSAGES[code];
  const parts: readonly unknown[] = given;
  if ('message' in row) return made(code, row.message(...(parts as never[])));
  const [name, ...others] = parts;
  return made(code, own(row.messages, String(name))!(...(others as never[])));
}

/** The same for a text that several codes share: of an invalid value, a missing member. */
export function sharedError<Name extends keyof typeof SHARED_MESSAGES>(
  code: ErrorCode,
  name: Name,
  ...given: Parameters<(typeof SHARED_MESSAGES)[Name]>
): ApiError {
  return new ApiError(code, sharedText(name, ...given));
}

/** A shared text without an error, for callers that have the code. */
export function sharedText<Name extends keyof typeof SHARED_MESSAGES>(
  name: Name,
  ...given: Parameters<(typeof SHARED_MESSAGES)[Name]>
): ErrorText {
  const message: Message = SHARED_MESSAGES[name];
  return message(...(given as readonly unknown[] as never[])) as ErrorText;
}

/** An error with a text of the table. */
const made = (code: ErrorCode, text: string): ApiError => new ApiError(code, text as ErrorText);

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
export const ERROR_PAGES_URL = 'https://github.com/fossick/fossick/blob/main/docs/errors.md';

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
