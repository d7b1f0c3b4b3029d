import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import {
  AnswerTooLongError as OutboundAnswerTooLongError,
  OutboundClient,
  type OutboundRequest,
  quoted,
  readBytes,
  reasonOf,
  retryAfterMs,
  retrying,
  TransientFault,
} from '@fossick/outbound';
import { AnswerTooLongError, CallError, RefusalError } from './call-errors.js';

const unpack = promisify(gunzip);
const pack = promisify(gzip);

/**
 * Limit of answers other than documents: a thousand keys or indexes are some hundred kilobytes, settings with long
 * lists some megabytes.
 */
const ANSWER_BYTES_MAX = 64 * 2 ** 20;
/** An idle connection is closed after this time, in milliseconds; a page of large documents takes seconds. */
const SILENCE_MS = 120_000;
const RETRIES = { attempts: 8, firstPauseMs: 250, pauseMsMax: 10_000, askedPauseMsMax: 60_000 };
/** How much of an answer an error quotes. */
const QUOTED_CHARS = 300;
/**
 * Answers that may differ at the next attempt. 500 is not among them: it would be repeated, and delay its message for a
 * minute.
 */
const TRANSIENT = new Set([408, 425, 429, 502, 503, 504]);
/** Faults that a retry cannot change. */
const FINAL_CODES = new Set([
  'ENOTFOUND',
  'ERR_INVALID_URL',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);
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
  readonly location: string | null;
  readonly retryAfter: string | null;
  readonly bytes: Buffer;
}

/** A client of a running instance, for commands. Temporary failures are tried again with growing pauses. */
export class InstanceClient {
  private readonly options: InstanceOptions;
  private readonly base: URL;
  /** The user named the address: any may be called. */
  private readonly client = new OutboundClient({ policy: null });
  private readonly isNear: boolean;
  private aheadMs = 0;

  /** Throws CallError when the address is no http or https URL. */
  constructor(options: InstanceOptions) {
    if (!URL.canParse(options.url) || !/^https?:\/\//i.test(options.url))
      throw new CallError(`\`${options.url}\` is no address of an instance: write http://localhost:7700`);
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

  /** The JSON of an answer. Throws RefusalError for one that is not 2xx, CallError when there is none. */
  async call<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, options: CallOptions = {}): Promise<T> {
    const bytes = await this.read(method, path, options);
    if (bytes.length === 0) return undefined as T;
    try {
      return JSON.parse(bytes.toString('utf8')) as T;
    } catch {
      throw this.fault(method, path, `it answered with text that is not JSON: ${beginningOf(bytes)}`);
    }
  }

  /** The same as bytes. */
  async read(method: OutboundRequest['method'], path: string, options: CallOptions = {}): Promise<Buffer> {
    const { attempts = RETRIES.attempts, isOnce = false } = options;
    const firstPauseMs = this.options.firstDelayMs ?? RETRIES.firstPauseMs;
    return retrying({ ...RETRIES, firstPauseMs, attempts }, async () => {
      const answer = await this.send(method, path, options).catch((error: unknown) => {
        if (error instanceof CallError) throw error;
        const fault = this.fault(method, path, faultOf(error), error);
        throw isOnce || isFinal(error) ? fault : new TransientFault(fault);
      });
      if (answer.status >= 200 && answer.status < 300) return answer.bytes;
      const refusal = this.refusal(method, path, answer);
      throw TRANSIENT.has(answer.status) ? new TransientFault(refusal, retryAfterMs(answer.retryAfter)) : refusal;
    });
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async send(method: OutboundRequest['method'], path: string, options: CallOptions): Promise<Answer> {
    const { body, limitBytes = ANSWER_BYTES_MAX } = options;
    const plain = options.bytes ?? (body === undefined ? null : Buffer.from(JSON.stringify(body)));
    const isPacked = plain !== null && !this.isNear && plain.length >= PACKED_BYTES_MIN;
    const answer = await this.client.request({
      method,
      url: new URL(this.base.pathname.replace(/\/+$/, '') + path, this.base),
      body: isPacked ? await pack(plain, { level: 1 }) : plain,
      headers: {
        'accept-encoding': this.isNear ? 'identity' : 'gzip',
        ...(this.options.key === null ? {} : { authorization: `Bearer ${this.options.key}` }),
        ...(plain === null ? {} : { 'content-type': 'application/json' }),
        ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
      },
      silenceMs: SILENCE_MS,
    });
    const date = Date.parse(answer.header('date') ?? '');
    if (!Number.isNaN(date)) this.aheadMs = date - Date.now();
    const raw = await this.readBody(answer.body, limitBytes);
    const bytes = answer.header('content-encoding') === 'gzip' ? await this.unpacked(raw, limitBytes) : raw;
    const [location, retryAfter] = [answer.header('location'), answer.header('retry-after')];
    return { status: answer.status, location, retryAfter, bytes };
  }

  private async readBody(body: AsyncIterable<Buffer>, limitBytes: number): Promise<Buffer> {
    try {
      return await readBytes(body, limitBytes);
    } catch (error) {
      throw error instanceof OutboundAnswerTooLongError ? this.tooLong(limitBytes) : error;
    }
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

  private refusal(method: string, path: string, { status, bytes, location }: Answer): RefusalError {
    const { code = '', message = '' } = errorOf(bytes);
    const refusalOf = (what: string): RefusalError => new RefusalError(status, code, what);
    if (code === 'invalid_api_key' || code === 'missing_authorization_header') {
      const wanted = this.options.key === null ? 'needs a key' : 'does not take the key for that';
      return refusalOf(
        `the ${this.role} ${this.address} ${wanted} (${method} ${path}: ${message || code}): give its master key with ${this.options.keyFlag}`,
      );
    }
    if (status >= 300 && status < 400)
      return refusalOf(`the ${this.role} ${this.address} sends ${path} on to ${location ?? ''}: name that address`);
    return refusalOf(
      `the ${this.role} ${this.address} answered ${status} to ${method} ${path}: ${message || beginningOf(bytes)}`,
    );
  }

  private fault(method: string, path: string, reason: string, cause?: unknown): CallError {
    return new CallError(`the ${this.role} ${this.address} failed at ${method} ${path}: ${reason}`, { cause });
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
function beginningOf(bytes: Buffer): string {
  return `\`${quoted(bytes.toString('utf8', 0, QUOTED_CHARS), QUOTED_CHARS)}\``;
}
function faultOf(error: unknown): string {
  const { code } = error as { readonly code?: string };
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND') return 'there is no machine of that name';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'it speaks no TLS: write http://';
  return reasonOf(error);
}
function isFinal(error: unknown): boolean {
  return FINAL_CODES.has((error as { code?: string }).code ?? '');
}
