/** Errors with the texts of the tables. Readers of static indexes load this module with the first error. */
import type { ErrorCode } from './error-table.js';
import { ApiError, type ErrorText } from './errors.js';
import { ERROR_MESSAGES } from './messages/error-messages.js';
import type { Message, MessageRow } from './messages/message-row.js';
import { SHARED_MESSAGES } from './messages/shared.js';
import { own } from './own-members.js';

type Rows = typeof ERROR_MESSAGES;
/** The parts of a text: for a code with several texts, the name of the text comes first. */
type Given<Row> = Row extends (...given: infer Parts) => string
  ? Parts
  : {
      [Name in keyof Row]: Row[Name] extends (...given: infer Parts) => string ? [name: Name, ...parts: Parts] : never;
    }[keyof Row];

/** The error of a code of the table, with its text: `apiError('document_not_found', id)`, `apiError('malformed_payload', 'csv', reason)`. */
export function apiError<Code extends keyof Rows>(code: Code, ...given: Given<Rows[Code]>): ApiError {
  const row: MessageRow = ERROR_MESSAGES[code];
  const parts: readonly unknown[] = given;
  if (typeof row === 'function') return made(code, row(...(parts as never[])));
  const [name, ...others] = parts;
  return made(code, own(row, String(name))!(...(others as never[])));
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
