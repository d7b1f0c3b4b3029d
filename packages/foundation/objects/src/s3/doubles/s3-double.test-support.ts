import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { S3Credentials } from '../credentials.js';
import { type S3Location, s3Location } from '../s3-url.js';

const BUCKET = 'films';
const REGION = 'us-east-1';
const LIST_MAX = 1_000;
const SKEW_MAX_MS = 15 * 60_000;
const PART_BYTES_MIN = 5 << 20;

/** What becomes of one request. */
export type S3Fault =
  /** Done; the connection ends without an answer. */
  | { readonly kind: 'lost' }
  /** No answer at all; done `lateMs` later, for example when its client has given up; in the moment of that when absent. */
  | { readonly kind: 'late'; readonly lateMs?: number }
  /** Not done. */
  | { readonly kind: 'refused'; readonly status: number; readonly code?: string; readonly retryAfter?: string }
  /** Answered after this time. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The connection ends after this many bytes of the object. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Nothing more comes after this many bytes of the object. */
  | { readonly kind: 'stalled'; readonly afterBytes: number };

export type S3Operation =
  | 'uploads'
  | 'put'
  | 'get'
  | 'head'
  | 'list'
  | 'delete'
  | 'create'
  | 'upload'
  | 'complete'
  | 'abort';

export interface S3Request {
  readonly operation: S3Operation;
  readonly key: string;
  /** Of the body. */
  readonly bytes: number;
}

/** Switches, which a test may change at any time. */
export interface S3Faults {
  /** Asked for each request. */
  of?: (request: S3Request) => S3Fault | undefined;
  /** Creates if absent look first and write later, as in some stores: several win. */
  twoWin?: boolean;
  /** Conditions are ignored, as by stores that do not know them. */
  ignoresConditions?: boolean;
  /** The store's clock less that of this machine. */
  skewMs?: number;
  /** Its answers do not say what time it is there. */
  hidesTime?: boolean;
}

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

/** A refusal, as XML. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** A store that speaks the protocol of S3, with one bucket in memory, and with faults on request. */
export class S3Double {
  readonly faults: S3Faults = {};
  readonly objects = new Map<string, Buffer>();
  /** Uploads that were neither completed nor aborted. */
  readonly uploads = new Map<string, Upload>();
  /** All requests so far. */
  readonly requests: S3Request[] = [];
  readonly credentials: S3Credentials = { from: 'keys', accessKey: 'double', secretKey: 'double-secret' };
  private readonly server: Server = createServer((request, response) => void this.serve(request, response));

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  get endpoint(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  location(prefix = ''): S3Location {
    return s3Location({ bucket: BUCKET, prefix, region: REGION, endpoint: this.endpoint, isPathStyle: true });
  }

  url(prefix = ''): string {
    return `s3://${BUCKET}/${prefix}?region=${REGION}&endpoint=${encodeURIComponent(this.endpoint)}`;
  }

  /** How many requests of an operation there were. */
  count(operation: S3Operation): number {
    return this.requests.filter((request) => request.operation === operation).length;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await buffer(request);
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const [, bucket = '', ...names] = decodeURIComponent(pathname).split('/');
      const key = names.join('/');
      const operation = operationOf(request.method ?? '', key, searchParams);
      const asked: S3Request = { operation, key, bytes: body.length };
      this.requests.push(asked);
      const fault = this.faults.of?.(asked);
      if (fault?.kind === 'refused') return this.refuse(response, fault);
      if (fault?.kind === 'slow') await setTimeout(fault.ms);
      if (fault?.kind === 'late' && fault.lateMs !== undefined)
        await setTimeout(fault.lateMs, undefined, { ref: false });
      if (fault?.kind === 'late' && fault.lateMs === undefined && !response.closed) await once(response, 'close');
      this.checkRequest(request, bucket);
      const answer = await this.answer(operation, key, searchParams, request, body);
      if (fault?.kind === 'lost' || fault?.kind === 'late') return void request.socket.destroy();
      await this.send(response, answer, operation === 'head', fault);
    } catch (error) {
      if (error instanceof Refusal) return this.refuse(response, error);
      response.destroy();
    }
  }

  private checkRequest({ headers }: IncomingMessage, bucket: string): void {
    const [, accessKey] = /Credential=([^/]+)\//.exec(headers.authorization ?? '') ?? [];
    if (accessKey === undefined) throw new Refusal(403, 'AccessDenied');
    if (this.credentials.from === 'keys' && accessKey !== this.credentials.accessKey)
      throw new Refusal(403, 'InvalidAccessKeyId');
    const at = String(headers['x-amz-date']).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');
    if (!(Math.abs(Date.parse(at) - this.now()) <= SKEW_MAX_MS)) throw new Refusal(403, 'RequestTimeTooSkewed');
    if (bucket !== BUCKET) throw new Refusal(404, 'NoSuchBucket');
  }

  private now(): number {
    return Date.now() + (this.faults.skewMs ?? 0);
  }

