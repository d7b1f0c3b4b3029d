import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '@fossick/base';
import type { Agent } from 'undici';
import type { NetworkPolicy } from '../webhooks/network-policy.js';
import type { Remote } from './network.js';

const DEFAULT_TIMEOUT_SECONDS = 25;
const RETRIES = 3;
const MAX_PAUSE_MS = 100;
/** How much of a remote's answer an error quotes. */
const QUOTED_CHARS = 1000;

/** How long all remotes of one search have, from MEILI_EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS. */
export function remoteTimeoutMs(env: NodeJS.ProcessEnv): number {
  const seconds = Number(env.MEILI_EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS ?? DEFAULT_TIMEOUT_SECONDS);
  return (Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_TIMEOUT_SECONDS) * 1000;
}

/** Sends searches to other instances (spec 14 section 5). */
export class RemoteClient {
  readonly #policy: NetworkPolicy;
  /** The client and its connections: loaded with the first search that goes to a remote. */
  #agent: Promise<Agent> | undefined;

  constructor(
    policy: NetworkPolicy,
    readonly timeoutMs: number,
  ) {
    this.#policy = policy;
  }

  /**
   * Posts a body to a path of the remote and answers the JSON it sends back. Broken connections, 5xx and answers that
   * are no JSON are tried again, four times in all; refusals and time-outs are not.
   * @throws ApiError `remote_...` for what came back instead
   */
  async post(remote: Remote, path: string, body: object, headers: object, signal: AbortSignal): Promise<unknown> {
    const target = new URL(`${remote.url.replace(/\/+$/, '')}${path}`);
    if (!this.#policy.allowsHost(target.hostname)) throw closedNetwork(target.hostname);
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#postOnce(target, remote, JSON.stringify(body), headers, signal);
      } catch (error) {
        if (!(error instanceof TransientFault)) throw error;
        if (attempt >= RETRIES) throw error.cause;
        await pause(Math.min(10 ** attempt / 1e6, MAX_PAUSE_MS) * (1 + Math.random()));
      }
    }
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  async #postOnce(target: URL, remote: Remote, body: string, headers: object, signal: AbortSignal): Promise<unknown> {
    const [status, text] = await this.#send(target, remote, body, headers, signal);
    const quoted = text.slice(0, QUOTED_CHARS);
    if (status === 401 || status === 403)
      throw new ApiError(
        'remote_invalid_api_key',
        'The remote refused the `searchApiKey` of the network object: it has to be a key of the remote with the action `search`.',
      );
    if (status >= 500)
      throw new TransientFault(
        new ApiError('remote_remote_error', `The remote failed with status ${status}: ${quoted}`),
      );
    if (status >= 300)
      throw new ApiError(
        'remote_bad_request',
        `The remote refused the search with status ${status}: ${quoted}\nLook at the settings of its index, and whether its ` +
          'experimental feature `network` is on.',
      );
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new TransientFault(badResponse(`The answer is no JSON: ${quoted}`));
    }
  }

  async #connect(): Promise<Agent> {
    const { Agent } = await import('undici');
    return new Agent({ connect: { lookup: this.#policy.lookup } });
  }

  async #send(
    target: URL,
    { searchApiKey }: Remote,
    body: string,
    headers: object,
    signal: AbortSignal,
  ): Promise<readonly [status: number, text: string]> {
    try {
      this.#agent ??= this.#connect();
      const agent = await this.#agent;
      const response = await agent.request({
        origin: target.origin,
        path: `${target.pathname}${target.search}`,
        method: 'POST',
        signal,
        body,
        headers: {
          'content-type': 'application/json',
          ...(searchApiKey === null ? {} : { authorization: `Bearer ${searchApiKey}` }),
          ...headers,
        },
      });
      return [response.statusCode, await response.body.text()];
    } catch (error) {
      if (signal.aborted) throw new ApiError('remote_timeout', 'The remote did not answer in time.');
      const reason = error instanceof Error ? error.message : String(error);
      throw new TransientFault(couldNotSend(`The search could not be sent: ${reason}.`));
    }
  }
}

/** A fault that may be gone at the next attempt; `cause` is what the client hears of otherwise. */
class TransientFault extends Error {
  constructor(override readonly cause: ApiError) {
    super(cause.message);
  }
}

const couldNotSend = (message: string): ApiError => new ApiError('remote_could_not_send_request', message);

function closedNetwork(host: string): ApiError {
  return couldNotSend(`\`${host}\` is on a private network, which only \`--experimental-allowed-ip-networks\` opens.`);
}

/** The error of an answer that is not what a search answers. */
export function badResponse(message: string): ApiError {
  return new ApiError('remote_bad_response', `${message} The remote has to run the same version as this instance.`);
}
