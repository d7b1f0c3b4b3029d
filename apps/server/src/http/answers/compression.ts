import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflate,
  deflateSync,
  gzip,
  gzipSync,
} from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { collectSoon, isGone, LARGE_BYTES } from './answer-watch.js';
import { byteLength, PartedBytes } from './parted-bytes.js';

/**
 * Compressions that run in other threads at a time: half of the threads that Node has for them, so that files are read meanwhile. Each takes
 * up to 20 MB besides the answer.
 */
const AT_ONCE = 2;

/** Up to this size compressing (at most 80 µs) costs the event loop less than passing it to another thread and back. */
const SYNC_BYTES = 8 * 1024;
const LEVEL = 4;
/** Answers of several parts up to this size are joined: they cost less as one. Larger ones are compressed in pieces, which are never joined. */
const JOINED_BYTES = 256 * 1024;
const PIECE_BYTES = 64 * 1024;
/** Brotli's window, as exponents of 2: the minimum of zlib, and the library's default. */
const [MIN_WINDOW_BITS, MAX_WINDOW_BITS] = [10, 22];

export type Encoding = 'br' | 'gzip' | 'deflate';
interface Compressor {
  readonly now: (bytes: Buffer) => Buffer;
  readonly later: (bytes: Buffer) => Promise<Buffer>;
  /** Flushes after every piece, so that a live stream stays live. */
  readonly stream: () => Transform;
  /** Flushes at the end only. */
  readonly whole: (sizeBytes: number) => Transform;
}
const brotliParams = (sizeBytes: number): { params: Record<number, number> } => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: LEVEL,
    [constants.BROTLI_PARAM_SIZE_HINT]: sizeBytes,
    // the default window is 4 MiB, which would be cleared for every answer
    [constants.BROTLI_PARAM_LGWIN]: Math.max(MIN_WINDOW_BITS, Math.min(MAX_WINDOW_BITS, bitsOf(sizeBytes))),
  },
});
const bitsOf = (size: number): number => 32 - Math.clz32(size);
const [laterBrotli, laterGzip, laterDeflate] = [promisify(brotliCompress), promisify(gzip), promisify(deflate)];
const streamed = { level: LEVEL, flush: constants.Z_SYNC_FLUSH };
const compressors: Readonly<Record<Encoding, Compressor>> = {
  br: {
    now: (bytes) => brotliCompressSync(bytes, brotliParams(bytes.length)),
    later: (bytes) => laterBrotli(bytes, brotliParams(bytes.length)),
    stream: () =>
      createBrotliCompress({
        params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL },
        flush: constants.BROTLI_OPERATION_FLUSH,
      }),
    whole: (sizeBytes) => createBrotliCompress({ ...brotliParams(sizeBytes), chunkSize: PIECE_BYTES }),
  },
  gzip: {
    now: (bytes) => gzipSync(bytes, { level: LEVEL }),
    later: (bytes) => laterGzip(bytes, { level: LEVEL }),
    stream: () => createGzip(streamed),
    whole: () => createGzip({ level: LEVEL, chunkSize: PIECE_BYTES }),
  },
  deflate: {
    now: (bytes) => deflateSync(bytes, { level: LEVEL }),
    later: (bytes) => laterDeflate(bytes, { level: LEVEL }),
    stream: () => createDeflate(streamed),
    whole: () => createDeflate({ level: LEVEL, chunkSize: PIECE_BYTES }),
  },
};

/** The compressed forms of answers that never change, by their bytes. */
const constantForms = new WeakMap<Buffer, Map<Encoding, Buffer | Promise<Buffer | null>>>();

/** Says that an answer is sent again and again: each of its compressed forms is made once and kept as long as the bytes. */
export function constantAnswer(bytes: Buffer): Buffer {
  if (!constantForms.has(bytes)) constantForms.set(bytes, new Map());
  return bytes;
}

