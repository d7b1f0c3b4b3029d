import {
  type ApiError,
  checkTimeBudget,
  type ErrorCode,
  joinedBytes,
  MAX_ANSWER_BYTES,
  sharedError,
  utf8Bytes,
  utf8Length,
} from '@fossick/base';
import { toJsonText } from '@fossick/documents';

import { losslessAnswer, losslessHit } from './lossless-answer.js';

/** The error code of too large answers of searches. */
const SEARCH_LIMIT = 'invalid_search_limit';

/** The error of an answer that is too large. `code` belongs to the parameter that limits the answer. */
export function tooLargeAnswer(code: ErrorCode): ApiError {
  return sharedError(code, 'answerTooLarge', MAX_ANSWER_BYTES / 2 ** 20);
}

/** A maker of pieces of one answer that limits their total size. @throws ApiError `code` */
export function bounded<T, P extends string | Uint8Array>(
  make: (item: T) => P,
  code: ErrorCode = SEARCH_LIMIT,
  maxBytes = MAX_ANSWER_BYTES,
): (item: T) => P {
  let byteCount = 0;
  return (item) => {
    checkTimeBudget();
    const piece = make(item);
    byteCount += (typeof piece === 'string' ? utf8Length(piece) : piece.length) + 1;
    if (byteCount > maxBytes) throw tooLargeAnswer(code);
    return piece;
  };
}

const [HITS_START, HITS_END, COMMA] = [utf8Bytes('{"hits":['), utf8Bytes(']'), utf8Bytes(',')];

/**
 * An answer that begins with its hits as JSON in UTF-8, in a buffer of its own: never as one string, which would exceed V8's maximum.
 * O(bytes) @throws ApiError `code` for more than MAX_ANSWER_BYTES
 */
export function answerJson(
  { hits, ...rest }: { readonly hits: readonly object[]; readonly [member: string]: unknown },
  code: ErrorCode = SEARCH_LIMIT,
  maxBytes = MAX_ANSWER_BYTES,
): Uint8Array {
  const lossless = (hit: object): Uint8Array => utf8Bytes(toJsonText(losslessHit(hit as Record<string, unknown>)));
  const shown = hits.map(bounded(lossless, code, maxBytes));
  const tail = toJsonText(losslessAnswer(rest)).slice(1);
  const pieces = shown.flatMap((piece, i) => (i === 0 ? [piece] : [COMMA, piece]));
  return joinedBytes([HITS_START, ...pieces, HITS_END, utf8Bytes(tail === '}' ? tail : `,${tail}`)]);
}
