import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { type ApiError, apiError, MAX_JSON_TEXT_BYTES } from '@fossick/base';
import { FLUSH_BYTES, JsonCheck, LineWriter, ObjectSplitter, type StoredPayload } from '@fossick/documents/payloads';
import { type BodyReservation, NO_RESERVATION } from './body-reservation.js';
import { countObjectLines, isJson, jsonFault } from './checked-lines.js';
import { SkippedLines } from './skipped-lines.js';
import { ElementStream, LineStream, LONG_OBJECT_BYTES, onOneLine, type SkippingStream } from './skipping-streams.js';

export type PayloadFormat =
  | { readonly kind: 'json' }
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'csv'; readonly delimiter: string };

/** How a payload is checked and stored. */
export interface StoreOptions {
  readonly reservation?: BodyReservation;
  /** Faulty documents are left out, and noted in the file for their task. */
  readonly skipsFaulty?: boolean;
  /** With `skipsFaulty`: the body is such a file. */
  readonly hasMarks?: boolean;
}

/**
 * Checks a document payload to its end and writes it to `file` as NDJSON, one object per line as received. On any error
 * the file is removed. Holds at most the beginning of an object and one write buffer. The count is of all documents that
 * were received.
 */
export async function storePayload(
  body: Readable,
  format: PayloadFormat,
  file: string,
  { reservation = NO_RESERVATION, skipsFaulty = false, hasMarks = false }: StoreOptions = {},
): Promise<StoredPayload> {
  const lines = new LineWriter(file);
  const skipped = skipsFaulty ? new SkippedLines(lines) : undefined;
  try {
    if (format.kind === 'csv') await storeCsv(body, format.delimiter, lines, skipped);
    else if (skipped === undefined)
      await storeJson(body, format.kind === 'json' ? 'document' : 'sequence', lines, reservation);
    else await storeSkipping(body, streamOf(format.kind, lines, skipped, hasMarks), lines, reservation);
    skipped?.end();
    await lines.end();
    return { count: lines.count + (skipped?.refusedCount ?? 0), bytes: lines.bytes };
  } catch (error) {
    await lines.discard();
    throw error;
  }
}

/** The most bytes that are checked in one turn of the event loop: objects with escapes take 0.1 s a megabyte. */
const PIECE_BYTES = 256 * 1024;

/** The chunks of a body. One that comes from within the process may be the whole body: others have a turn between its pieces. */
async function* piecesOf(body: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of body as AsyncIterable<Buffer>) {
    yield chunk.subarray(0, PIECE_BYTES);
    for (let at = PIECE_BYTES; at < chunk.length; at += PIECE_BYTES) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}

async function storeJson(
  body: Readable,
  kind: 'document' | 'sequence',
  lines: LineWriter,
  reservation: BodyReservation,
): Promise<void> {
  const objects = new ObjectStream(kind, lines);
  let isEmpty = true;
  for await (const chunk of piecesOf(body)) {
    isEmpty &&= chunk.length === 0;
    objects.push(chunk);
    reservation.set(objects.carriedBytes);
    if (lines.pendingBytes >= FLUSH_BYTES) await lines.flush();
  }
  if (isEmpty) throw missingPayload();
  objects.end();
}

function streamOf(
  kind: 'json' | 'ndjson',
  lines: LineWriter,
  skipped: SkippedLines,
  hasMarks: boolean,
): SkippingStream {
  return kind === 'json' ? new ElementStream(lines, skipped) : new LineStream(lines, skipped, hasMarks);
}

async function storeSkipping(
  body: Readable,
  stream: SkippingStream,
  lines: LineWriter,
  reservation: BodyReservation,
): Promise<void> {
  let isEmpty = true;
  for await (const chunk of piecesOf(body)) {
    isEmpty &&= chunk.length === 0;
    await stream.push(chunk);
    reservation.set(stream.carriedBytes);
    if (lines.pendingBytes >= FLUSH_BYTES) await lines.flush();
  }
  if (isEmpty) throw missingPayload();
  await stream.end();
}

/** Takes a body chunk by chunk: blocks of lines with one object each as a whole, everything else object by object. */
class ObjectStream {
  private readonly splitter: ObjectSplitter;
  private readonly isOfLines: boolean;
  private readonly lines: LineWriter;
  /** The incomplete line at the end of the chunks so far. */
  private begun: Buffer[] = [];
  private begunBytes = 0;
  /** The check of an incomplete long object whose beginning is already written. */
  private long: JsonCheck | undefined;

