import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { ClosedNetworkError, closedHost, type NetworkPolicy } from './network-policy.js';

/** Bytes of a body that are handed to the connection at a time: each piece that it takes is a sign of life. */
const PIECE_BYTES = 64 * 1024;

/** Nothing was sent or received for a time, or no answer began within a time. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
  /** The limit that was exceeded, in milliseconds. */
  readonly limitMs: number;

  constructor(message: string, limitMs: number) {
    super(message);
    this.limitMs = limitMs;
  }
}

export interface OutboundOptions {
  /** Which addresses may be called; null: all. */
  readonly policy: NetworkPolicy | null;
  /** For a connection to be made, in milliseconds; 10 s when absent. */
  readonly connectMs?: number;
  /** How HTTPS is spoken: as Node's own when absent. */
  readonly tls?: OutboundTls;
}

/** PEM: this client's certificate with its key, and the authorities of servers, in place of those of the system. */
export interface OutboundTls {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Of http or https. Credentials in it are sent as a header, as browsers do, unless `headers` has one. */
  readonly url: URL;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | null;
  readonly signal?: AbortSignal | undefined;
  /** Without a byte in either direction; no limit when absent. */
  readonly silenceMs?: number;
  /** From the end of the request to the beginning of its answer; no limit when absent. */
  readonly answerMs?: number;
}

/** An answer that has begun. Its body is read, or ended by `discard`: until then it holds its connection. */
export interface OutboundAnswer {
  readonly status: number;
  /** The first value of a header by its name in lower case; null when it is absent. */
  header(name: string): string | null;
  readonly body: AsyncIterable<Buffer>;
  /** Drops the rest of the body; a short one keeps the connection for the next request. */
  discard(): Promise<void>;
}

/**
 * The one HTTP client of the product for requests to other servers. It follows no redirect, because keys are for one address only, and
 * repeats nothing (`retrying` does). Connections are kept and used again. The library is loaded with the first request.
 */
export class OutboundClient {
  private readonly options: OutboundOptions;
  private agent: Promise<Agent> | undefined;

  constructor(options: OutboundOptions) {
    this.options = options;
  }

  /** Loads the library ahead of the first request: it would block the thread for some tenths of a second. */
  async prepare(): Promise<void> {
    this.agent ??= connect(this.options);
    await this.agent;
  }

  /**
   * Sends a request and resolves when its answer begins. Rejects with ClosedNetworkError when the policy forbids the
   * address, SilenceError after a limit of time, the signal's reason when that is aborted, and else with the error of
   * the connection. The body of the answer rejects with the same.
   */
  async request(request: OutboundRequest): Promise<OutboundAnswer> {
    const { url, signal } = request;
    const { policy } = this.options;
    if (policy !== null && !policy.allowsHost(url.hostname)) throw new ClosedNetworkError(url.hostname);
    signal?.throwIfAborted();
    this.agent ??= connect(this.options);
    const agent = await this.agent;
    const watch = new SilenceWatch(request);
    try {
      const answer = await agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: headersOf(request),
        body: bodyOf(request, watch),
        signal: watch.signal,
      });
      watch.answered();
      return shown(answer, watch);
    } catch (error) {
      throw watch.reasonOf(error);
    }
  }

  /** Breaks off what is under way and closes all connections. */
  async close(): Promise<void> {
    await (await this.agent)?.destroy();
  }
}

async function connect({ policy, connectMs = 10_000, tls }: OutboundOptions): Promise<Agent> {
  const { Agent } = await import('undici');
  // time limits are this client's own: they count bytes in both directions
  return new Agent({
    connect: { timeout: connectMs, ...(policy === null ? {} : { lookup: policy.lookup }), ...tls },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function headersOf({ url, headers = {}, body }: OutboundRequest): Record<string, string> {
  const { username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    ...(credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    // a body in pieces has no length of its own
    ...(body === undefined || body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
}

/** Small bodies as they are, larger ones in pieces, so that progress is seen. */
function bodyOf({ body = null }: OutboundRequest, watch: SilenceWatch): Buffer | string | Readable | null {
  if (body === null || Buffer.byteLength(body) <= PIECE_BYTES) return body;
  const bytes = Buffer.from(body);
  return Readable.from(
    piecesOf(bytes, () => watch.heard()),
    { objectMode: false },
  );
}

function* piecesOf(bytes: Buffer, onPiece: () => void): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    onPiece();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
  onPiece();
}

function shown({ statusCode, headers, body }: Dispatcher.ResponseData, watch: SilenceWatch): OutboundAnswer {
  return {
    status: statusCode,
    header: (name) => {
      const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
      return (Array.isArray(value) ? value[0] : value) ?? null;
    },
    body: watched(body, watch),
    discard: async () => {
      await body.dump({ limit: PIECE_BYTES, signal: watch.signal }).catch(() => undefined);
      watch.end();
    },
  };
}

async function* watched(body: AsyncIterable<Buffer>, watch: SilenceWatch): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of body) {
      watch.heard();
      yield bytes;
      // the time that its reader took is not the server's
      watch.heard();
    }
  } catch (error) {
    throw watch.reasonOf(error);
  } finally {
    watch.end();
  }
}

/** Ends one request when the other side is silent for too long, or its caller leaves. */
class SilenceWatch {
  private readonly over = new AbortController();
  private readonly request: OutboundRequest;
  private readonly silence: NodeJS.Timeout | undefined;
  private answer: NodeJS.Timeout | undefined;
  private hasEnded = false;
  readonly signal: AbortSignal;

  constructor(request: OutboundRequest) {
    const { silenceMs, answerMs, signal } = request;
    this.request = request;
    this.silence =
      silenceMs === undefined ? undefined : this.limit(silenceMs, `nothing came or went for ${shownMs(silenceMs)}`);
    this.answer =
      answerMs === undefined ? undefined : this.limit(answerMs, `no answer came within ${shownMs(answerMs)}`);
    this.signal = signal === undefined ? this.over.signal : AbortSignal.any([signal, this.over.signal]);
  }

  /** Bytes were sent or received. */
  heard(): void {
    // a cleared timer would begin anew
    if (this.hasEnded) return;
    this.silence?.refresh();
    this.answer?.refresh();
  }

  /** The answer has begun. */
  answered(): void {
    clearTimeout(this.answer);
    this.answer = undefined;
    this.heard();
  }

  end(): void {
    this.hasEnded = true;
    clearTimeout(this.answer);
    clearTimeout(this.silence);
  }

  /** The error that a caller gets for `error`. The request has ended. */
  reasonOf(error: unknown): unknown {
    this.end();
    if (this.over.signal.aborted) return this.over.signal.reason;
    if (this.request.signal?.aborted === true) return this.request.signal.reason;
    const host = closedHost(error);
    if (host !== null) return new ClosedNetworkError(host);
    const isUpgrade = error instanceof Error && error.message === 'bad upgrade';
    return isUpgrade ? new Error('it answered 101, which nobody asked for', { cause: error }) : error;
  }

  private limit(limitMs: number, message: string): NodeJS.Timeout {
    return setTimeout(() => this.over.abort(new SilenceError(message, limitMs)), limitMs);
  }
}

function shownMs(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}
