import { addressOf, authorization, call, faultOf, noteFault, unreachable } from '../api/client.js';
import { isFinished } from '../api/queries.js';
import type { Batch, Task, TaskReceipt, UidPage } from '../api/types.js';

/** Signs between the values of a CSV: spreadsheets put semicolons where numbers are written with commas. */
const DELIMITERS = [',', ';', '\t', '|'];
/** Of the beginning of a CSV, which has the line of names. */
const HEAD_BYTES = 1 << 16;
/** Bytes that are read at a time. */
const PIECE_BYTES = 1 << 22;
const [NEWLINE, QUOTE, COMMA, BACKSLASH, SPACE] = [10, 34, 44, 92, 32];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
};
const KINDS: Readonly<Record<string, FileKind>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
};
export const ACCEPTED_FILES = Object.keys(TYPES)
  .map((ending) => `.${ending}`)
  .join();

/** The content type for a file's name, or null. */
export function contentTypeOf(name: string): string | null {
  return TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? null;
}
/** The delimiter of a CSV: what its line of names has most often, outside of quotes. */
export function delimiterOf(text: string): string {
  const [names = ''] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((sign) => names.split(sign).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}
/** An index uid made from a file's name. */
export function uidFor(fileName: string): string {
  const stem = fileName
    .replace(/\.[^.]*$/, '')
    // letters stay without their marks
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replace(/[^a-zA-Z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return stem === '' ? 'documents' : stem.toLowerCase();
}

export interface Target {
  readonly uid: string;
  readonly primaryKey: string;
  /** Documents keep attributes that the file lacks. */
  readonly isPartial: boolean;
  /** Faulty documents are left out instead of failing the whole file. */
  readonly skipsFaulty: boolean;
}

/** The most bytes of a request, as the server that sent the page says; its default where none did. */
function payloadLimit(): number {
  const given = Number(document.querySelector<HTMLMetaElement>('meta[name="payload-limit"]')?.content);
  return given > 0 ? given : 100 * 1024 * 1024;
}

/**
 * Sends a file, unchanged where it is within the limit of a request, otherwise in parts; `onSent` is called with the sent share (0 to 1). Returns the tasks in
 * their order. @throws ApiFault
 */
export async function sendFile(
  file: File,
  target: Target,
  onSent: (share: number) => void,
): Promise<readonly TaskReceipt[]> {
  const type = contentTypeOf(file.name) ?? 'application/json';
  const parts = await cutFile(file, KINDS[type] ?? 'json', payloadLimit());
  const delimiter = type === 'text/csv' ? delimiterOf(await file.slice(0, HEAD_BYTES).text()) : ',';
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  const receipts: TaskReceipt[] = [];
  let sent = 0;
  for (const part of parts) {
    receipts.push(
      await sendPart(part, { ...target, type, delimiter }, (bytes) => onSent(Math.min(1, (sent + bytes) / total))),
    );
    sent += part.size;
  }
  return receipts;
}

function sendPart(
  part: Blob,
  { uid, primaryKey, isPartial, skipsFaulty, type, delimiter }: Target & { type: string; delimiter: string },
  onSent: (bytes: number) => void,
): Promise<TaskReceipt> {
  // the only interface of browsers that reports upload progress
  const request = new XMLHttpRequest();
  const query = {
    ...(primaryKey === '' ? {} : { primaryKey }),
    ...(delimiter === ',' ? {} : { csvDelimiter: delimiter }),
    ...(skipsFaulty ? { onDocumentError: 'skip' } : {}),
  };
  request.open(isPartial ? 'PUT' : 'POST', addressOf(`/indexes/${encodeURIComponent(uid)}/documents`, query));
  request.setRequestHeader('content-type', type);
  for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value);
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onerror = () => reject(unreachable());
    request.onload = () => {
      if (request.status === 202) resolve(JSON.parse(request.responseText) as TaskReceipt);
      else reject(noteFault(faultOf(request.status, request.responseText)));
    };
    request.send(part);
  });
}

const POLL_MS = 250;