/** Whether an answer is one of those: however many clients take it, its bytes are there once. */
export function isConstantAnswer(payload: unknown): boolean {
  return Buffer.isBuffer(payload) && constantForms.has(payload);
}

/**
 * Compresses every answer that has a body, however small, if the client accepts one of the methods. Larger ones wait for their turn, of
 * `turns`; one whose client has gone meanwhile is not compressed.
 */
export function registerCompression(app: FastifyInstance, turns = new CompressionTurns()): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    addVary(reply, 'accept-encoding');
    const accepted = request.headers['accept-encoding'];
    if (accepted === undefined || isEmpty(payload) || reply.hasHeader('content-encoding')) return done(null, payload);
    if (String(reply.getHeader('cache-control')).includes('no-transform')) return done(null, payload);
    const encoding = preferredEncoding(Array.isArray(accepted) ? accepted.join(',') : accepted);
    if (encoding === undefined) return done(null, payload);
    const send = (compressed: unknown): void => {
      reply.header('content-encoding', encoding).removeHeader('content-length');
      done(null, compressed);
    };
    // the answer hears of a stream's faults
    if (isStream(payload)) return send(pipeline(payload, compressors[encoding].stream(), () => undefined));
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload) && !(payload instanceof PartedBytes))
      return done(null, payload);
    if (isGone(reply.raw)) return done(null, payload);
    // who has gone needs none of it, and the reply would keep what it has
    const sendIfWanted = (compressed: unknown): void => (compressed === null ? done(null, '') : send(compressed));
    const isWanted = (): boolean => !isGone(reply.raw);
    const compressed = compressedAnswer(typeof payload === 'string' ? Buffer.from(payload) : payload, encoding, {
      turns,
      isWanted,
    });
    if (Buffer.isBuffer(compressed)) return send(compressed);
    lookOnClose(reply, turns);
    // what is counted from then on is what is sent
    if (byteLength(payload) >= LARGE_BYTES) compressed.then(collectSoon, collectSoon);
    compressed.then(sendIfWanted, done);
  });
}

/** In a scope of its own: the listener would keep the answer, until its client has taken the compressed one. */
function lookOnClose({ raw }: FastifyReply, turns: CompressionTurns): void {
  raw.once('close', () => turns.lookSoon());
}

/** When an answer is compressed, and whether it is still wanted then. */
interface Waiting {
  readonly turns: CompressionTurns;
  readonly isWanted: () => boolean;
}

/** The compressed answer, at once where it is small; null when nobody wants it any more. Parts are joined only where that is short. */
function compressedAnswer(
  bytes: Buffer | PartedBytes,
  encoding: Encoding,
  waiting: Waiting,
): Buffer | Promise<Buffer | PartedBytes | null> {
  if (bytes instanceof PartedBytes)
    return bytes.byteLength <= JOINED_BYTES
      ? compressedAnswer(Buffer.concat(bytes.parts), encoding, waiting)
      : compressedParts(bytes, encoding, waiting);
  const forms = constantForms.get(bytes);
  if (forms === undefined)
    return bytes.length <= JOINED_BYTES
      ? compressedBytes(bytes, encoding, waiting)
      : compressedParts(new PartedBytes([bytes]), encoding, waiting);
  let form = forms.get(encoding);
  if (form === undefined) {
    form = compressedBytes(bytes, encoding, { ...waiting, isWanted: () => true });
    forms.set(encoding, form);
    // a promise is awaited in a later turn: the form itself is not
    if (!Buffer.isBuffer(form))
      form.then(
        (made) => forms.set(encoding, made!),
        () => forms.delete(encoding),
      );
  }
  return form;
}

function compressedBytes(
  bytes: Buffer,
  encoding: Encoding,
  { turns, isWanted }: Waiting,
): Buffer | Promise<Buffer | null> {
  const { now, later } = compressors[encoding];
  return bytes.length <= SYNC_BYTES ? now(bytes) : turns.run(() => later(bytes), isWanted);
}

