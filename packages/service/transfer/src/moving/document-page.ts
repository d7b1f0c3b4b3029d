import { MoveError } from './move-error.js';

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** A page of documents as received, so that no number in them is changed. */
export interface DocumentPage {
  /** JSON texts, views of the answer. */
  readonly documents: readonly Buffer[];
  /** Number of documents in the index. */
  readonly total: number;
}

/**
 * Splits the answer of `POST /indexes/{uid}/documents/fetch` into its documents. Throws MoveError for another form.
 * O(bytes)
 */
export function readDocumentPage(answer: Buffer): DocumentPage {
  let documents: Buffer[] | undefined;
  let total: number | undefined;
  let at = skipSpace(answer, 0);
  if (answer[at] !== OPEN_BRACE) throw noPage();
  at = skipSpace(answer, at + 1);
  while (answer[at] !== CLOSE_BRACE) {
    const nameEnd = valueEnd(answer, at);
    const name = answer.toString('utf8', at, nameEnd);
    at = skipSpace(answer, nameEnd);
    if (answer[at] !== COLON) throw noPage();
    const start = skipSpace(answer, at + 1);
    const end = valueEnd(answer, start);
    if (name === '"results"') documents = elements(answer, start);
    else if (name === '"total"') total = Number(answer.toString('utf8', start, end));
    at = skipSpace(answer, end);
    if (answer[at] === COMMA) at = skipSpace(answer, at + 1);
    else if (answer[at] !== CLOSE_BRACE) throw noPage();
  }
  if (documents === undefined || total === undefined || !Number.isSafeInteger(total)) throw noPage();
  return { documents, total };
}

/** The elements of the array that starts at `at`. */
function elements(bytes: Buffer, start: number): Buffer[] {
  if (bytes[start] !== OPEN_BRACKET) throw noPage();
  const found: Buffer[] = [];
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] !== CLOSE_BRACKET) {
    const end = valueEnd(bytes, at);
    found.push(bytes.subarray(at, end));
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
    else if (bytes[at] !== CLOSE_BRACKET) throw noPage();
  }
  return found;
}

/** The index after the JSON value that starts at `from`. */
function valueEnd(bytes: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      at += 1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      // a scalar ends before the bracket that closes around it
      if (depth === 0) return at;
      depth -= 1;
      at += 1;
    } else if (depth === 0 && (byte === COMMA || byte === COLON || byte <= 0x20)) return at;
    else {
      at += 1;
      continue;
    }
    if (depth === 0) return at;
  }
  throw noPage();
}

function stringEnd(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  throw noPage();
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] === 0x20 || (bytes[at]! >= 0x09 && bytes[at]! <= 0x0d))) at += 1;
  if (at >= bytes.length) throw noPage();
  return at;
}

function noPage(): MoveError {
  return new MoveError('the source sent what is no page of documents');
}
