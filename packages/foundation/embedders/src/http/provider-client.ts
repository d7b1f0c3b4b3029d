import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  AnswerTooLongError,
  ClosedNetworkError,
  type OutboundClient,
  quoted,
  REAL_CLOCK,
  type RetryClock,
  readBytes,
  reasonOf,
  retryAfterMs,
  retrying,
  TransientFault,
  withTimeLimit,
} from '@fossick/outbound';
import { EmbeddingError, shownUrl } from '../embedding-error.js';
import type { EmbedOptions } from '../port.js';
import type { RequestLimit } from './request-limit.js';

/** Limits of the requests to one provider. */
export interface ProviderLimits {
  /** For one request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** From the first attempt of a request to its last, in milliseconds, without the time spent waiting for its turn. */
  readonly retryMs: number;
  /** The most bytes of one answer. */
  readonly answerBytes: number;
  /** Of retries; default: REAL_CLOCK. */
  readonly clock?: RetryClock;
}

/** Timeout, too early, too many requests: tried again, as is every 5xx. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);
const PAUSES = { firstPauseMs: 100, pauseMsMax: 10_000, isRandom: true };
/** Characters of a provider's answer that an error quotes. */
const QUOTED_CHARS = 300;

/** An answer that was received completely. */
interface ReceivedAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly retryAfter: string | null;
}

/** Posts JSON to one address and reads the JSON answer, within limits, with retries where they may help. */
export class ProviderClient {
  private readonly client: Pick<OutboundClient, 'request'>;
  private readonly url: URL;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly limits: ProviderLimits;
  private readonly turns: RequestLimit;
  private readonly clock: RetryClock;
  private readonly shownUrl: string;

  constructor(
    client: Pick<OutboundClient, 'request'>,
    url: string,
    headers: Readonly<Record<string, string>>,
    limits: ProviderLimits,
    turns: RequestLimit,
  ) {
    this.client = client;
    this.url = new URL(url);
    this.headers = headers;
    this.limits = limits;
    this.turns = turns;
    this.clock = limits.clock ?? REAL_CLOCK;
    this.shownUrl = shownUrl(url);
  }

  /**
   * Broken connections, 408, 425, 429 and 5xx are tried again with growing pauses, or as `Retry-After` says, until the
   * time for retries is over; other answers are final, and so is a forbidden address. Throws EmbeddingError: of the last attempt, or of the one before
   * when the last was cut short by that end.
   */
  async post(body: unknown, { signal, timeoutMs, onRequest }: EmbedOptions): Promise<unknown> {
    const callerEndMs = this.clock.now() + (timeoutMs ?? Number.POSITIVE_INFINITY);
    let retryEndMs = this.clock.now() + this.limits.retryMs;
    // the provider is not to blame for the wait for a turn: only the caller's own time limit applies to it
    const onTurn = (waitedMs: number): number => {
      retryEndMs += waitedMs;
      return Math.min(callerEndMs, retryEndMs);
    };
    const text = JSON.stringify(body);
    const endMs = (): number => Math.min(callerEndMs, retryEndMs);
    try {
      return await retrying({ ...PAUSES, endMs, signal, clock: this.clock }, async () => {
        const startedMs = this.clock.now();
        try {
          const answer = await this.tryOnce(text, callerEndMs, onTurn, signal);
          onRequest?.({ isSuccess: true, durationMs: this.clock.now() - startedMs });
          return answer;
        } catch (fault) {
          const durationMs = this.clock.now() - startedMs;
          onRequest?.({ isSuccess: false, durationMs, fault: reasonOf(fault) });
          throw fault;
        }
      });
    } catch (error) {
      throw signal?.aborted === true && !(error instanceof EmbeddingError)
        ? this.error('aborted', 'was stopped')
        : error;
    }
  }