/** Resolves with the task once it is finished; `onProgress` is called with the percentage of its batch. @throws ApiFault */
export async function followTask(uid: number, onProgress: (percentage: number) => void): Promise<Task> {
  for (;;) {
    const task = await call<Task>('GET', `/tasks/${uid}`);
    if (isFinished(task)) return task;
    if (task.status === 'processing') {
      const { results } = await call<UidPage<Batch>>('GET', '/batches', { query: { uids: uid, limit: 1 } });
      onProgress(results[0]?.progress?.percentage ?? 0);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A file of documents above the limit of one request is cut between two documents. */

export type FileKind = 'json' | 'ndjson' | 'csv';

/** From where to where a part goes in its file, in bytes. */
type Range = readonly [from: number, to: number];

/**
 * The file in parts of at most `maxBytes`, each a file of its own, with the first line of a CSV and in brackets of its own in JSON. A document that is larger
 * alone is a part of its own. A JSON file that is no list from its beginning to its end is one part: the server says what is wrong with it. The parts refer to
 * the file: no copy is in memory. Reads the file once. O(bytes)
 */
export async function cutFile(
  file: Blob,
  kind: FileKind,
  maxBytes: number,
  pieceBytes = PIECE_BYTES,
): Promise<readonly Blob[]> {
  if (file.size <= maxBytes) return [file];
  const cutter = kind === 'json' ? new ListCutter(maxBytes) : new LineCutter(maxBytes, kind === 'csv');
  for (let from = 0; from < file.size; from += pieceBytes)
    cutter.read(new Uint8Array(await file.slice(from, from + pieceBytes).arrayBuffer()), from);
  const parts = cutter.parts(file.size);
  if (parts.length < 2) return [file];
  const [start, end] = kind === 'json' ? ['[', ']'] : [file.slice(0, cutter.headEnd), ''];
  return parts.map(([from, to]) => new Blob([start, file.slice(from, to), end]));
}

/** Joins neighbours while they fit. */
class Parts {
  readonly list: Range[] = [];

  add(from: number, to: number, room: number): void {
    const last = this.list.at(-1);
    if (last !== undefined && to - last[0] <= room) this.list[this.list.length - 1] = [last[0], to];
    else this.list.push([from, to]);
  }
}

/** Finds the lines of NDJSON, and of CSV, where a value in quotes may have several. */
class LineCutter {
  /** Where the first line of a CSV ends, which is that of the names. */
  headEnd = 0;
  private readonly found = new Parts();
  private start = 0;
  private isQuoted = false;
  private readonly isCsv: boolean;
  private readonly maxBytes: number;

  constructor(maxBytes: number, isCsv: boolean) {
    this.maxBytes = maxBytes;
    this.isCsv = isCsv;
  }
  read(bytes: Uint8Array, offset: number): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) this.isQuoted = this.isCsv && !this.isQuoted;
      else if (byte === NEWLINE && !this.isQuoted) this.end(offset + at + 1);
    }
  }
  private end(at: number): void {
    if (this.isCsv && this.headEnd === 0) this.headEnd = at;
    else this.found.add(this.start, at, this.maxBytes - this.headEnd);
    this.start = at;
  }
  parts(size: number): readonly Range[] {
    if (this.start < size) this.end(size);
    return this.found.list;
  }
}

/** Finds the elements of a JSON array. */
class ListCutter {
  readonly headEnd = 0;
  private readonly found = new Parts();
  private depth = 0;
  /** Where the current element begins; below 0 outside of the list. */
  private start = -1;
  private isText = false;
  private isEscaped = false;
  private isClosed = false;
  private isOther = false;
  private readonly room: number;

  constructor(maxBytes: number) {
    this.room = maxBytes - 2;
  }
  read(bytes: Uint8Array, offset: number): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.isText) this.readText(byte);
      else if (byte > SPACE) this.readSign(byte, offset + at);
    }
  }
  private readText(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.isText = false;
  }
  private readSign(byte: number, at: number): void {
    if (this.isClosed) this.isOther = true;
    else if (byte === QUOTE) this.isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (this.depth === 0 && byte === OPEN_OBJECT) this.isOther = true;
      if (this.depth === 0) this.start = at + 1;
      this.depth += 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      this.depth -= 1;
      if (this.depth === 0) this.end(at);
      this.isClosed = this.depth === 0;
    } else if (byte === COMMA && this.depth === 1) this.end(at);
  }
  private end(at: number): void {
    this.found.add(this.start, at, this.room);
    this.start = at + 1;
  }
  /** None for a file that is anything else than a list. */
  parts(_size: number): readonly Range[] {
    return this.isClosed && !this.isOther ? this.found.list : [];
  }
}
