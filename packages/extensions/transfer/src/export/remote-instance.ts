import { type ApiError, apiError, BatchCanceled } from '@fossick/base';
import {
  AnswerTooLongError,
  ClosedNetworkError,
  type NetworkPolicy,
  OutboundClient,
  REAL_CLOCK,
  type RetryClock,
  readBytes,
  reasonOf,
  retryAfterMs,
  retrying,
  TransientFault,
} from '@fossick/outbound';

/** Time without a byte in either direction after which a request fails, in milliseconds. */
const SILENCE_MS = 15_000;
/** Time without a valid answer after which the export fails, in milliseconds: all later tasks wait meanwhile. */
const RETRY_MS = 60_000;
const RETRIES = { attempts: 6, firstPauseMs: 500, pauseMsMax: 8_000 };
/** Answers concern one index or task; the rest of a longer answer is not read. */
const ANSWER_BYTES_MAX = 1 << 20;
/** The option that allows exports to private networks. */
const OPENING = '--experimental-allowed-ip-networks';
/** How much of an answer an error quotes. */
const QUOTED_CHARS = 1_000;
/** Faults that a retry cannot change. */
const FINAL_CODES = new Set(['ENOTFOUND', 'ERR_INVALID_URL']);

export interface RemoteOptions {
  /** Base address, which may have a path. */
  readonly url: string;
  readonly apiKey: string | null;
  readonly policy: NetworkPolicy;
  /** Calls the listener when the export is canceled; returns what ends the watch. */
  readonly watchCanceled: (listener: () => void) => () => void;
  /** How long one request is repeated, in milliseconds. */
  readonly retryMs?: number;
  /** Of retries; default: REAL_CLOCK. */
  readonly clock?: RetryClock;
}
export interface RemoteRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}
export interface RemoteAnswer {
  readonly status: number;
  readonly text: string;
}

/** Another instance with the same API, as the target of an export. */
export class RemoteInstance {
  private readonly options: RemoteOptions;
  private readonly base: URL;
  private readonly client: OutboundClient;

  /** Throws ApiError invalid_export_url when the address is no http or https URL. */
  constructor(options: RemoteOptions) {
    if (!URL.canParse(options.url) || !/^https?:/i.test(options.url))
      throw apiError('invalid_export_url', 'notAddress', options.url);
    this.options = options;
    this.base = new URL(options.url);
    this.client = new OutboundClient({ policy: options.policy });
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /**
   * Sends a request; 408, 429, 5xx and broken connections are tried again with growing pauses or as `Retry-After` says, a few times and
   * within a time limit. Throws ApiError internal for any other answer but 2xx and those in `accepted`, quoting it, and after
   * the time limit; invalid_export_url where the address is not allowed.
   */
  async call(request: RemoteRequest, accepted: readonly number[] = []): Promise<RemoteAnswer> {
    const { clock = REAL_CLOCK, retryMs = RETRY_MS } = this.options;
    const lastMs = clock.now() + retryMs;
    const canceled = new AbortController();
    const endWatch = this.options.watchCanceled(() => canceled.abort(new BatchCanceled('the export was canceled')));
    try {
      return await retrying({ ...RETRIES, endMs: () => lastMs, signal: canceled.signal, clock }, () =>
        this.attempt(request, accepted, canceled.signal),
      );
    } finally {
      endWatch();
    }
  }

  private async attempt(
    request: RemoteRequest,
    accepted: readonly number[],
    signal: AbortSignal,
  ): Promise<RemoteAnswer> {
    const answer = await this.send(request, signal);
    if ((answer.status >= 200 && answer.status < 300) || accepted.includes(answer.status)) return answer;
    const failure = this.failure(request, `it answered ${answer.status}: ${saidIn(answer.text)}`);
    throw isTransient(answer.status) ? new TransientFault(failure, answer.waitMs) : failure;
  }

  private failure({ method, path }: RemoteRequest, fault: string): ApiError {
    return apiError('internal', 'exportFailed', this.base.origin, method, path, fault);
  }

  private async send(request: RemoteRequest, signal: AbortSignal): Promise<RemoteAnswer & { waitMs: number | null }> {
    const { method, path, body, headers } = request;
    const { apiKey } = this.options;
    const url = new URL(this.base.pathname.replace(/\/+$/, '') + path, this.base);
    try {
      const answer = await this.client.request({
        method,
        url,
        headers: { ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }), ...headers },
        body: body ?? null,
        signal,
        silenceMs: SILENCE_MS,
      });
      const bytes = await readBytes(answer.body, ANSWER_BYTES_MAX);
      return {
        status: answer.status,
        text: bytes.toString('utf8'),
        waitMs: retryAfterMs(answer.header('retry-after')),
      };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof ClosedNetworkError)
        throw apiError('invalid_export_url', 'privateNetwork', error.host, OPENING);
      if (error instanceof AnswerTooLongError) throw apiError('internal', 'endlessAnswer', url.origin);
      const failure = this.failure(request, reasonOf(error));
      throw isFinal(error) ? failure : new TransientFault(failure);
    }
  }
}

/** A short text of an answer: for an error of this API its code and its message. */
function saidIn(text: string): string {
  try {
    const { code, type, message } = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (typeof code === 'string' && typeof message === 'string')
      return `${code} (${String(type)}): ${message}`.slice(0, QUOTED_CHARS);
  } catch {
    // no JSON: quoted as received
  }
  return text.slice(0, QUOTED_CHARS);
}

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
function isFinal(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  return code !== undefined && FINAL_CODES.has(code);
}
