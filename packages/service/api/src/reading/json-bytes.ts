import { isUtf8 } from 'node:buffer';
import { apiError, MAX_JSON_DEPTH } from '@fossick/base';
import { isJsonObject, isPlainJson, type JsonObject, parseDocument, parseWithIntegers } from '@fossick/documents';
import { hasLoneSurrogate, isTooDeep, LONE_SURROGATE } from './json-text.js';

/**
 * Parses JSON bytes; throws malformed_payload with the position. `wide` makes the values of integers beyond 2^53, which are rounded without it:
 * `String` where they are ids, which are the same as texts.
 */
export function parseJson(bytes: Buffer, wide?: (digits: string) => unknown): unknown {
  return parseText(textOf(bytes), wide);
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw apiError('malformed_payload', 'jsonNotUtf8');
  return bytes.toString('utf8');
}

function parseText(text: string, wide?: (digits: string) => unknown): unknown {
  if (isTooDeep(text)) throw apiError('malformed_payload', 'jsonTooDeep', MAX_JSON_DEPTH);
  let value: unknown;
  try {
    value = wide === undefined ? JSON.parse(text) : parseWithIntegers(text, wide);
  } catch (error) {
    throw apiError('malformed_payload', 'json', (error as Error).message);
  }
  if (hasLoneSurrogate(text)) throw apiError('malformed_payload', 'json', LONE_SURROGATE);
  return value;
}

/** The value of JSON bytes whose numbers keep their text, and whose members keep their order. @throws ApiError malformed_payload */
export function parseLossless(bytes: Buffer): unknown {
  const text = textOf(bytes);
  const value = parseText(text);
  if (isPlainJson(text)) return value;
  if (Array.isArray(value)) return losslessObject(`{"items":${text}}`)['items'];
  return isJsonObject(value) ? losslessObject(text) : value;
}

/** The body of an edit: only its context is given to a function and shown, so only that keeps numbers and order. @throws ApiError malformed_payload */
export function parseEdition(bytes: Buffer): unknown {
  const text = textOf(bytes);
  const body = parseText(text);
  // eighty megabytes are parsed a second time only where the first time has lost something
  if (!isJsonObject(body) || !isJsonObject(body['context']) || isPlainJson(text)) return body;
  return { ...body, context: losslessObject(text)['context'] };
}

function losslessObject(text: string): JsonObject {
  try {
    return parseDocument(text);
  } catch (error) {
    throw apiError('malformed_payload', 'json', (error as Error).message);
  }
}