  private async answer(
    operation: S3Operation,
    key: string,
    query: URLSearchParams,
    { headers }: IncomingMessage,
    body: Buffer,
  ): Promise<Answer> {
    switch (operation) {
      case 'put':
        await this.write(key, body, headers);
        return { headers: { etag: tagOf(body) } };
      case 'head':
      case 'get':
        return this.read(key, headers);
      case 'delete':
        this.objects.delete(key);
        return { status: 204 };
      case 'list':
        return { content: this.list(query) };
      case 'uploads': {
        const open = [...this.uploads].filter(([, upload]) => upload.key.startsWith(query.get('prefix') ?? ''));
        const each = open.map(
          ([uploadId, upload]) => `<Upload><Key>${upload.key}</Key><UploadId>${uploadId}</UploadId></Upload>`,
        );
        return { content: xml('ListMultipartUploadsResult', each.join('')) };
      }
      case 'create': {
        const uploadId = randomUUID();
        this.uploads.set(uploadId, { key, parts: new Map() });
        return { content: xml('InitiateMultipartUploadResult', `<UploadId>${uploadId}</UploadId>`) };
      }
      case 'upload':
        this.uploadOf(query, key).parts.set(Number(query.get('partNumber')), body);
        return { headers: { etag: tagOf(body) } };
      case 'complete':
        await this.complete(query, key, headers, body.toString());
        return { content: xml('CompleteMultipartUploadResult', `<Key>${key}</Key><ETag>"whole"</ETag>`) };
      case 'abort':
        this.uploadOf(query, key);
        this.uploads.delete(query.get('uploadId')!);
        return { status: 204 };
    }
  }

  private async write(key: string, body: Buffer, headers: IncomingMessage['headers']): Promise<void> {
    const isConditional = headers['if-none-match'] === '*' && this.faults.ignoresConditions !== true;
    if (isConditional && this.objects.has(key)) throw new Refusal(412, 'PreconditionFailed');
    if (isConditional && this.faults.twoWin === true) await setTimeout(20);
    this.objects.set(key, body);
  }

  private read(key: string, headers: IncomingMessage['headers']): Answer {
    const object = this.objects.get(key);
    if (object === undefined) throw new Refusal(404, 'NoSuchKey');
    const etag = tagOf(object);
    if (headers['if-match'] !== undefined && headers['if-match'] !== etag) throw new Refusal(412, 'PreconditionFailed');
    const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    if (start === undefined) return { headers: { etag }, content: object };
    if (Number(start) >= object.length) throw new Refusal(416, 'InvalidRange');
    const content = object.subarray(Number(start), end === '' || end === undefined ? undefined : Number(end) + 1);
    return { status: 206, headers: { etag }, content };
  }

  private list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, LIST_MAX);
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)!.length}</Size></Contents>`,
    );
    const isCut = keys.length > page.length;
    const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return xml('ListBucketResult', `<IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}`);
  }

  private uploadOf(query: URLSearchParams, key: string): Upload {
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (upload === undefined || upload.key !== key) throw new Refusal(404, 'NoSuchUpload');
    return upload;
  }

  private async complete(
    query: URLSearchParams,
    key: string,
    headers: IncomingMessage['headers'],
    body: string,
  ): Promise<void> {
    const upload = this.uploadOf(query, key);
    const numbers = [...body.matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number));
    const parts = numbers.map((number) => upload.parts.get(number));
    if (parts.some((part) => part === undefined)) throw new Refusal(400, 'InvalidPart');
    const whole = parts as Buffer[];
    if (whole.slice(0, -1).some((part) => part.length < PART_BYTES_MIN)) throw new Refusal(400, 'EntityTooSmall');
    if (new Set(whole.slice(0, -1).map((part) => part.length)).size > 1) throw new Refusal(400, 'InvalidPart');
    await this.write(key, Buffer.concat(whole), headers);
    this.uploads.delete(query.get('uploadId')!);
  }

  private async send(
    response: ServerResponse,
    { status = 200, headers = {}, content = '' }: Answer,
    isHead: boolean,
    fault: S3Fault | undefined,
  ): Promise<void> {
    const bytes = Buffer.from(content);
    response.writeHead(status, { ...headers, ...this.date(), 'content-length': bytes.length });
    if (isHead) return void response.end();
    if (fault?.kind !== 'cut' && fault?.kind !== 'stalled') return void response.end(bytes);
    response.write(bytes.subarray(0, fault.afterBytes));
    // what was written is on its way
    await setTimeout(50);
    if (fault.kind === 'cut') response.destroy();
  }

  private refuse(
    response: ServerResponse,
    { status, code, retryAfter }: { readonly status: number; readonly code?: string; readonly retryAfter?: string },
  ): void {
    const content = code === undefined ? '' : xml('Error', `<Code>${code}</Code><Message>a secret</Message>`);
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    response.writeHead(status, { ...headers, ...this.date(), 'content-type': 'application/xml' });
    response.end(content);
  }

  private date(): Readonly<Record<string, string>> {
    return { date: this.faults.hidesTime === true ? '' : new Date(this.now()).toUTCString() };
  }
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: Buffer | string;
}

function operationOf(method: string, key: string, query: URLSearchParams): S3Operation {
  const isUpload = query.has('uploadId');
  switch (method) {
    case 'PUT':
      return isUpload ? 'upload' : 'put';
    case 'POST':
      return isUpload ? 'complete' : 'create';
    case 'DELETE':
      return isUpload ? 'abort' : 'delete';
    case 'HEAD':
      return 'head';
    default:
      return query.has('uploads') ? 'uploads' : key === '' ? 'list' : 'get';
  }
}

function tagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function xml(name: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><${name}>${content}</${name}>`;
}
