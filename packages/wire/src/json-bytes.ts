import { isUtf8 } from 'node:buffer';
import { ApiError, MAX_JSON_DEPTH } from '@fossick/base';
import { isTooDeep, refuseLoneSurrogate, SURROGATE_ESCAPE } from './json-text.js';

/** Parses JSON bytes; throws malformed_payload with the position. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ApiError('malformed_payload', 'The JSON payload is not valid UTF-8.');
  const text = bytes.toString('utf8');
  if (isTooDeep(text))
    throw new ApiError('malformed_payload', `The JSON payload is nested more than ${MAX_JSON_DEPTH} levels deep.`);
  try {
    return (SURROGATE_ESCAPE.test(text) ? JSON.parse(text, refuseLoneSurrogate) : JSON.parse(text)) as unknown;
  } catch (error) {
    throw new ApiError('malformed_payload', `The JSON payload is malformed: ${(error as Error).message}.`);
  }
}
