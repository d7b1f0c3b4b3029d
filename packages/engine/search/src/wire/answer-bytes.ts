import { type ApiError, type ErrorCode, MAX_ANSWER_BYTES, sharedError } from '@fossick/base';
import { toJsonText } from '@fossick/documents';

import { losslessAnswer, losslessHit } from './lossless-answer.js';

/** The error code of too large answers of searches. */
const SEARCH_LIMIT = 'invalid_search_limit';

/** The pieces concatenated in a buffer of their own, which can be transferred to another thread. O(bytes) */
export function joinedBytes(pieces: readonly Uint8Array[]): Buffer {
  let byteCount = 0;
  for (const { length } of pieces) byteCount += length;
  const bytes = Buffer.allocUnsafeSlow(byteCount);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

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
    const piece = make(item);
    byteCount += (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length) + 1;
    if (byteCount > maxBytes) throw tooLargeAnswer(code);
    return piece;
  };
}

const [HITS_START, HITS_END, COMMA] = [Buffer.from('{"hits":['), Buffer.from(']'), Buffer.from(',')];

/**
 * An answer that begins with its hits as JSON in UTF-8, in a buffer of its own: never as one string, which would exceed V8's maximum.
 * O(bytes) @throws ApiError `code` for more than MAX_ANSWER_BYTES
 */
export function answerJson(
  { hits, ...rest }: { readonly hits: readonly object[]; readonly [member: string]: unknown },
  code: ErrorCode = SEARCH_LIMIT,
  maxBytes = MAX_ANSWER_BYTES,
): Buffer {
  const lossless = (hit: object): Buffer => Buffer.from(toJsonText(losslessHit(hit as Record<string, unknown>)));
  const shown = hits.map(bounded(lossless, code, maxBytes));
  const tail = toJsonText(losslessAnswer(rest)).slice(1);
  const pieces = shown.flatMap((piece, i) => (i === 0 ? [piece] : [COMMA, piece]));
  return joinedBytes([HITS_START, ...pieces, HITS_END, Buffer.from(tail === '}' ? tail : `,${tail}`)]);
}
