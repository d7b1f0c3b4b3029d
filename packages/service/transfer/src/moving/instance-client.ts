import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Agent, request } from 'undici';
import { AnswerTooLongError, MoveError, RefusalError } from './move-error.js';

const unpack = promisify(gunzip);
const pack = promisify(gzip);

/**
 * Limit of answers other than documents: a thousand keys or indexes are some hundred kilobytes, settings with long
 * lists some megabytes.
 */
const ANSWER_BYTES_MAX = 64 * 2 ** 20;
/** An idle connection is closed after this time, in milliseconds; a page of large documents takes seconds. */
const SILENCE_MS = 120_000;
const ATTEMPTS_MAX = 8;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;
/** The longest pause between attempts, whatever the instance asks for. */
const MAX_RETRY_AFTER_MS = 60_000;
/** How much of an answer an error quotes. */
const QUOTED_CHARS = 300;
/**
 * Answers that may differ at the next attempt. 500 is not among them: it would be repeated, and delay its message for a
 * minute.
 */
const TRANSIENT = new Set([408, 425, 429, 502, 503, 504]);
/** Faults that a retry cannot change. */
const FINAL_CODES = new Set(['ENOTFOUND', 'ERR_INVALID_URL', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED']);
/** Bodies of at least this many bytes are compressed for an instance on another machine. */
const PACKED_BYTES_MIN = 16_384;

export interface InstanceOptions {
  /** Its name in messages: `source` or `target`. */
  readonly role: string;
  /** Base address; a path in it is kept. */
  readonly url: string;
  readonly key: string | null;
  /** The flag with its key, for messages. */
  readonly keyFlag: string;
  /** First pause between attempts of one request, in milliseconds. */
  readonly firstDelayMs?: number;
}
export interface CallOptions {
  readonly body?: unknown;
  /** JSON text that is sent instead of `body`. */
  readonly bytes?: Buffer;
  /** Of the answer, in bytes, unpacked. */
  readonly limitBytes?: number;
  readonly attempts?: number;
  /**
   * The request is not repeated after a broken connection: it may have been carried out, and must not be carried out
   * twice.
   */
  readonly isOnce?: boolean;
}
interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/**
 * A client of an instance that is the source or target of a move. Temporary failures are tried again with growing
 * pauses.
 */
export class InstanceClient {
  private readonly options: InstanceOptions;
  private readonly base: URL;
  private readonly agent = new Agent({ headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS, connectTimeout: 10_000 });
  private readonly isNear: boolean;
  private aheadMs = 0;

  /** Throws MoveError when the address is no http or https URL. */
  constructor(options: InstanceOptions) {
    if (!URL.canParse(options.url) || !/^https?:\/\//i.test(options.url))
      throw new MoveError(`\`${options.url}\` is no address of an instance: write http://localhost:7700`);
    this.options = options;
    this.base = new URL(options.url);
    this.isNear = /^(localhost|127\.|\[::1\])/.test(this.base.hostname);
  }

  get role(): string {
    return this.options.role;
  }
  /** Without parts that may be secret. */
  get address(): string {
    return `${this.base.origin}${this.base.pathname.replace(/\/+$/, '')}`;
  }
  /** Milliseconds by which its clock was ahead of this one at its last answer, to the second. */
  get clockAheadMs(): number {
    return this.aheadMs;
  }

  /** The JSON of an answer. Throws RefusalError for one that is not 2xx, MoveError when there is none. */
  async call<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, options: CallOptions = {}): Promise<T> {
    const bytes = await this.read(method, path, options);
    if (bytes.length === 0) return undefined as T;
    try {
      return JSON.parse(bytes.toString('utf8')) as T;
    } catch {
      throw this.fault(method, path, `it answered what is no JSON: ${quoted(bytes)}`);
    }
  }

  /** The same as bytes. */
  async read(method: string, path: string, options: CallOptions = {}): Promise<Buffer> {
    const attempts = options.attempts ?? ATTEMPTS_MAX;
    let delayMs = this.options.firstDelayMs ?? FIRST_DELAY_MS;
    for (let attempt = 1; ; attempt++, delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
      let waitMs = delayMs;
      let fault: MoveError;
      try {
        const answer = await this.send(method, path, options);
        if (answer.status >= 200 && answer.status < 300) return answer.bytes;
        fault = this.refusal(method, path, answer);
        if (!TRANSIENT.has(answer.status)) throw fault;
        waitMs = Math.max(delayMs, retryAfterMs(answer.headers));
      } catch (error) {
        if (error instanceof MoveError) throw error;
        fault = this.fault(method, path, reasonOf(error), error);
        if (options.isOnce === true || isFinal(error)) throw fault;
      }
      if (attempt >= attempts) throw fault;
      await pause(waitMs);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async send(method: string, path: string, options: CallOptions): Promise<Answer> {
    const { body, limitBytes = ANSWER_BYTES_MAX } = options;
    const plain = options.bytes ?? (body === undefined ? null : Buffer.from(JSON.stringify(body)));
    const isPacked = plain !== null && !this.isNear && plain.length >= PACKED_BYTES_MIN;
    const answer = await request(new URL(this.base.pathname.replace(/\/+$/, '') + path, this.base), {
      dispatcher: this.agent,
      method: method as 'GET',
      body: isPacked ? await pack(plain, { level: 1 }) : plain,
      headers: {
        'accept-encoding': this.isNear ? 'identity' : 'gzip',
        ...(this.options.key === null ? {} : { authorization: `Bearer ${this.options.key}` }),
        ...(plain === null ? {} : { 'content-type': 'application/json' }),
        ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
      },
    });
    const date = Date.parse(String(answer.headers['date'] ?? ''));
    if (!Number.isNaN(date)) this.aheadMs = date - Date.now();
    const raw = await this.readBody(answer.body, limitBytes);
    const bytes = answer.headers['content-encoding'] === 'gzip' ? await this.unpacked(raw, limitBytes) : raw;
    return { status: answer.statusCode, headers: answer.headers, bytes };
  }

  private async readBody(body: Readable, limitBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let byteCount = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      byteCount += chunk.length;
      // leaving the loop closes the connection
      if (byteCount > limitBytes) throw this.tooLong(limitBytes);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  private async unpacked(raw: Buffer, limitBytes: number): Promise<Buffer> {
    try {
      return await unpack(raw, { maxOutputLength: limitBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw this.tooLong(limitBytes);
      throw error;
    }
  }

  private tooLong(limitBytes: number): AnswerTooLongError {
    return new AnswerTooLongError(
      `the ${this.role} ${this.address} sent an answer of more than ${Math.round(limitBytes / 2 ** 20)} MiB`,
    );
  }

  private refusal(method: string, path: string, { status, bytes, headers }: Answer): RefusalError {
    const { code = '', message = '' } = errorOf(bytes);
    const refusalOf = (what: string): RefusalError => new RefusalError(status, code, what);
    if (code === 'invalid_api_key' || code === 'missing_authorization_header') {
      const wanted = this.options.key === null ? 'needs a key' : 'does not take the key for that';
      return refusalOf(
        `the ${this.role} ${this.address} ${wanted} (${method} ${path}: ${message || code}): give its master key with ${this.options.keyFlag}`,
      );
    }
    if (status >= 300 && status < 400)
      return refusalOf(
        `the ${this.role} ${this.address} sends ${path} on to ${String(headers['location'])}: name that address`,
      );
    return refusalOf(
      `the ${this.role} ${this.address} answered ${status} to ${method} ${path}: ${message || quoted(bytes)}`,
    );
  }

  private fault(method: string, path: string, reason: string, cause?: unknown): MoveError {
    return new MoveError(`the ${this.role} ${this.address} failed at ${method} ${path}: ${reason}`, { cause });
  }
}

function errorOf(bytes: Buffer): { code?: string; message?: string } {
  try {
    const { code, message } = JSON.parse(bytes.toString('utf8')) as { code?: unknown; message?: unknown };
    return {
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof message === 'string' ? { message: message.slice(0, QUOTED_CHARS) } : {}),
    };
  } catch {
    return {};
  }
}
function quoted(bytes: Buffer): string {
  return `\`${bytes.toString('utf8', 0, QUOTED_CHARS).replace(/\s+/g, ' ')}\``;
}
/** Milliseconds that an answer asks to wait; 0 when it does not. */
function retryAfterMs(headers: IncomingHttpHeaders): number {
  const text = String(headers['retry-after'] ?? '').trim();
  if (text === '') return 0;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : 0;
}
function reasonOf(error: unknown): string {
  const { code, message, cause } = error as { code?: string; message?: string; cause?: { message?: string } };
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND') return 'there is no machine of that name';
  // an error of several connection attempts has no message of its own
  return message || cause?.message || code || String(error);
}
function isFinal(error: unknown): boolean {
  return FINAL_CODES.has((error as { code?: string }).code ?? '');
}
