/**
 * Ids of documents that are too many for a row of the task log: received as a JSON array, stored as a file with one
 * JSON string per line.
 */

import { parseJson } from '@fossick/api';
import { type ApiError, apiError } from '@fossick/base';
import { type IdFile, toJsonText } from '@fossick/documents';
import {
  FLUSH_BYTES,
  JsonCheck,
  JsonScanner,
  LineWriter,
  payloadLines,
  type StoredPayload,
} from '@fossick/documents/payloads';

const [COMMA, OPEN_BRACKET, CLOSE_BRACKET] = [0x2c, 0x5b, 0x5d];
/** Bytes parsed at once: some 2 ms. */
const PIECE_BYTES = 64 * 1024;
/** A single item of more bytes is checked, but not parsed. */
const LONG_ITEM_BYTES = 2 * PIECE_BYTES;

/** An id as the task stores it: a value that is no text is replaced by its JSON. */
export function idText(id: unknown): string {
  return typeof id === 'string' ? id : toJsonText(id);
}

/** Whether the first byte that is not white space opens an array. */
export function isArrayText(bytes: Buffer): boolean {
  for (const byte of bytes) if (!isBlank(byte)) return byte === OPEN_BRACKET;
  return false;
}

/**
 * Writes the items of a JSON array to `file`, piece by piece; `yieldTurn` is awaited between pieces. Durable when it
 * resolves; on any error the file is removed. O(bytes), memory for one piece in addition to `bytes`. @throws ApiError
 * malformed_payload
 */
export async function storeIds(bytes: Buffer, file: string, yieldTurn: () => Promise<void>): Promise<StoredPayload> {
  const lines = new LineWriter(file);
  try {
    for await (const piece of arrayPieces(bytes, yieldTurn)) {
      if (piece.length > LONG_ITEM_BYTES) {
        await checkLong(piece, yieldTurn);
        // no document has an id of this length, so an id that matches none is stored instead
        lines.add(Buffer.from('""'));
      } else for (const id of parsedItems(piece)) lines.add(Buffer.from(JSON.stringify(idText(id))));
      if (lines.pendingBytes >= FLUSH_BYTES) await lines.flush();
      await yieldTurn();
    }
    await lines.end();
    return { count: lines.count, bytes: lines.bytes };
  } catch (error) {
    await lines.discard();
    throw error;
  }
}

/** The ids of a file, read lazily. */
export function* idsInFile({ payloadFile }: IdFile): Generator<string> {
  for (const line of payloadLines(payloadFile)) yield JSON.parse(line) as string;
}

/**
 * Pieces of an array with whole items, split at commas, without them; a long item is a piece of its own. @throws
 * ApiError malformed_payload
 */
async function* arrayPieces(bytes: Buffer, yieldTurn: () => Promise<void>): AsyncGenerator<Buffer> {
  const open = bytes.indexOf(OPEN_BRACKET);
  let start = open + 1;
  for (;;) {
    const scan: Scan = { at: start, start, scanner: new JsonScanner('[]{},'), lastComma: -1 };
    let end = nextCut(bytes, scan);
    for (; end === undefined; end = nextCut(bytes, scan)) await yieldTurn();
    const piece = bytes.subarray(start, end);
    const isLast = bytes[end] === CLOSE_BRACKET;
    if (!isBlankPiece(piece)) yield piece;
    else if (!isLast || start > open + 1) throw malformed('an item is missing');
    start = end + 1;
    if (!isLast) continue;
    if (!isBlankPiece(bytes.subarray(start))) throw malformed('there is more after its end');
    return;
  }
}

interface Scan {
  at: number;
  readonly start: number;
  readonly scanner: JsonScanner;
  /** The last comma between two items of the piece; -1: none so far. */
  lastComma: number;
}

/**
 * Offset of the comma that ends a piece, or of the bracket that ends the array; undefined when it is not within the
 * piece's size.
 */
function nextCut(bytes: Buffer, scan: Scan): number | undefined {
  const { scanner } = scan;
  const piece = bytes.subarray(0, scan.at + PIECE_BYTES);
  for (let at = scanner.next(piece, scan.at); at < piece.length; at = scanner.next(piece, at + 1)) {
    const byte = bytes[at]!;
    if (scanner.depth < 0 && byte === CLOSE_BRACKET) return at;
    if (scanner.depth < 0) scanner.depth = 0; // the parser will refuse it
    if (byte !== COMMA || scanner.depth > 0) continue;
    scan.lastComma = at;
    if (at - scan.start >= PIECE_BYTES) return at;
  }
  scan.at = piece.length;
  if (scan.at >= bytes.length) throw malformed('it ends in the middle');
  // an item that has not ended here may be a long one
  return scan.lastComma < 0 || scan.at - scan.start < LONG_ITEM_BYTES ? undefined : scan.lastComma;
}

function parsedItems(piece: Buffer): readonly unknown[] {
  return parseJson(Buffer.concat([Buffer.from('['), piece, Buffer.from(']')]), BigInt) as readonly unknown[];
}

/** Checks a single long item without parsing it. */
async function checkLong(piece: Buffer, yieldTurn: () => Promise<void>): Promise<void> {
  const check = new JsonCheck();
  // nested in its array, which counts as a level
  let fault = check.push(Buffer.from('['));
  for (let at = 0; at < piece.length && fault === undefined; at += PIECE_BYTES) {
    fault = check.push(piece.subarray(at, at + PIECE_BYTES));
    await yieldTurn();
  }
  fault ??= check.push(Buffer.from(']')) ?? check.end();
  if (fault !== undefined) throw malformed(fault);
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
function isBlankPiece(piece: Buffer): boolean {
  for (const byte of piece) if (!isBlank(byte)) return false;
  return true;
}
function malformed(reason: string): ApiError {
  return apiError('malformed_payload', 'json', reason);
}
