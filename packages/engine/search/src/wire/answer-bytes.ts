import {
  type ApiError,
  checkTimeBudget,
  type ErrorCode,
  MAX_ANSWER_BYTES,
  ownBytes,
  sharedError,
  utf8Bytes,
  utf8Length,
  writeUtf8,
} from '@fossick/base';
import { takeAnswerRoom } from '@fossick/base/answer-room';
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
    const pieceBytes = (typeof piece === 'string' ? utf8Length(piece) : piece.length) + 1;
    byteCount += pieceBytes;
    if (byteCount > maxBytes) throw tooLargeAnswer(code);
    takeAnswerRoom(pieceBytes);
    return piece;
  };
}

const COMMA = 0x2c;
/** Space that a buffer gets for what is only expected, in bytes. What is not written takes no memory. */
const EXPECTED_BYTES_MAX = 64 * 2 ** 20;
const SLACK = 9 / 8;

/**
 * Writes one answer, hit by hit, into a buffer of its own: a large answer is never there twice, as pieces and joined. The buffer gets
 * the size that the hits so far let expect, so few are copied. @throws ApiError `code` from a hit that makes the answer too large, and what `takeAnswerRoom` throws
 */
export class AnswerWriter {
  private readonly hitCount: number;
  private readonly code: ErrorCode;
  private readonly maxBytes: number;
  private readonly start: number;
  private bytes: Uint8Array;
  private length: number;
  private written = 0;

  /** @param hitCount the number of hits that are expected @param name of the member that has them */
  constructor(hitCount: number, code: ErrorCode = SEARCH_LIMIT, maxBytes = MAX_ANSWER_BYTES, name = 'hits') {
    this.hitCount = hitCount;
    this.code = code;
    this.maxBytes = maxBytes;
    this.bytes = utf8Bytes(`{"${name}":[`);
    this.start = this.length = this.bytes.length;
  }

  /** The bytes of the hits so far, with their commas: a view, until the next hit. */
  get hits(): Uint8Array {
    return this.bytes.subarray(this.start, this.length);
  }

  /** Adds a hit, or several with their commas. O(bytes) */
  add(hit: string | Uint8Array): void {
    const byteCount = typeof hit === 'string' ? utf8Length(hit) : hit.length;
    if (this.length - this.start + byteCount + 1 > this.maxBytes) throw tooLargeAnswer(this.code);
    takeAnswerRoom(byteCount + 1);
    this.written += 1;
    const isFirst = this.written === 1;
    this.reserve(byteCount + 1, Math.max(0, this.hitCount - this.written));
    if (!isFirst) this.bytes[this.length++] = COMMA;
    this.write(hit, byteCount);
  }

  /** Ends the hits; `rest` follows, from their end on. The answer is all of them. O(bytes of the rest) */
  end(rest: string): Uint8Array {
    const byteCount = utf8Length(rest);
    takeAnswerRoom(byteCount);
    this.reserve(byteCount, 0);
    this.write(rest, byteCount);
    return this.bytes.subarray(0, this.length);
  }

  private write(piece: string | Uint8Array, byteCount: number): void {
    if (typeof piece === 'string') writeUtf8(this.bytes, piece, this.length);
    else this.bytes.set(piece, this.length);
    this.length += byteCount;
  }

  /** Makes room for some bytes, and for as many hits of the size of those before. */
  private reserve(byteCount: number, more: number): void {
    const needed = this.length + byteCount;
    if (needed <= this.bytes.length) return;
    const expected = more === 0 ? 0 : (needed / this.written) * more * SLACK;
    const grown = ownBytes(needed + Math.ceil(Math.min(expected, Math.max(needed, EXPECTED_BYTES_MAX))));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

/**
 * An answer that begins with its hits as JSON in UTF-8, in a buffer of its own: never as one string, which would exceed V8's maximum.
 * O(bytes) @throws ApiError `code` for more than MAX_ANSWER_BYTES
 */
export function answerJson(
  { hits, ...rest }: { readonly hits: readonly object[]; readonly [member: string]: unknown },
  code: ErrorCode = SEARCH_LIMIT,
  maxBytes = MAX_ANSWER_BYTES,
): Uint8Array {
  const writer = new AnswerWriter(hits.length, code, maxBytes);
  for (const hit of hits) writer.add(toJsonText(losslessHit(hit as Record<string, unknown>)));
  const tail = toJsonText(losslessAnswer(rest)).slice(1);
  return writer.end(tail === '}' ? `]${tail}` : `],${tail}`);
}