/** Ends early once nobody wants the answer any more. */
function compressedParts(
  { parts, byteLength: sizeBytes }: PartedBytes,
  encoding: Encoding,
  { turns, isWanted }: Waiting,
): Promise<PartedBytes | null> {
  return turns.run(async () => {
    const compressed: Buffer[] = [];
    const compressor = compressors[encoding].whole(sizeBytes);
    pipeline(Readable.from(parts), compressor, () => undefined);
    for await (const piece of compressor) {
      if (!isWanted()) return null;
      compressed.push(piece as Buffer);
    }
    return new PartedBytes(compressed);
  }, isWanted);
}

/** Adds a request header to `Vary`. */
export function addVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? name : `${String(before)}, ${name}`);
}

/** Without a body there is nothing to compress, and the length (of a HEAD, of 204) stays as the route set it. */
function isEmpty(payload: unknown): boolean {
  return payload === undefined || payload === null || (payload as string | Buffer).length === 0;
}

function isStream(payload: unknown): payload is Readable {
  return typeof (payload as Partial<Readable>).pipe === 'function';
}

const REMEMBERED_HEADERS = 64;
/** Clients send few different headers, and the same one with every request. */
const remembered = new Map<string, Encoding | undefined>();

/**
 * The method of ours that an Accept-Encoding header prefers, with ties going to the better ratio; undefined when it
 * accepts none (RFC 9110 section 12.5.3). Compression beats `identity` whatever their weights, as 00 has it; and if
 * neither is accepted, an uncompressed answer is better than none.
 */
export function preferredEncoding(header: string): Encoding | undefined {
  if (!remembered.has(header)) {
    if (remembered.size >= REMEMBERED_HEADERS) remembered.clear();
    remembered.set(header, readPreference(header));
  }
  return remembered.get(header);
}

function readPreference(header: string): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
    // the former name of the same method
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : readWeight(weight));
  }
  const of = (name: Encoding): number => weights.get(name) ?? weights.get('*') ?? 0;
  let best: Encoding | undefined;
  for (const name of ['br', 'gzip', 'deflate'] as const)
    if (of(name) > (best === undefined ? 0 : of(best))) best = name;
  return best;
}

/** An invalid weight, or one outside of 0 to 1, accepts nothing. */
function readWeight(parameter: string): number {
  const text = parameter.slice(parameter.indexOf('=') + 1).trim();
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

interface Waiter {
  readonly isWanted: () => boolean;
  readonly begin: () => void;
  readonly skip: () => void;
}

/** Answers that are compressed, and those that wait for it, first come, first served. What waits holds its answer only, and only while it is wanted. */
export class CompressionTurns {
  private readonly waiting: Waiter[] = [];
  private running = 0;
  private isLooking = false;

  /** Compressions under way. */
  get runningCount(): number {
    return this.running;
  }

  /** Answers that wait for their turn. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** The result of the work; null when it is not wanted any more before its turn. */
  run<T>(work: () => Promise<T>, isWanted: () => boolean): Promise<T | null> {
    return new Promise<T | null>((resolve, reject) => {
      const begin = (): void => {
        this.running += 1;
        work()
          .then(resolve, reject)
          .finally(() => {
            this.running -= 1;
            this.beginNext();
          });
      };
      this.waiting.push({ isWanted, begin, skip: () => resolve(null) });
      this.beginNext();
    });
  }

  /** Called when one of those that wait may not be wanted any more. One look is for all of the turn. */
  lookSoon(): void {
    if (this.isLooking || this.waiting.length === 0) return;
    this.isLooking = true;
    setImmediate(() => {
      this.isLooking = false;
      const waiting = this.waiting.splice(0);
      for (const waiter of waiting) {
        if (waiter.isWanted()) this.waiting.push(waiter);
        else waiter.skip();
      }
    });
  }

  private beginNext(): void {
    while (this.running < AT_ONCE) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      if (next.isWanted()) next.begin();
      else next.skip();
    }
  }
}
