import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, apiError } from '@fossick/base';
import { closedHost, type NetworkPolicy } from '@fossick/instance';

/** An idle connection is closed after this time, in milliseconds. */
const IDLE_MS = 15_000;
/** Time for an instance to answer once it has the whole request, in milliseconds. */
const ANSWER_MS = 60_000;
/** Time without a valid answer after which the export fails, in milliseconds: all later tasks wait meanwhile. */
const RETRY_MS = 60_000;
const ATTEMPTS_MAX = 6;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** Interval at which a waiting export checks whether its task was canceled, in milliseconds. */
const CANCEL_POLL_MS = 200;
/** Answers concern one index or task; the rest of a longer answer is not read. */
const ANSWER_BYTES_MAX = 1 << 20;
/** The option that allows exports to private networks. */
const OPENING = '--experimental-allowed-ip-networks';
/** How much of an answer an error quotes. */
const QUOTED_CHARS = 1_000;
/** Faults that a retry cannot change: the name does not exist, or its address is not allowed. */
const FINAL_CODES = new Set(['ENOTFOUND', 'EPERM', 'ERR_INVALID_URL']);

export interface RemoteOptions {
  /** Base address, which may have a path. */
  readonly url: string;
  readonly apiKey: string | null;
  readonly policy: NetworkPolicy;
  readonly isCanceled: () => boolean;
  /** How long one request is repeated, in milliseconds. */
  readonly retryMs?: number;
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

  /** Throws ApiError invalid_export_url when the address is no http or https URL. */
  constructor(options: RemoteOptions) {
    if (!URL.canParse(options.url) || !/^https?:/i.test(options.url))
      throw apiError('invalid_export_url', 'notAddress', options.url);
    this.options = options;
    this.base = new URL(options.url);
  }

  /**
   * Sends a request; 408, 429, 5xx and broken connections are tried again with growing pauses, a few times and within a
   * time limit. Throws ApiError internal for any other answer but 2xx and those in `accepted`, quoting it, and after
   * the time limit; invalid_export_url where the address is not allowed.
   */
  async call(request: RemoteRequest, accepted: readonly number[] = []): Promise<RemoteAnswer> {
    const endMs = Date.now() + (this.options.retryMs ?? RETRY_MS);
    for (let attempt = 1, delayMs = FIRST_DELAY_MS; ; attempt++, delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
      let fault: string;
      try {
        const answer = await this.send(request);
        if ((answer.status >= 200 && answer.status < 300) || accepted.includes(answer.status)) return answer;
        fault = `it answered ${answer.status}: ${reasonOf(answer.text)}`;
        if (!isTransient(answer.status)) throw this.failure(request, fault);
      } catch (error) {
        this.checkCanceled();
        if (error instanceof ApiError) throw error;
        fault = error instanceof Error ? error.message : String(error);
        // a name is checked when it is resolved
        const host = closedHost(error);
        if (host !== null) throw apiError('invalid_export_url', 'privateNetwork', host, OPENING);
        if (isFinal(error)) throw this.failure(request, fault);
      }
      if (attempt >= ATTEMPTS_MAX || Date.now() + delayMs > endMs) throw this.failure(request, fault);
      await this.wait(delayMs);
    }
  }

  private async wait(delayMs: number): Promise<void> {
    const endMs = Date.now() + delayMs;
    while (Date.now() < endMs) {
      this.checkCanceled();
      await pause(Math.min(CANCEL_POLL_MS, endMs - Date.now()));
    }
  }

  private checkCanceled(): void {
    if (this.options.isCanceled()) throw new Error('the export was canceled');
  }

  private failure({ method, path }: RemoteRequest, fault: string): ApiError {
    return apiError('internal', 'exportFailed', this.base.origin, method, path, fault);
  }

  private send({ method, path, body, headers }: RemoteRequest): Promise<RemoteAnswer> {
    const { policy, apiKey } = this.options;
    const target = new URL(this.base.pathname.replace(/\/+$/, '') + path, this.base);
    if (!policy.allowsHost(target.hostname))
      throw apiError('invalid_export_url', 'privateNetwork', target.hostname, OPENING);
    const send = target.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const call = send(target, {
        method,
        lookup: policy.lookup,
        timeout: IDLE_MS,
        headers: {
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
          ...(body === undefined ? {} : { 'content-length': body.length }),
          ...headers,
        },
      });
      const breakOff = (reason: string) => () => call.destroy(new Error(reason));
      let answerTimer: NodeJS.Timeout | undefined;
      const cancelTimer = setInterval(() => {
        if (this.options.isCanceled()) breakOff('the export was canceled')();
      }, CANCEL_POLL_MS);
      call.once('close', () => {
        clearTimeout(answerTimer);
        clearInterval(cancelTimer);
      });
      call.once('timeout', breakOff(`nothing came or went for ${IDLE_MS / 1_000} s`));
      call.once('finish', () => {
        answerTimer = setTimeout(breakOff(`it did not answer within ${ANSWER_MS / 1_000} s`), ANSWER_MS);
      });
      call.once('error', reject);
      call.once('response', (response) => {
        const chunks: Buffer[] = [];
        let seenBytes = 0;
        response.on('data', (chunk: Buffer) => {
          seenBytes += chunk.length;
          chunks.push(chunk);
          if (seenBytes > ANSWER_BYTES_MAX) response.destroy(apiError('internal', 'endlessAnswer', target.origin));
        });
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      call.end(body);
    });
  }
}

/** A short text of an answer: for an error of this API its code and its message. */
function reasonOf(text: string): string {
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
