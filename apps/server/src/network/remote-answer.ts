import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { ApiError, MAX_JSON_DEPTH } from '@fossick/base';
import { isTooDeep } from '../wire/json-text.js';

/** What another instance sent back, as far as it was read. */
export interface RemoteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}
/** Deepest nesting of an answer: documents as deep as a request may bring them, and what an answer wraps around them. */
const MAX_ANSWER_DEPTH = 2 * MAX_JSON_DEPTH;
/** How much of a refusal is read and quoted, in bytes. */
const QUOTED_BYTES = 1000;

/**
 * The body of an answer; reading ends where the limit is passed, or before it begins when the remote announces more.
 * @throws ApiError remote_bad_response when it is too large; what the stream throws when it breaks off
 */
export async function readAnswer({ headers, body }: RemoteAnswer, limitBytes: number): Promise<Buffer> {
  body.on('error', () => undefined); // who reads hears of it; a stream left early has nobody else
  if (Number(headers['content-length'] ?? 0) > limitBytes) {
    body.destroy();
    throw tooLarge(limitBytes);
  }
  const chunks: Buffer[] = [];
  let seenBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    seenBytes += chunk.length;
    if (seenBytes > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** The beginning of a body, to be quoted; the rest is not waited for. */
export async function quotedAnswer({ body }: RemoteAnswer): Promise<string> {
  body.on('error', () => undefined);
  const chunks: Buffer[] = [];
  let seenBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    seenBytes += chunk.length;
    if (seenBytes >= QUOTED_BYTES) break;
  }
  return quoted(Buffer.concat(chunks));
}

/** @throws SyntaxError for what is no JSON in UTF-8, ApiError remote_bad_response for what is nested too deeply */
export function parseAnswer(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  if (isTooDeep(text, MAX_ANSWER_DEPTH))
    throw badResponse(`The answer is nested more than ${MAX_ANSWER_DEPTH} levels deep.`);
  if (!isUtf8(bytes)) throw new SyntaxError('no UTF-8');
  return JSON.parse(text) as unknown;
}

export const quoted = (bytes: Buffer): string => bytes.toString('utf8', 0, QUOTED_BYTES);

/** The error of an answer that is not what a search answers. */
export function badResponse(message: string): ApiError {
  return new ApiError('remote_bad_response', `${message} The remote has to run the same version as this instance.`);
}

function tooLarge(limitBytes: number): ApiError {
  return new ApiError(
    'remote_bad_response',
    `The answer of the remote is larger than ${limitBytes} bytes: ask for fewer hits or attributes, or raise ` +
      '`--remote-answer-size-limit`.',
  );
}
