import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { promisify } from 'node:util';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { parseJson } from '@fossick/api';
import { type ApiError, apiError, MAX_JSON_PARTS, MAX_MANAGEMENT_VALUES, own } from '@fossick/base';
import { JsonMeter } from '@fossick/documents';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { reservationOf, STALLED } from './body-intake.js';

/** The limits of bodies that options set, in bytes. */
export interface BodyLimits {
  readonly payloadLimitBytes: number;
  readonly readLimitBytes: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly bodyLimits: BodyLimits;
  }
  interface FastifyRequest {
    /**
     * The Content-Type header as received; Fastify itself never sees it, because each route checks its body in its own
     * order.
     */
    receivedContentType: string | undefined;
  }
}

/** Accepted content types of a JSON body. */
const JSON_TYPES: readonly string[] = ['application/json'];
/** Announced bodies up to this size are read at once. */
const SMALL_BODY_BYTES = 1 << 20;
const EMPTY = Buffer.alloc(0);

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
};

/**
 * Hides the content type from Fastify, which would otherwise refuse some types before a route has checked its rights.
 * Each route reads its own body.
 */
export function takeOverBodies(app: FastifyInstance, limits: BodyLimits): void {
  app.decorate('bodyLimits', limits);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.decorateRequest('receivedContentType', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    request.receivedContentType = request.raw.headers['content-type'];
    // not deleted: that would make every later look at the headers slower
    request.raw.headers['content-type'] = undefined;
    done();
  });
}

/** The media type of a body without its parameters, lower case; throws missing_content_type or invalid_content_type. */
export function mediaTypeOf(header: string | undefined, accepted: readonly string[]): string {
  if (header !== undefined && accepted.includes(header)) return header;
  const list = accepted.map((type) => `\`${type}\``).join(', ');
  if (header === undefined) throw apiError('missing_content_type', list);
  const essence = header.split(';', 1)[0]!.trim().toLowerCase();
  if (!accepted.includes(essence)) throw apiError('invalid_content_type', 'notAccepted', header, list);
  return essence;
}

/** The body after decompression; fails with payload_too_large once it exceeds `limitBytes`. */
export function decodedBody(request: FastifyRequest, limitBytes: number): Readable {
  const raw = request.raw;
  const decoder = own(DECODERS, (request.headers['content-encoding'] ?? '').trim().toLowerCase());
  const meter = new Meter(limitBytes, () => tooLarge(request.server.bodyLimits, limitBytes));
  // The body may fail before its reader listens, and an unhandled error would end the process: the reader still gets
  // it, because a stream keeps its error.
  meter.on('error', () => undefined);
  meter.once('close', () => {
    // The rest of the client's body is read and dropped, so that the client reads its answer.
    raw.unpipe();
    raw.resume();
  });
  raw.once('error', (error) => meter.destroy(error));
  raw.once('aborted', () => meter.destroy(brokenBody('the connection closed before its end')));
  raw.once(STALLED, () => meter.destroy(stalledBody()));
  if (decoder === undefined) return raw.pipe(meter);
  const decoding = decoder();
  decoding.once('error', (error) => meter.destroy(brokenBody(error.message)));
  // frees decoded bytes that are no longer needed, and tables of up to 16 MiB, at once
  meter.once('close', () => decoding.destroy());
  return raw.pipe(decoding).pipe(meter);
}

/** Passes bytes through and counts them. */
class Meter extends Transform {
  private seenBytes = 0;
  private readonly limitBytes: number;
  private readonly refusal: () => ApiError;

  constructor(limitBytes: number, refusal: () => ApiError) {
    super();
    this.limitBytes = limitBytes;
    this.refusal = refusal;
  }
  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: Error | null, chunk?: Buffer) => void) {
    this.seenBytes += chunk.length;
    if (this.seenBytes <= this.limitBytes) return done(null, chunk);
    done(this.refusal());
  }
}

function tooLarge({ payloadLimitBytes, readLimitBytes }: BodyLimits, limitBytes: number): ApiError {
  if (limitBytes === payloadLimitBytes)
    return apiError('payload_too_large', 'payload', limitBytes, '`--http-payload-size-limit`');
  if (limitBytes === readLimitBytes)
    return apiError('payload_too_large', 'payload', limitBytes, '`--http-read-payload-size-limit`');
  return apiError('payload_too_large', 'fixed', limitBytes);
}

