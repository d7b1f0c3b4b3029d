import { hasLargerObject, hasMoreValues, isTooDeep } from '@fossick/api';
import { apiError } from '@fossick/base';
import {
  ClosedNetworkError,
  eventsOf,
  type NetworkPolicy,
  OutboundClient,
  readBeginning,
  readBytes,
  reasonOf,
  SilenceError,
} from '@fossick/outbound';
import { MAX_PROVIDER_MEMBERS, MAX_PROVIDER_PARTS } from '../limits.js';
import { type Chunk, chunkOf, type Loose } from './chunk.js';
import type { ConversationTurns } from './conversation-turns.js';
import { noCompletion, ProviderError, quoted, refusal, reportedError, tooManyMembers } from './provider-error.js';
import type { ProviderTarget } from './provider-target.js';

/** The most bytes read of an error answer. */
const REFUSAL_BYTES = 1 << 16;
const DONE = '[DONE]';

export interface ProviderLimits {
  /** Milliseconds without a byte after which a provider counts as unavailable. */
  readonly silenceMs: number;
  /** Of one answer. */
  readonly answerBytes: number;
}

/** Sends requests for chat completions to providers (docs/internals/decisions/chat.md). */
export class ProviderClient {
  private readonly client: OutboundClient;
  private readonly limits: ProviderLimits;
  private readonly turns: ConversationTurns;

  constructor(policy: NetworkPolicy, limits: ProviderLimits, turns: ConversationTurns) {
    this.client = new OutboundClient({ policy });
    this.limits = limits;
    this.turns = turns;
  }

  /**
   * Sends one request and yields the pieces of the answer as they arrive; a whole answer is one piece. There are no
   * retries and no redirects: the key is only for this address.
   * @throws ProviderError, before the first piece or after any
   */
  async *complete(target: ProviderTarget, body: Loose, signal: AbortSignal): AsyncGenerator<Chunk> {
    const { url, headers, secret } = target;
    if (!/^https?:$/.test(url.protocol)) throw new ProviderError(apiError('remote_could_not_send_request', 'notHttp'));
    const { silenceMs } = this.limits;
    let isAnswered = false;
    try {
      const answer = await this.client.request({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(body),
        signal,
        silenceMs,
      });
      isAnswered = true;
      if (answer.status !== 200) throw refusal(answer.status, await readBeginning(answer.body, REFUSAL_BYTES), secret);
      const bytes = this.counted(answer.body);
      if ((answer.header('content-type') ?? '').includes('json')) {
        const whole = await readBytes(bytes, this.limits.answerBytes);
        yield readWhole(whole.toString('utf8'), secret);
      } else yield* pieces(bytes, secret);
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      if (error instanceof SilenceError)
        throw new ProviderError(apiError('remote_timeout', 'providerSilent', Math.round(silenceMs / 1000)));
      if (signal.aborted) throw signal.reason;
      if (error instanceof ClosedNetworkError) throw closedNetwork(error.host);
      const reason = quoted(reasonOf(error), secret);
      throw new ProviderError(
        isAnswered
          ? apiError('remote_bad_response', 'providerBrokeOff', reason)
          : apiError('remote_could_not_send_request', 'unreachable', reason),
      );
    }
  }

  /** Loads the client ahead of the first conversation, which would block the thread for some tenths of a second. */
  prepare(): Promise<void> {
    return this.client.prepare();
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async *counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let byteCount = 0;
    for await (const bytes of body) {
      byteCount += bytes.length;
      if (byteCount > this.limits.answerBytes)
        throw new ProviderError(apiError('remote_bad_response', 'providerTooManyBytes', this.limits.answerBytes));
      // bytes that arrive meanwhile are read together
      await this.turns.next();
      yield bytes;
    }
  }
}

function closedNetwork(host: string): ProviderError {
  return new ProviderError(apiError('remote_could_not_send_request', 'privateNetwork', host));
}

function readWhole(text: string, secret: string | null): Chunk {
  const chunk = readChunk(text, secret);
  if (chunk.choices.length === 0) throw noCompletion(text, secret);
  return chunk;
}

/** @throws ProviderError for an invalid chunk, and for an error of the provider in its place */
function readChunk(text: string, secret: string | null): Chunk {
  if (hasMoreValues(text, MAX_PROVIDER_PARTS))
    throw new ProviderError(apiError('remote_bad_response', 'providerTooManyParts', MAX_PROVIDER_PARTS));
  if (isTooDeep(text)) throw noCompletion(text, secret);
  // before it is parsed: names that occur once take ten times the time of other values
  if (hasLargerObject(text, MAX_PROVIDER_MEMBERS)) throw tooManyMembers();
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    throw noCompletion(text, secret);
  }
  const { error } = (sent ?? {}) as { readonly error?: unknown };
  if (error !== undefined && error !== null) throw reportedError(error, secret);
  const chunk = chunkOf(sent);
  if (chunk === undefined) throw noCompletion(text, secret);
  return chunk;
}

/** The chunks of an event stream, to its `[DONE]` or its end. */
async function* pieces(body: AsyncIterable<Buffer>, secret: string | null): AsyncGenerator<Chunk> {
  let isFinished = false;
  for await (const data of eventsOf(body)) {
    if (data === DONE) return;
    const chunk = readChunk(data, secret);
    isFinished ||= chunk.choices[0]?.finish_reason != null;
    yield chunk;
  }
  if (!isFinished) throw new ProviderError(apiError('remote_bad_response', 'providerEndedEarly'));
}
