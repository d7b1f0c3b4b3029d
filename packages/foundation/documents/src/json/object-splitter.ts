import { type ApiError, apiError } from '@fossick/base';
import { JsonScanner } from './json-scanner.js';

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** State of the splitter between two objects. */
type Expecting = 'start' | 'element' | 'elementOrEnd' | 'commaOrEnd' | 'object' | 'end';

/** `elements`: as `document`, but an array may have any values, which are found as objects are. */
export type SplitKind = 'document' | 'sequence' | 'elements';

/** Bytes of a number or a word in an array: longer ones are no JSON that anybody writes. */
const BARE_BYTES_MAX = 4_096;

/**
 * Cuts a stream of bytes into the JSON objects it holds, without parsing them: one object, an array of objects, or (`sequence`) consecutive objects. The
 * text of each object is left unchanged, so integers beyond 2^53 survive. Memory: the object that crosses a chunk. O(bytes).
 */
export class ObjectSplitter {
  private readonly kind: SplitKind;
  private expecting: Expecting;
  private carried: Buffer[] = [];
  private carriedCount = 0;
  private readonly scanner: JsonScanner;
  private depth = 0;
  /** The open value is a string, or a number or word, which no bracket ends. */
  private bare: 'no' | 'string' | 'word' = 'no';
  private consumedBytes = 0;

  constructor(kind: SplitKind) {
    this.kind = kind;
    this.expecting = kind === 'sequence' ? 'object' : 'start';
    this.scanner = new JsonScanner(kind === 'elements' ? '[]{}"' : '[]{}');
  }

  /** Whether an object has begun and not ended. */
  get isInObject(): boolean {
    return this.depth > 0;
  }

  /** Bytes of the unfinished object. */
  get carriedBytes(): number {
    return this.carriedCount;
  }

  /** The pieces of the unfinished object; the caller takes them over, and the splitter continues after them. */
  takeCarried(): Buffer[] {
    const pieces = this.carried;
    this.carried = [];
    this.carriedCount = 0;
    return pieces;
  }

  /** Skips bytes between objects that the caller has checked. */
  skip(byteCount: number): void {
    this.consumedBytes += byteCount;
  }

  /** The objects that end in this chunk; throws malformed_payload. */
  push(chunk: Buffer): Buffer[] {
    const found: Buffer[] = [];
    let at = 0;
    let start = 0;
    while (at < chunk.length) {
      if (this.depth === 0) {
        at = this.enterNext(chunk, at);
        start = at - 1;
        if (this.depth === 0) continue;
      }
      at = this.bare === 'word' ? this.scanWord(chunk, at, start) : this.scanObject(chunk, at);
      if (this.depth > 0) break;
      this.bare = 'no';
      found.push(this.join(chunk.subarray(start, at)));
      start = at;
    }
    if (this.depth > 0) {
      this.carried.push(Buffer.from(chunk.subarray(start)));
      this.carriedCount += chunk.length - start;
    }
    this.consumedBytes += chunk.length;
    return found;
  }

  /** Must be called after the last chunk: throws malformed_payload when the text is incomplete. */
  end(): void {
    const isWhole = this.depth === 0 && (this.expecting === 'end' || this.expecting === 'object');
    if (!isWhole) throw apiError('malformed_payload', 'unfinished');
  }

  /** Handles one byte between objects and returns the next index; depth becomes 1 when it opens an object. */
  private enterNext(chunk: Buffer, at: number): number {
    const byte = chunk[at]!;
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return at + 1;
    const was = this.expecting;
    if (byte === OPEN_BRACE && was !== 'end' && was !== 'commaOrEnd') {
      this.depth = 1;
      this.expecting = was === 'object' ? 'object' : was === 'start' ? 'end' : 'commaOrEnd';
    } else if (byte === OPEN_BRACKET && was === 'start') this.expecting = 'elementOrEnd';
    else if (byte === COMMA && was === 'commaOrEnd') this.expecting = 'element';
    else if (byte === CLOSE_BRACKET && (was === 'commaOrEnd' || was === 'elementOrEnd')) this.expecting = 'end';
    else if (this.kind === 'elements' && (was === 'element' || was === 'elementOrEnd')) this.enterOther(chunk, at);
    else throw this.unexpected(chunk, at);
    return at + 1;
  }

  /** Opens an element that is no object. */
  private enterOther(chunk: Buffer, at: number): void {
    const byte = chunk[at]!;
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET) throw this.unexpected(chunk, at);
    this.depth = 1;
    this.expecting = 'commaOrEnd';
    this.bare = byte === QUOTE ? 'string' : byte === OPEN_BRACKET ? 'no' : 'word';
    if (byte === QUOTE) this.scanner.enterString();
  }

  /** Scans to the end of a number or word, or of the chunk. */
  private scanWord(chunk: Buffer, from: number, start: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte !== COMMA && byte !== CLOSE_BRACKET && byte > 0x20) continue;
      this.depth = 0;
      return at;
    }
    if (this.carriedCount + chunk.length - start > BARE_BYTES_MAX) throw this.unexpected(chunk, start);
    return chunk.length;
  }

  /** Scans to the end of the open object, or of the chunk. */
  private scanObject(chunk: Buffer, from: number): number {
    const { scanner } = this;
    let { depth } = this;
    let at = from;
    while (depth > 0) {
      at = scanner.next(chunk, at);
      if (at === chunk.length) break;
      const byte = chunk[at++]!;
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte !== QUOTE || this.bare === 'string') depth--;
    }
    this.depth = depth;
    return at;
  }

  private join(last: Buffer): Buffer {
    if (this.carried.length === 0) return last;
    const whole = Buffer.concat([...this.carried, last]);
    this.carried = [];
    this.carriedCount = 0;
    return whole;
  }

  private unexpected(chunk: Buffer, at: number): ApiError {
    const position = this.consumedBytes + at;
    const near = chunk.toString('utf8', at, at + 20);
    if (this.kind !== 'sequence' && this.expecting === 'end' && chunk[at] === OPEN_BRACE)
      return apiError('malformed_payload', 'lines', position);
    if (this.kind === 'sequence' && chunk[at] === OPEN_BRACKET)
      return apiError('malformed_payload', 'arrayInLines', position);
    const wanted = this.kind === 'sequence' ? 'JSON objects, one a line' : 'a JSON object or an array of objects';
    return apiError('malformed_payload', 'otherStart', wanted, position, near);
  }
}

/** The bytes without the blanks around them. */
export function trimmed(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length];
  while (start < end && bytes[start]! <= 0x20) start += 1;
  while (end > start && bytes[end - 1]! <= 0x20) end -= 1;
  return bytes.subarray(start, end);
}
