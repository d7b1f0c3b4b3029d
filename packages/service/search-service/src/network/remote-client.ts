import { ApiError, apiError, type ErrorCode } from '@fossick/base';
import { type Environment, fromEnvironment } from '@fossick/instance';
import {
  ClosedNetworkError,
  type NetworkPolicy,
  type OutboundAnswer,
  OutboundClient,
  reasonOf,
  retrying,
  TransientFault,
} from '@fossick/outbound';
import { AnswerMemory, type AnswerReservation } from './answer-memory.js';
import type { Remote } from './network.js';
import { areLargeAnswers, badResponse, noJson, parseAnswer, quotedAnswer, readAnswer } from './remote-answer.js';
import { RemoteHealth } from './remote-health.js';

const DEFAULT_TIMEOUT_SECONDS = 25;
/** Attempts follow each other quickly: all remotes of a search share its time. */
const RETRIES = { attempts: 4, firstPauseMs: 1, pauseMsMax: 100 };
/** Failures of the remote itself; a remote that refuses is available. */
const FAILURES: ReadonlySet<ErrorCode> = new Set([
  'proxy_could_not_send_request',
  'remote_timeout',
  'remote_remote_error',
  'remote_bad_response',
] as const);

/** Time limit for all remotes of one search, from the environment's EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS. */
export function remoteTimeoutMs(env: Environment): number {
  const given = fromEnvironment(env, 'EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS')?.text;
  const seconds = Number(given ?? DEFAULT_TIMEOUT_SECONDS);
  return (Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_TIMEOUT_SECONDS) * 1000;
}

export interface RemoteClientOptions {
  readonly policy: NetworkPolicy;
  /** For all remotes of one search. */
  readonly timeoutMs: number;
  /** The most bytes of one answer. */
  readonly answerLimitBytes: number;
  /** The most bytes of all answers held at the same time; a single answer may still be as long as its own limit. */
  readonly answersLimitBytes: number;
}
/**
 * One call to a remote; `read` takes what it needs from the answer's JSON and throws ApiError where that is missing.
 */
export interface RemoteCall<T> {
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The account of the request that the call belongs to. */
  readonly reservation: AnswerReservation;
  readonly read: (answer: unknown) => T;
}
/** The answer of a remote. */
export type Answered<T> =
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly value: T }
  /**
   * It is too long to be parsed by a thread that serves other requests: the thread that parses it reports its faults.
   */
  | { readonly kind: 'unread'; readonly bytes: Buffer };

/** Sends searches to other instances. */
export class RemoteClient {
  private readonly options: RemoteClientOptions;
  private readonly memory: AnswerMemory;
  readonly health = new RemoteHealth();
  private readonly client: OutboundClient;

  constructor(options: RemoteClientOptions) {
    this.options = options;
    this.client = new OutboundClient({ policy: options.policy });
    this.memory = new AnswerMemory(Math.max(options.answersLimitBytes, options.answerLimitBytes));
  }
  /** Runs `work` with an account for the memory of remote answers to one request, released when it ends. */
  async holding<T>(work: (reservation: AnswerReservation) => Promise<T>): Promise<T> {
    const reservation = this.memory.reserve();
    try {
      return await work(reservation);
    } finally {
      reservation.release();
    }
  }
  get timeoutMs(): number {
    return this.options.timeoutMs;
  }

  /**
   * Posts a body to a path of the remote and reads the JSON answer. Broken connections, 5xx and invalid JSON are tried
   * again, four times in all, the last only as far as answers are short enough to be parsed here; refusals, timeouts,
   * and answers that are too large or of the wrong form are not. Redirects are not followed: the key is only for the
   * remote.
   * @throws ApiError `remote_...` or proxy_could_not_send_request
   */
  async post<T>(remote: Remote, call: RemoteCall<T>): Promise<Answered<T>> {
    try {
      const result = await this.postPersistently(remote, call);
      this.health.succeeded(remote.url);
      return result;
    } catch (error) {
      if (error instanceof ApiError && !isGivenUp(call.signal)) {
        if (FAILURES.has(error.code)) this.health.failed(remote.url);
        else this.health.succeeded(remote.url);
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async postPersistently<T>(remote: Remote, call: RemoteCall<T>): Promise<Answered<T>> {
    const target = new URL(`${remote.url.replace(/\/+$/, '')}${call.path}`);
    const body = JSON.stringify(call.body);
    // nobody waits for a further attempt after the signal
    const endMs = (): number => (call.signal.aborted ? 0 : Number.POSITIVE_INFINITY);
    return retrying({ ...RETRIES, endMs }, () => this.postOnce(target, remote, body, call));
  }

  private async postOnce<T>(target: URL, remote: Remote, body: string, call: RemoteCall<T>): Promise<Answered<T>> {
    const answer = await this.send(target, remote, body, call);
    if (answer.status >= 300) throw refusal(answer.status, await this.read(call, () => quotedAnswer(answer)), answer);
    const bytes = await this.read(call, () => readAnswer(answer, this.options.answerLimitBytes, call.reservation));
    if (areLargeAnswers([bytes])) return { kind: 'unread', bytes };
    try {
      return { kind: 'read', bytes, value: call.read(parseAnswer(bytes)) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new TransientFault(noJson(bytes));
    }
  }

  private async send(
    url: URL,
    { searchApiKey }: Remote,
    body: string,
    call: RemoteCall<unknown>,
  ): Promise<OutboundAnswer> {
    const headers = {
      ...call.headers,
      'content-type': 'application/json',
      ...(searchApiKey === null ? {} : { authorization: `Bearer ${searchApiKey}` }),
    };
    try {
      return await this.client.request({ method: 'POST', url, signal: call.signal, body, headers });
    } catch (error) {
      if (call.signal.aborted) throw timedOut();
      if (error instanceof ClosedNetworkError) throw closedNetwork(error.host);
      throw new TransientFault(apiError('proxy_could_not_send_request', 'notSent', reasonOf(error)));
    }
  }

  private async read<T>({ signal }: RemoteCall<unknown>, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (signal.aborted) throw timedOut();
      throw new TransientFault(badResponse(`The answer broke off: ${reasonOf(error)}.`));
    }
  }
}

/** Whether the caller aborted, which says nothing about the remote. */
function isGivenUp({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError');
}

function refusal(status: number, text: string, answer: OutboundAnswer): Error {
  if (status === 401 || status === 403) return apiError('remote_invalid_api_key', 'search');
  if (status >= 500) return new TransientFault(apiError('remote_remote_error', 'search', status, text));
  if (status < 400)
    return badResponse(
      `The remote redirects to \`${answer.header('location') ?? ''}\`, which is not followed: let its \`url\` name the final address.`,
    );
  return apiError('remote_bad_request', 'search', status, text);
}

const timedOut = (): ApiError => apiError('remote_timeout', 'search');

function closedNetwork(host: string): ApiError {
  return apiError('proxy_could_not_send_request', 'privateNetwork', host);
}
