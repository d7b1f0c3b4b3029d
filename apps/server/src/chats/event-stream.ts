import { randomUUID } from 'node:crypto';
import { ApiError, describeError } from '@fossick/base';
import type { Chunk } from './chunk.js';
import { ProviderError } from './provider-error.js';

const DONE = 'data: [DONE]\n\n';

/**
 * The chunks of an answer as Server-Sent Events in the chat completions streaming format. An error in the middle is an event of its own
 * and the last one. @param onFault gets what is no ApiError
 */
export async function* eventStream(
  chunks: AsyncIterable<Chunk>,
  onFault: (error: unknown) => void,
): AsyncGenerator<string> {
  try {
    for await (const chunk of chunks) yield `data: ${JSON.stringify(chunk)}\n\n`;
    yield DONE;
  } catch (error) {
    if (!(error instanceof ApiError)) onFault(error);
    yield `event: error\ndata: ${JSON.stringify(errorEvent(error))}\n\n`;
  }
}

/** The provider's own words for it where there are some, ours besides (spec 04 section 13). */
function errorEvent(error: unknown): object {
  const known =
    error instanceof ApiError ? error : new ApiError('internal', 'The conversation failed by an internal error.');
  const { providerType, providerCode, param } = error instanceof ProviderError ? error : NOTHING_SAID;
  const id = randomUUID();
  const told = {
    type: providerType ?? 'response_error',
    code: providerCode ?? known.code,
    message: known.message,
    param,
    event_id: id,
    link: describeError(known.code).link,
  };
  return { event_id: id, type: 'error', error: told };
}
const NOTHING_SAID = { providerType: null, providerCode: null, param: null } as const;
