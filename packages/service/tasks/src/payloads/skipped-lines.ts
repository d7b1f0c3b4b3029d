import { setImmediate as nextTurn } from 'node:timers/promises';
import { apiError, MAX_JSON_TEXT_BYTES } from '@fossick/base';
import { DocumentErrors, markLine } from '@fossick/documents/document-errors';
import { JsonCheck, type LineWriter } from '@fossick/documents/payloads';

/** A fault of one document: the code and the text of its error. */
export interface DocumentFault {
  readonly code: string;
  readonly message: string;
}

/** Documents that are looked at one by one between two turns of the event loop: some microseconds each. */
const DOCUMENTS_PER_TURN = 256;

/**
 * The documents of a payload whose faulty ones are skipped. Those are noted in the payload file, where their task
 * finds them: so the file is all that a task needs, also on another node or after a restart.
 */
export class SkippedLines {
  private readonly lines: LineWriter;
  /** Only for their limits. */
  private readonly errors = new DocumentErrors();
  /** The place of the next document, unless a mark says otherwise. */
  private next = 1;
  private unlistedCount = 0;
  private turnCount = 0;

  constructor(lines: LineWriter) {
    this.lines = lines;
  }

  /** Documents that were refused so far. */
  get refusedCount(): number {
    return this.errors.count;
  }

  /** `count` documents follow, the first of which is at this place. */
  documents(place: number, count = 1): void {
    if (place !== this.next) this.lines.addNote(markLine({ kind: 'place', place }));
    this.next = place + count;
  }

  refuse(place: number, { code, message }: DocumentFault): void {
    const isListed = !this.errors.isFull;
    this.errors.add({ id: null, line: place, code, reason: message });
    if (!isListed) {
      this.unlistedCount += 1;
      this.next = 0; // no mark tells this place, so the next document needs one
      return;
    }
    this.lines.addNote(markLine({ kind: 'refused', place, code, message }));
    this.next = place + 1;
  }

  /** This many more were refused, which are only counted. */
  refuseMore(count: number): void {
    this.errors.addUnlisted(count);
    this.unlistedCount += count;
  }

  /** Writes what is left to note. */
  end(): void {
    if (this.unlistedCount > 0) this.lines.addNote(markLine({ kind: 'more', count: this.unlistedCount }));
  }

  /** Called for each document that is looked at alone: lets other requests run in between. */
  async yieldTurn(): Promise<void> {
    this.turnCount += 1;
    if (this.turnCount % DOCUMENTS_PER_TURN === 0) await nextTurn();
  }
}

export function malformedFault(place: number, reason: string): DocumentFault {
  return apiError('malformed_payload', 'document', place, reason);
}

const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d]);
const OPEN_BRACE = 0x7b;
export const NO_OBJECT = 'it is not an object';

/** One long document that is checked and written piece by piece; nothing of it stays when it is refused. */
export class LongDocument {
  private readonly place: number;
  private readonly lines: LineWriter;
  private readonly skipped: SkippedLines;
  private readonly check = new JsonCheck();
  private fault: DocumentFault | undefined;
  private hasBegun = false;

  constructor(place: number, lines: LineWriter, skipped: SkippedLines) {
    this.place = place;
    this.lines = lines;
    this.skipped = skipped;
    lines.beginLine(); // before the mark of its place, which is dropped with it
    skipped.documents(place);
  }

  /** `text`: the next bytes of it without line breaks. */
  add(text: Buffer): void {
    if (this.fault !== undefined) return;
    const reason = this.faultOf(text);
    if (reason === undefined) this.lines.addPiece(text);
    else this.refuse(reason);
  }

  end(): void {
    if (this.fault === undefined) {
      const reason = this.check.end();
      if (reason === undefined) return this.lines.endLine();
      this.refuse(malformedFault(this.place, reason));
    }
    this.skipped.refuse(this.place, this.fault!);
  }

  private faultOf(text: Buffer): DocumentFault | undefined {
    if (!this.hasBegun) {
      const first = text.find((byte) => !BLANKS.has(byte));
      if (first !== undefined && first !== OPEN_BRACE) return malformedFault(this.place, NO_OBJECT);
      this.hasBegun = first !== undefined;
    }
    const reason = this.check.push(text);
    if (reason !== undefined) return malformedFault(this.place, reason);
    if (this.check.byteCount <= MAX_JSON_TEXT_BYTES) return undefined;
    return apiError('payload_too_large', 'document', this.place, MAX_JSON_TEXT_BYTES);
  }

  private refuse(fault: DocumentFault): void {
    this.fault = fault;
    this.lines.dropLine();
  }
}
