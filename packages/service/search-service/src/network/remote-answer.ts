import { isUtf8 } from 'node:buffer';
import { ApiError, apiError, errorToJson, MAX_JSON_DEPTH } from '@fossick/base';
import { JsonMeter, parseWithIntegers } from '@fossick/documents';
import { AnswerTooLongError, type OutboundAnswer, readBeginning, readBytes } from '@fossick/outbound';
import type { AnswerReservation } from './answer-memory.js';

/** Deepest nesting of an answer: documents of the largest depth, and the objects around them. */
const MAX_ANSWER_DEPTH = 2 * MAX_JSON_DEPTH;
/**
 * Lists and objects that an answer may contain. Each takes some 50 bytes of memory and at least two of JSON, so that an
 * answer of the largest size could otherwise take a gigabyte and a half; the lists and objects of real documents take
 * 32 bytes of JSON and more on average.
 */
const MAX_ANSWER_CONTAINERS = 2 ** 21;
/**
 * Names in one of its objects: fields of a document, values of a facet. Parsing and copying two million took half a
 * minute.
 */
const MAX_ANSWER_NAMES = 2 ** 18;
/**
 * An answer up to this size is parsed in the HTTP thread, in two milliseconds. Longer ones are parsed by search
 * threads.
 */
const LIGHT_ANSWER_BYTES = 128 * 1024;
/** How much of a refusal is read and quoted, in bytes. */
const QUOTED_BYTES = 1000;

/**
 * The body of an answer; reading stops when the limit is exceeded, or at once when the remote announces more. `reservation`
 * counts its bytes until the request is over, or releases them at once when it is not read to its end.
 * @throws ApiError remote_bad_response when it is too large, too_many_search_requests when there is no memory for it;
 * the stream's error when it fails
 */
export async function readAnswer(
  answer: OutboundAnswer,
  limitBytes: number,
  reservation: AnswerReservation,
): Promise<Buffer> {
  if (Number(answer.header('content-length') ?? 0) > limitBytes) {
    await answer.discard();
    throw tooLarge(limitBytes);
  }
  let heldBytes = 0;
  try {
    return await readBytes(answer.body, limitBytes, (bytes) => {
      reservation.grow(bytes - heldBytes);
      heldBytes = bytes;
    });
  } catch (error) {
    reservation.grow(-heldBytes);
    throw error instanceof AnswerTooLongError ? tooLarge(limitBytes) : error;
  }
}

/** The beginning of a body, for quoting; the rest is not awaited. */
export function quotedAnswer({ body }: OutboundAnswer): Promise<string> {
  return readBeginning(body, QUOTED_BYTES);
}

/** Whether parsing these answers may block a thread for longer than other requests should wait. */
export function areLargeAnswers(answers: readonly { readonly length: number }[]): boolean {
  return answers.reduce((sum, { length }) => sum + length, 0) > LIGHT_ANSWER_BYTES;
}

/**
 * Integers beyond 2^53 are bigint. O(bytes) @throws SyntaxError for anything but JSON in UTF-8, ApiError remote_bad_response for deep nesting or too
 * many parts
 */
export function parseAnswer(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new SyntaxError('no UTF-8');
  checkStructure(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  return parseWithIntegers(text, BigInt);
}

/** The answer as `read` converts it. @throws ApiError remote_bad_response, also for invalid JSON */
export function readParsed<T>(bytes: Uint8Array, read: (answer: unknown) => T): T {
  try {
    return read(parseAnswer(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) throw noJson(bytes);
    throw error;
  }
}

function checkStructure(bytes: Uint8Array): void {
  const limits = { depth: MAX_ANSWER_DEPTH, containers: MAX_ANSWER_CONTAINERS, members: MAX_ANSWER_NAMES };
  const exceeded = new JsonMeter(limits).exceeds(bytes);
  if (exceeded === 'depth') throw badResponse(`The answer is nested more than ${MAX_ANSWER_DEPTH} levels deep.`);
  if (exceeded === 'containers')
    throw badResponse(`The answer holds more than ${MAX_ANSWER_CONTAINERS} lists and objects.`);
  if (exceeded === 'members') throw badResponse(`An object of the answer has more than ${MAX_ANSWER_NAMES} members.`);
}

/** The error of an answer that is no JSON, quoting its beginning. */
export const noJson = (bytes: Uint8Array): ApiError => badResponse(`The answer is no JSON: ${quoted(bytes)}`);
const quoted = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, QUOTED_BYTES)).toString('utf8');

/** The error of an answer that does not have the form of a search answer. */
export function badResponse(message: string): ApiError {
  return apiError('remote_bad_response', 'otherVersion', message);
}

function tooLarge(limitBytes: number): ApiError {
  return apiError('remote_bad_response', 'tooLarge', limitBytes);
}

/** A failed remote. @throws an error that is not of the remote */
export function failureOf(name: string, error: unknown): { readonly name: string; readonly error: object } {
  if (error instanceof ApiError) return { name, error: errorToJson(error.code, error.message) };
  throw error;
}