/** The whole body, decompressed; `look` is shown each piece of it as it comes, and may throw. */
export async function readBody(
  request: FastifyRequest,
  limitBytes: number,
  look: (piece: Buffer) => void = () => undefined,
): Promise<Buffer> {
  const announcedBytes = Number(request.headers['content-length'] ?? Number.NaN);
  const isPlain = (request.headers['content-encoding'] ?? '').trim() === '';
  // Most bodies are small and announced: they are collected without intermediate streams.
  const reservation = reservationOf(request);
  if (isPlain && announcedBytes <= Math.min(limitBytes, SMALL_BODY_BYTES)) {
    reservation.grow(announcedBytes);
    // the parser continues with the body of the same packet after the listeners of the head have returned
    await undefined;
    const { raw } = request;
    const whole = raw.readableLength === announcedBytes ? ((raw.read() as Buffer | null) ?? EMPTY) : await collect(raw);
    look(whole);
    return whole;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of decodedBody(request, limitBytes)) {
    reservation.grow((chunk as Buffer).length);
    look(chunk as Buffer);
    chunks.push(chunk as Buffer);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Node's parser passes on at most as many bytes as the header announced. */
function collect(raw: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    const more: Buffer[] = [];
    raw.on('data', (chunk: Buffer) => {
      if (first === undefined) first = chunk;
      else more.push(chunk);
    });
    raw.once('end', () => resolve(more.length === 0 ? (first ?? EMPTY) : Buffer.concat([first!, ...more])));
    raw.once('error', reject);
    raw.once('aborted', () => reject(brokenBody('the connection closed before its end')));
    raw.once(STALLED, () => reject(stalledBody()));
  });
}

/**
 * The JSON body of a request: content type, then size, then syntax are checked, in this order. `maxValues`: lists, objects, and what follows
 * a comma in them, counted before they are parsed.
 */
export async function readJson(
  request: FastifyRequest,
  limitBytes: number,
  maxValues: number = MAX_MANAGEMENT_VALUES,
): Promise<unknown> {
  return parseJson(await readCountedBytes(request, limitBytes, maxValues));
}

/** The same before its syntax is checked; bodies of too many parts, or values, are refused. */
export async function readCountedBytes(
  request: FastifyRequest,
  limitBytes: number,
  maxValues: number = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const meter = maxValues === Number.POSITIVE_INFINITY ? undefined : new JsonMeter({ values: maxValues });
  // while the body comes, so that others have their turns in between
  const bytes = await readJsonBytes(request, limitBytes, (piece) => {
    if (meter?.exceeds(piece) !== undefined) throw apiError('payload_too_large', 'values', maxValues);
  });
  // joining eighty megabytes takes as long as looking through them
  if (bytes.length > LONG_BODY_BYTES) await nextTurn();
  reservationOf(request).grow(countParts(bytes) * PART_BYTES);
  if (bytes.length > LONG_BODY_BYTES) await nextTurn();
  return bytes;
}

/** Parsing a body of fewer bytes does not take long, whatever its parts are. */
const FEW_PARTS_BYTES = 1 << 20;
/** A longer body is handled in several turns of the event loop. */
const LONG_BODY_BYTES = 8 << 20;
const nextTurn = promisify(setImmediate);
/** Memory of an empty object of V8, which is the least that a part becomes. */
const PART_BYTES = 56;
/** The start of a list or an object, and the end of a member's name. */
const PART_MARKS = ['[', '{', '":'].map((mark) => Buffer.from(mark));

/**
 * The parts that the parser would create, without parsing: brackets within strings count as well; 0 for small bodies.
 * O(bytes) at the speed of a search in memory. Throws payload_too_large.
 */
function countParts(bytes: Buffer): number {
  if (bytes.length < FEW_PARTS_BYTES) return 0;
  let count = 0;
  for (const mark of PART_MARKS)
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1))
      if (++count > MAX_JSON_PARTS) throw apiError('payload_too_large', 'parts', MAX_JSON_PARTS);
  return count;
}

/** The same before its syntax is checked. */
export async function readJsonBytes(
  request: FastifyRequest,
  limitBytes: number,
  look?: (piece: Buffer) => void,
): Promise<Buffer> {
  mediaTypeOf(request.receivedContentType, JSON_TYPES);
  const bytes = await readBody(request, limitBytes, look);
  if (bytes.length === 0) throw missingPayload();
  return bytes;
}

export function missingPayload(): ApiError {
  return apiError('missing_payload');
}
function stalledBody(): ApiError {
  return apiError('payload_timeout', 'body');
}
function brokenBody(reason: string): ApiError {
  return apiError('bad_request', 'brokenBody', reason);
}
