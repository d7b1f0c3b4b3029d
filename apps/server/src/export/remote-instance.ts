import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '@fossick/base';
import type { NetworkPolicy } from '../webhooks/network-policy.js';

const TIMEOUT_MS = 60_000;
/** After this long an instance that does not answer properly is given up (spec 04 section 6). */
const GIVE_UP_MS = 15 * 60_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 60_000;
/** How often a waiting retry looks whether its task was canceled. */
const CANCEL_POLL_MS = 200;

export interface RemoteOptions {
  /** Base address; a path in it is kept. */
  readonly url: string;
  readonly apiKey: string | null;
  readonly policy: NetworkPolicy;
  readonly isCanceled: () => boolean;
  /** How long retries go on, in milliseconds. */
  readonly giveUpMs?: number;
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

/** Another instance that speaks the same API, as an export sees it. */
export class RemoteInstance {
  readonly #options: RemoteOptions;
  readonly #base: URL;

  /** Throws ApiError internal when the address is no http or https URL. */
  constructor(options: RemoteOptions) {
    if (!URL.canParse(options.url) || !/^https?:/i.test(options.url))
      throw new ApiError('internal', `\`${options.url}\` is not the address of an instance: write http://host:port.`);
    this.#options = options;
    this.#base = new URL(options.url);
  }

  /**
   * Sends a request; 408, 429, 5xx and broken connections are tried again with growing pauses. Throws ApiError internal
   * for any other answer but 2xx and those in `accepted`, and when time is up.
   */
  async call(request: RemoteRequest, accepted: readonly number[] = []): Promise<RemoteAnswer> {
    const endMs = Date.now() + (this.#options.giveUpMs ?? GIVE_UP_MS);
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
      let fault: string;
      try {
        const answer = await this.#send(request);
        if ((answer.status >= 200 && answer.status < 300) || accepted.includes(answer.status)) return answer;
        fault = `it answered ${answer.status}: ${answer.text.slice(0, 1_000)}`;
        if (!isTransient(answer.status)) throw this.#failure(request, fault);
      } catch (error) {
        if (error instanceof ApiError) throw error;
        fault = error instanceof Error ? error.message : String(error);
      }
      if (Date.now() + delayMs > endMs) throw this.#failure(request, fault);
      await this.#wait(delayMs);
    }
  }

  async #wait(delayMs: number): Promise<void> {
    const endMs = Date.now() + delayMs;
    while (Date.now() < endMs) {
      if (this.#options.isCanceled()) throw new Error('the export was canceled');
      await pause(Math.min(CANCEL_POLL_MS, endMs - Date.now()));
    }
  }

  #failure({ method, path }: RemoteRequest, fault: string): ApiError {
    return new ApiError('internal', `The instance at ${this.#base.origin} failed at ${method} ${path}: ${fault}`);
  }

  #send({ method, path, body, headers }: RemoteRequest): Promise<RemoteAnswer> {
    const { policy, apiKey } = this.#options;
    const target = new URL(this.#base.pathname.replace(/\/+$/, '') + path, this.#base);
    if (!policy.allowsHost(target.hostname))
      throw new ApiError(
        'internal',
        `${target.hostname} is on a private network, which only --experimental-allowed-ip-networks opens.`,
      );
    const send = target.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const call = send(target, {
        method,
        lookup: policy.lookup,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
          ...(body === undefined ? {} : { 'content-length': body.length }),
          ...headers,
        },
      });
      call.once('error', reject);
      call.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      call.end(body);
    });
  }
}

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
