import { isUtf8 } from 'node:buffer';
import { readMark } from '@fossick/documents/document-errors';
import { type LineWriter, ObjectSplitter, trimmed } from '@fossick/documents/payloads';
import { countObjectLines, isJson, jsonFault } from './checked-lines.js';
import { type DocumentFault, LongDocument, malformedFault, NO_OBJECT, type SkippedLines } from './skipped-lines.js';

/**
 * An object of more bytes is checked and written piece by piece: parsing one of a hundred megabytes at once would block
 * all other requests.
 */
export const LONG_OBJECT_BYTES = 256 * 1024;
const [LINE_FEED, OPEN_BRACE, OPEN_BRACKET] = [0x0a, 0x7b, 0x5b];

/** A body that arrives in chunks, and whose faulty documents are skipped. */
export interface SkippingStream {
  /** Bytes of a document or line that is not complete yet. */
  readonly carriedBytes: number;
  /** Throws ApiError malformed_payload where the rest of the body cannot be divided into documents. */
  push(chunk: Buffer): Promise<void>;
  /** Called after the last chunk. Throws as `push` does. */
  end(): Promise<void>;
}

/**
 * NDJSON with one object a line: only so the next document is found after a faulty one. `ownMarks`: the lines are those
 * of a stored payload, so that marks among them are taken over.
 */
export class LineStream implements SkippingStream {
  private readonly lines: LineWriter;
  private readonly skipped: SkippedLines;
  private readonly ownMarks: boolean;
  private place = 1;
  /** The incomplete line at the end of the chunks so far, while it is short. */
  private begun: Buffer[] = [];
  private begunBytes = 0;
  private long: LongDocument | undefined;

  constructor(lines: LineWriter, skipped: SkippedLines, ownMarks: boolean) {
    this.lines = lines;
    this.skipped = skipped;
    this.ownMarks = ownMarks;
  }

  get carriedBytes(): number {
    return this.begunBytes;
  }

  async push(chunk: Buffer): Promise<void> {
    let rest = chunk;
    if (this.long !== undefined) {
      const end = rest.indexOf(LINE_FEED);
      this.long.add(onOneLine(end < 0 ? rest : rest.subarray(0, end)));
      if (end < 0) return;
      this.endLong();
      rest = rest.subarray(end + 1);
    }
    const wholeBytes = rest.lastIndexOf(LINE_FEED) + 1;
    if (wholeBytes > 0) await this.block(this.takeBegun(rest.subarray(0, wholeBytes)));
    if (wholeBytes < rest.length) this.begin(rest.subarray(wholeBytes));
  }

  async end(): Promise<void> {
    if (this.long !== undefined) this.endLong();
    else if (this.begunBytes > 0) await this.line(this.takeBegun());
  }

  private endLong(): void {
    this.long?.end();
    this.long = undefined;
    this.place += 1;
  }

  private begin(part: Buffer): void {
    this.begun.push(part);
    this.begunBytes += part.length;
    if (this.begunBytes < LONG_OBJECT_BYTES) return;
    this.long = new LongDocument(this.place, this.lines, this.skipped);
    this.long.add(onOneLine(this.takeBegun()));
  }

  private takeBegun(last: Buffer = Buffer.alloc(0)): Buffer {
    const whole = this.begun.length === 0 ? last : Buffer.concat([...this.begun, last]);
    this.begun = [];
    this.begunBytes = 0;
    return whole;
  }

  /** Whole lines: usually all are objects, which a single look finds. */
  private async block(block: Buffer): Promise<void> {
    const count = countObjectLines(block);
    if (count !== undefined) {
      this.skipped.documents(this.place, count);
      this.lines.addBlock(block, count);
      this.place += count;
      return;
    }
    for (let start = 0; start < block.length; ) {
      const end = block.indexOf(LINE_FEED, start);
      await this.line(block.subarray(start, end));
      start = end + 1;
    }
  }

  private async line(given: Buffer): Promise<void> {
    const line = trimmed(given);
    if (line.length > 0 && !(this.ownMarks && line[0] === OPEN_BRACKET && this.takeMark(line))) {
      await this.skipped.yieldTurn();
      const fault = faultOf(line, this.place);
      if (fault !== undefined) this.skipped.refuse(this.place, fault);
      else {
        this.skipped.documents(this.place);
        this.lines.add(line);
      }
      this.place += 1;
    } else if (line.length === 0) this.place += 1;
  }

  /** Always true: another line with a bracket is an error. */
  private takeMark(line: Buffer): boolean {
    const mark = readMark(line.toString('utf8'));
    if (mark.kind === 'more') this.skipped.refuseMore(mark.count);
    else {
      if (mark.kind === 'refused') this.skipped.refuse(mark.place, mark);
      this.place = mark.kind === 'refused' ? mark.place + 1 : mark.place;
    }
    return true;
  }
}

/** A JSON document: elements that are no objects, or cannot be stored, are skipped; the array itself must be whole. */
export class ElementStream implements SkippingStream {
  private readonly splitter = new ObjectSplitter('elements');
  private readonly lines: LineWriter;
  private readonly skipped: SkippedLines;
  private place = 1;
  private long: LongDocument | undefined;

  constructor(lines: LineWriter, skipped: SkippedLines) {
    this.lines = lines;
    this.skipped = skipped;
  }

  get carriedBytes(): number {
    return this.splitter.carriedBytes;
  }

  async push(chunk: Buffer): Promise<void> {
    for (const element of this.splitter.push(chunk)) {
      await this.skipped.yieldTurn();
      this.element(onOneLine(element));
      this.place += 1;
    }
    if (!this.splitter.isInObject) return;
    if (this.long === undefined && this.splitter.carriedBytes < LONG_OBJECT_BYTES) return;
    this.long ??= new LongDocument(this.place, this.lines, this.skipped);
    for (const piece of this.splitter.takeCarried()) this.long.add(onOneLine(piece));
  }

  end(): Promise<void> {
    this.splitter.end();
    return Promise.resolve();
  }

  private element(element: Buffer): void {
    if (this.long !== undefined) {
      this.long.add(element);
      this.long.end();
      this.long = undefined;
      return;
    }
    const fault = faultOf(element, this.place);
    if (fault !== undefined) return this.skipped.refuse(this.place, fault);
    this.skipped.documents(this.place);
    this.lines.add(element);
  }
}

function faultOf(text: Buffer, place: number): DocumentFault | undefined {
  if (!isUtf8(text)) return malformedFault(place, 'it is not valid UTF-8');
  if (text[0] !== OPEN_BRACE) return malformedFault(place, NO_OBJECT);
  if (isJson(text)) return undefined;
  return malformedFault(place, jsonFault(text.toString('utf8')) ?? 'it is not JSON');
}

/** A raw line break in valid JSON is between tokens, never in a string, so a space is equivalent. */
export function onOneLine(object: Buffer): Buffer {
  if (!object.includes(0x0a) && !object.includes(0x0d)) return object;
  const copy = Buffer.from(object);
  for (let i = 0; i < copy.length; i++) if (copy[i] === 0x0a || copy[i] === 0x0d) copy[i] = 0x20;
  return copy;
}