  /** `onTurn` is called with the time spent waiting for the turn, and returns the deadline of attempts. */
  private async tryOnce(
    body: string,
    callerEndMs: number,
    onTurn: (waitedMs: number) => number,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const startedMs = this.clock.now();
    const restMs = Math.max(0, Math.ceil(callerEndMs - startedMs));
    const inTime = Number.isFinite(restMs) ? AbortSignal.timeout(restMs) : undefined;
    try {
      const answer = await this.turns.run(anyOf(inTime, signal), async () => {
        const leftMs = onTurn(this.clock.now() - startedMs) - this.clock.now();
        const limitMs = Math.ceil(Math.max(0, Math.min(this.limits.requestTimeoutMs, leftMs)));
        const others = signal === undefined ? [] : [signal];
        return withTimeLimit(limitMs, others, (ending) => this.send(body, ending, limitMs));
      });
      // the provider is idle now: the next request is sent before this answer is parsed
      await nextTurn();
      return this.read(answer);
    } catch (error) {
      if (signal?.aborted) throw this.error('aborted', 'was stopped');
      if (error instanceof EmbeddingError || error instanceof TransientFault) throw error;
      if (inTime?.aborted || isTimeout(error)) throw this.error('timeout', `did not answer within ${restMs} ms`);
      const unreachable = this.error('unreachable', `could not be reached: ${reasonOf(error)}`, { cause: error });
      throw error instanceof ClosedNetworkError ? unreachable : new TransientFault(unreachable);
    }
  }

  private async send(body: string, signal: AbortSignal, limitMs: number): Promise<ReceivedAnswer> {
    try {
      const answer = await this.client.request({
        url: this.url,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.headers },
        body,
        signal,
      });
      const { status } = answer;
      const received = await this.received(answer.body, status);
      return { status, body: received, retryAfter: answer.header('retry-after') };
    } catch (error) {
      if (!isTimeout(error) && !isTimeout(signal.reason)) throw error;
      const timeout = this.error('timeout', `did not answer within ${limitMs} ms`);
      throw new TransientFault(timeout, null, limitMs < this.limits.requestTimeoutMs);
    }
  }

  private async received(body: AsyncIterable<Uint8Array>, status: number): Promise<Buffer> {
    const { answerBytes } = this.limits;
    try {
      return await readBytes(body, answerBytes);
    } catch (error) {
      if (!(error instanceof AnswerTooLongError)) throw error;
      throw this.error('nonsense', `answered with more than ${answerBytes} bytes`, { status });
    }
  }

  /** The JSON of an answer, or the error in it. O(bytes) */
  private read({ status, body, retryAfter }: ReceivedAnswer): unknown {
    const text = body.toString('utf8');
    if (status >= 200 && status < 300) return this.parsed(text, status);
    const error = this.error('refused', `answered with status ${status}: ${this.quoted(text)}`, { status });
    if (!TRANSIENT_STATUSES.has(status) && status < 500) throw error;
    throw new TransientFault(error, retryAfterMs(retryAfter));
  }

  private parsed(text: string, status: number): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.error('nonsense', `answered with what is no JSON: ${this.quoted(text)}`, { status });
    }
  }

  /** A provider may echo the header it was sent. */
  private quoted(text: string): string {
    const secrets = Object.values(this.headers).flatMap((value) => [value, value.replace(/^Bearer /, '')]);
    return quoted(text, QUOTED_CHARS, secrets);
  }

  /** An error about this provider; `fault` continues the text after its address. */
  private error(
    kind: EmbeddingError['kind'],
    fault: string,
    facts: { readonly status?: number; readonly cause?: unknown } = {},
  ): EmbeddingError {
    return new EmbeddingError(kind, `The embedding provider at ${this.shownUrl} ${fault}.`, {
      url: this.shownUrl,
      ...facts,
    });
  }

  /** The error of an answer that is JSON, but not of the expected form. */
  nonsense(fault: string): EmbeddingError {
    return this.error('nonsense', fault);
  }
}

/** Aborts with the first of the given signals. */
function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
