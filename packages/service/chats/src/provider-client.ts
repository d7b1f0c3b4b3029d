import { hasMoreValues, isTooDeep } from '@fossick/api';
import { apiError, MAX_PROVIDER_PARTS } from '@fossick/base';
import { closedHost, type NetworkPolicy } from '@fossick/instance';
import type { EventSourceParser } from 'eventsource-parser';
import type { Agent } from 'undici';
import { type Chunk, chunkOf, type Loose } from './chunk.js';
import type { ConversationTurns } from './conversation-turns.js';
import { noCompletion, ProviderError, quoted, refusal, reportedError } from './provider-error.js';
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

/** Sends requests for chat completions to providers (docs/decisions/chat.md). */
export class ProviderClient {
  private readonly policy: NetworkPolicy;
  private readonly limits: ProviderLimits;
  private readonly turns: ConversationTurns;
  /** The HTTP client and its connections: loaded with the first conversation. */
  private loaded: Promise<{ readonly agent: Agent; readonly createParser: CreateParser }> | undefined;

  constructor(policy: NetworkPolicy, limits: ProviderLimits, turns: ConversationTurns) {
    this.policy = policy;
    this.limits = limits;
    this.turns = turns;
  }

  /**
   * Sends one request and yields the pieces of the answer as they arrive; a whole answer is one piece. There are no
   * retries and no redirects: the key is only for this address.
   * @throws ProviderError, before the first piece or after any
   */
  async *complete(target: ProviderTarget, body: Loose, signal: AbortSignal): AsyncGenerator<Chunk> {
    const { url, secret } = target;
    if (!/^https?:$/.test(url.protocol)) throw new ProviderError(apiError('remote_could_not_send_request', 'notHttp'));
    if (!this.policy.allowsHost(url.hostname)) throw closedNetwork(url.hostname);
    const silence = new Silence(this.limits.silenceMs, signal);
    try {
      yield* this.read(target, body, silence);
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      if (silence.isOver)
        throw new ProviderError(apiError('remote_timeout', 'providerSilent', Math.round(this.limits.silenceMs / 1000)));
      if (signal.aborted) throw signal.reason;
      const host = closedHost(error);
      if (host !== null) throw closedNetwork(host);
      const reason = quoted(error instanceof Error ? error.message : String(error), secret);
      throw new ProviderError(
        silence.isAnswered
          ? apiError('remote_bad_response', 'providerBrokeOff', reason)
          : apiError('remote_could_not_send_request', 'unreachable', reason),
      );
    } finally {
      silence.end();
    }
  }

  /** Loads the client ahead of the first conversation, which would block the thread for some tenths of a second. */
  async prepare(): Promise<void> {
    this.loaded ??= this.load();
    await this.loaded;
  }

  async close(): Promise<void> {
    await (await this.loaded)?.agent.destroy();
  }

  private async *read({ url, headers, secret }: ProviderTarget, body: Loose, silence: Silence): AsyncGenerator<Chunk> {
    this.loaded ??= this.load();
    const { agent, createParser } = await this.loaded;
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      signal: silence.signal,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    });
    silence.heard();
    silence.isAnswered = true;
    if (answer.statusCode !== 200) throw refusal(answer.statusCode, await beginning(answer.body), secret);
    const bytes = this.counted(answer.body, silence);
    const type = String(answer.headers['content-type'] ?? '');
    if (type.includes('json')) yield readWhole(await allText(bytes), secret);
    else yield* pieces(bytes, createParser, secret);
  }

  private async *counted(body: AsyncIterable<Buffer>, silence: Silence): AsyncGenerator<Buffer> {
    let byteCount = 0;
    for await (const bytes of body) {
      silence.heard();
      byteCount += bytes.length;
      if (byteCount > this.limits.answerBytes)
        throw new ProviderError(apiError('remote_bad_response', 'providerTooManyBytes', this.limits.answerBytes));
      // bytes that arrive meanwhile are read together
      await this.turns.next();
      yield bytes;
    }
  }

  private async load(): Promise<{ readonly agent: Agent; readonly createParser: CreateParser }> {
    const [{ Agent }, { createParser }] = await Promise.all([import('undici'), import('eventsource-parser')]);
    // silence is measured here, with an error of its own
    const agent = new Agent({ connect: { lookup: this.policy.lookup }, headersTimeout: 0, bodyTimeout: 0 });
    return { agent, createParser };
  }
}

type CreateParser = (callbacks: {
  readonly onEvent: (event: { readonly event?: string | undefined; readonly data: string }) => void;
}) => EventSourceParser;

/** Aborts a request when its client leaves, and after too long a silence. */
class Silence {
  private readonly over = new AbortController();
  private readonly timer: NodeJS.Timeout;
  readonly signal: AbortSignal;
  isAnswered = false;

  constructor(milliseconds: number, left: AbortSignal) {
    this.timer = setTimeout(() => this.over.abort(new Error('silence')), milliseconds);
    this.signal = AbortSignal.any([left, this.over.signal]);
  }
  get isOver(): boolean {
    return this.over.signal.aborted;
  }
  heard(): void {
    this.timer.refresh();
  }
  end(): void {
    clearTimeout(this.timer);
  }
}

function closedNetwork(host: string): ProviderError {
  return new ProviderError(apiError('remote_could_not_send_request', 'privateNetwork', host));
}

async function beginning(body: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  let byteCount = 0;
  for await (const bytes of body) {
    read.push(bytes);
    byteCount += bytes.length;
    if (byteCount > REFUSAL_BYTES) break;
  }
  return Buffer.concat(read).toString('utf8', 0, REFUSAL_BYTES);
}

async function allText(body: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  for await (const bytes of body) read.push(bytes);
  return Buffer.concat(read).toString('utf8');
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
async function* pieces(
  body: AsyncIterable<Buffer>,
  createParser: CreateParser,
  secret: string | null,
): AsyncGenerator<Chunk> {
  const waiting: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => waiting.push(data) });
  const decoder = new TextDecoder();
  let isFinished = false;
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    for (const data of waiting.splice(0)) {
      if (data === DONE) return;
      const chunk = readChunk(data, secret);
      isFinished ||= chunk.choices[0]?.finish_reason != null;
      yield chunk;
    }
  }
  if (!isFinished) throw new ProviderError(apiError('remote_bad_response', 'providerEndedEarly'));
}