  constructor(kind: 'document' | 'sequence', lines: LineWriter) {
    this.splitter = new ObjectSplitter(kind);
    this.isOfLines = kind === 'sequence';
    this.lines = lines;
  }

  /** Bytes of an object or line that is not complete yet. */
  get carriedBytes(): number {
    return this.begunBytes + this.splitter.carriedBytes;
  }

  /** Throws malformed_payload. */
  push(chunk: Buffer): void {
    const isLong = this.begunBytes >= FLUSH_BYTES;
    if (!this.isOfLines || this.splitter.isInObject || isLong) {
      this.split(this.takeBegun(chunk));
      return;
    }
    const end = chunk.lastIndexOf(0x0a) + 1;
    if (end > 0) {
      const block = this.takeBegun(chunk.subarray(0, end));
      const count = countObjectLines(block);
      if (count === undefined) this.split(block);
      else {
        this.splitter.skip(block.length);
        this.lines.addBlock(block, count);
      }
    }
    if (end === chunk.length) return;
    this.begun.push(chunk.subarray(end));
    this.begunBytes += chunk.length - end;
  }

  /** Throws malformed_payload when the text is incomplete. */
  end(): void {
    this.split(this.takeBegun());
    this.splitter.end();
  }

  private takeBegun(last?: Buffer): Buffer {
    if (this.begun.length === 0 && last !== undefined) return last;
    const whole = Buffer.concat(last === undefined ? this.begun : [...this.begun, last]);
    this.begun = [];
    this.begunBytes = 0;
    return whole;
  }

  private split(bytes: Buffer): void {
    for (const object of this.splitter.push(bytes)) {
      if (this.long === undefined) {
        checkObject(object, this.lines.count);
        this.lines.add(onOneLine(object));
        continue;
      }
      this.addPiece(this.long, object);
      const fault = this.long.end();
      if (fault !== undefined) throw malformed(this.lines.count, fault);
      this.lines.endLine();
      this.long = undefined;
    }
    if (!this.splitter.isInObject || (this.long === undefined && this.splitter.carriedBytes < LONG_OBJECT_BYTES))
      return;
    this.long ??= new JsonCheck();
    for (const piece of this.splitter.takeCarried()) this.addPiece(this.long, piece);
  }

  private addPiece(check: JsonCheck, piece: Buffer): void {
    const fault = check.push(piece);
    if (fault !== undefined) throw malformed(this.lines.count, fault);
    if (check.byteCount > MAX_JSON_TEXT_BYTES)
      throw apiError('payload_too_large', 'document', this.lines.count + 1, MAX_JSON_TEXT_BYTES);
    this.lines.addPiece(onOneLine(piece));
  }
}

async function storeCsv(
  body: Readable,
  delimiter: string,
  lines: LineWriter,
  skipped: SkippedLines | undefined,
): Promise<void> {
  // an error in the meantime is reported to the next reader
  body.on('error', () => undefined).pause();
  const { csvObjects } = await import('./csv-rows.js');
  let isEmpty = true;
  body.once('data', () => {
    isEmpty = false;
  });
  body.pause();
  for await (const { row, text, fault } of csvObjects(body, delimiter, skipped !== undefined)) {
    if (fault !== undefined) skipped?.refuse(row, fault);
    else {
      skipped?.documents(row);
      lines.add(Buffer.from(text));
    }
    if (lines.pendingBytes >= FLUSH_BYTES) await lines.flush();
  }
  if (isEmpty) throw missingPayload();
}

function checkObject(object: Buffer, position: number): void {
  let reason = 'it is not valid UTF-8';
  if (isUtf8(object)) {
    if (isJson(object)) return;
    reason = jsonFault(object.toString('utf8')) ?? 'it is not JSON';
  }
  throw malformed(position, reason);
}

function missingPayload(): ApiError {
  return apiError('missing_payload');
}
/** `position` counts from 0; the message from 1, as do the lines of documents that are left out. */
function malformed(position: number, reason: string): ApiError {
  return apiError('malformed_payload', 'document', position + 1, reason);
}
