/** Long messages of the Model Context Protocol, taken apart in any thread: four megabytes of documents take half a second to parse. */

import { parseLossless } from '@fossick/api';
import { apiError, collectGarbage, LONG_WHOLE_BYTES, MAX_MCP_BATCH } from '@fossick/base';
import { isJsonObject, toJsonText } from '@fossick/documents';
import { found, inThreadIf, type JobKind } from '../job.js';

/** A body of one or several messages. */
export interface ToolBodyJob {
  readonly kind: 'toolBody';
  readonly body: Uint8Array;
}

/** An argument of a tool that is long. */
export interface LongArgument {
  /** Of its message; 0 where the body is no list. */
  readonly position: number;
  readonly name: string;
  /** JSON, with its numbers as they were sent. */
  readonly text: string;
}

/** A body without its long arguments, which are null in it. */
export interface ShortenedBody {
  readonly text: string;
  readonly longArguments: readonly LongArgument[];
}

/** Characters of the JSON text of an argument that is long. */
const LONG_ARGUMENT_UNITS = 16 * 1024;

export const TOOL_BODY: JobKind<ToolBodyJob, ShortenedBody> = {
  place: ({ body }) => inThreadIf(body.length > LONG_WHOLE_BYTES),
  run(_engine, { body }) {
    // its values would stay in the heap of this thread, which seldom needs room
    setImmediate(collectGarbage);
    return found(shortened(parseLossless(Buffer.from(body.buffer, body.byteOffset, body.length))));
  },
};

/** @throws ApiError payload_too_large for a body that is long without them */
function shortened(value: unknown): ShortenedBody {
  const longArguments: LongArgument[] = [];
  // one more than there may be is refused for its number
  const kept = Array.isArray(value) ? (value as unknown[]).slice(0, MAX_MCP_BATCH + 1) : value;
  for (const [position, message] of (Array.isArray(kept) ? kept : [kept]).entries()) {
    const params = isJsonObject(message) ? message['params'] : undefined;
    const given = isJsonObject(params) ? params['arguments'] : undefined;
    for (const [name, argument] of isJsonObject(given) ? Object.entries(given) : []) {
      const text = toJsonText(argument);
      if (text.length <= LONG_ARGUMENT_UNITS) continue;
      longArguments.push({ position, name, text });
      Object.defineProperty(given, name, { value: null });
    }
  }
  const text = toJsonText(kept);
  if (text.length > LONG_WHOLE_BYTES)
    throw apiError('payload_too_large', 'message', LONG_WHOLE_BYTES, LONG_ARGUMENT_UNITS);
  return { text, longArguments };
}
