import { type Readable, Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError, apiError, MAX_FIELD_COUNT } from '@fossick/base';
import { floatText, isWithin64Bits } from '@fossick/documents';
import { CsvError, parse } from 'csv-parse';

type ColumnType = 'string' | 'number' | 'boolean';
interface Column {
  readonly keyText: string;
  readonly type: ColumnType;
  /** Index of the cell in its row: of two headers with the same name the last cell wins. */
  readonly cell: number;
}
const INTEGER = /^[+-]?\d+$/;
const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
/** Floats that JSON cannot express. */
const NOT_FINITE = /^[+-]?(nan|inf|infinity)$/i;

/** A row after the header, which is row 1: the JSON object in text form, or what is wrong with it. */
export interface CsvObject {
  readonly row: number;
  readonly text: string;
  readonly fault?: ApiError;
}

/** What spreadsheets put between values instead of commas; a tab as JSON writes it. */
const OTHER_DELIMITER = /;|\||\\t/;

/** Rows of one turn of the event loop: a faulty one takes a tenth of a millisecond, and the parser hands over thousands at once. */
const ROWS_PER_TURN = 128;

/**
 * Reads CSV as one JSON object per row. Throws malformed_payload, with `skipsFaulty` only where rows cannot be told
 * apart. Memory: one row.
 */
export async function* csvObjects(body: Readable, delimiter: string, skipsFaulty = false): AsyncGenerator<CsvObject> {
  const text = utf8Only(new CellCounter(delimiter), skipsFaulty ? FAULTY_BYTES_PER_TURN : BYTES_PER_TURN);
  // kept by the parser itself: what it has read and not handed on is lost with its error
  let header: readonly string[] | undefined;
  const rows = parse({
    delimiter,
    on_record: (cells: string[]) => {
      header ??= cells;
      // called for each row it makes the parser take half as long again
      delete rows.options.on_record;
      return cells;
    },
    bom: true,
    relax_quotes: true,
    skip_empty_lines: true,
    relax_column_count: skipsFaulty,
  });
  body.once('error', (error) => rows.destroy(error));
  text.once('error', (error) => rows.destroy(error));
  // a body that failed earlier emits no second error, and piping it would wait forever
  if (body.errored) throw body.errored;
  let columns: readonly Column[] | undefined;
  let row = 0;
  try {
    for await (const cells of body.pipe(text).pipe(rows) as AsyncIterable<string[]>) {
      row++;
      if (row % ROWS_PER_TURN === 0) await nextTurn();
      if (columns === undefined) columns = readHeader(cells);
      else if (skipsFaulty) yield objectOrFault(columns, header!.length, cells, row);
      else yield { row, text: toJsonText(columns, cells, row) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const other =
      delimiter === ',' && error.code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH' ? otherDelimiter(header) : null;
    if (other !== null) throw apiError('malformed_payload', 'csvDelimiter', error.message, other);
    throw apiError('malformed_payload', 'csv', error.message);
  }
}

/** What a header without a comma has between its names; null for nothing of the kind. */
function otherDelimiter(header: readonly string[] = []): string | null {
  return header.length === 1 ? (OTHER_DELIMITER.exec(JSON.stringify(header[0]))?.[0] ?? null) : null;
}

function objectOrFault(
  columns: readonly Column[],
  headerCount: number,
  cells: readonly string[],
  row: number,
): CsvObject {
  if (cells.length !== headerCount)
    return { row, text: '', fault: apiError('malformed_payload', 'csvColumns', row, cells.length, headerCount) };
  try {
    return { row, text: toJsonText(columns, cells, row) };
  } catch (error) {
    if (error instanceof ApiError) return { row, text: '', fault: error };
    throw error;
  }
}

/**
 * Bytes that the parser gets in one turn of the event loop: it takes up to half a microsecond per byte, and a chunk of
 * a decoded body may be of any size.
 */
const BYTES_PER_TURN = 16_384;
/** The same where rows may be faulty: the parser makes an error for each of them, in some 50 microseconds. */
const FAULTY_BYTES_PER_TURN = 1_024;

const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x0a, 0x0d];

/**
 * Counts the cells of a row while it arrives: the parser holds them all until the row ends, and an index has no more
 * fields than MAX_FIELD_COUNT. Delimiters within quotes do not count.
 */
class CellCounter {
  private readonly delimiter: number;
  private cellCount = 1;
  private isQuoted = false;

  /** @param delimiter one ASCII character */
  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** Whether the bytes so far have a row of more cells than an index has fields. O(bytes) */
  isBeyond(bytes: Buffer): boolean {
    for (const byte of bytes) {
      if (byte === QUOTE) this.isQuoted = !this.isQuoted;
      else if (this.isQuoted) continue;
      else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.cellCount = 1;
      else if (byte === this.delimiter && ++this.cellCount > MAX_FIELD_COUNT) return true;
    }
    return false;
  }
}

/**
 * Passes on UTF-8 bytes, some per turn of the event loop; the parser itself would silently replace others by U+FFFD,
 * and take a whole body at once.
 */
function utf8Only(cells: CellCounter, bytesPerTurn: number): Transform {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (bytes: Buffer | undefined, stream: boolean): Error | null => {
    try {
      decoder.decode(bytes, { stream });
      return null;
    } catch {
      return apiError('malformed_payload', 'csvNotUtf8');
    }
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const fault = check(chunk, true);
      if (fault !== null) return done(fault);
      const handOn = (from: number): void => {
        if (this.destroyed) return done();
        const bytes = chunk.subarray(from, from + bytesPerTurn);
        if (cells.isBeyond(bytes)) return done(apiError('malformed_payload', 'csvCells', MAX_FIELD_COUNT));
        this.push(bytes);
        const next = from + bytesPerTurn;
        setImmediate(() => (next < chunk.length ? handOn(next) : done()));
      };
      handOn(0);
    },
    flush: (done) => done(check(undefined, false)),
  });
}

function readHeader(cells: readonly string[]): Column[] {
  const columns = new Map<string, Column>();
  cells.forEach((header, cell) => {
    const colon = header.lastIndexOf(':');
    const suffix = header.slice(colon + 1);
    const isTyped = colon >= 0 && (suffix === 'string' || suffix === 'number' || suffix === 'boolean');
    const name = isTyped ? header.slice(0, colon) : header;
    columns.set(name, { keyText: JSON.stringify(name), type: isTyped ? suffix : 'string', cell });
  });
  return [...columns.values()];
}

function toJsonText(columns: readonly Column[], cells: readonly string[], row: number): string {
  return `{${columns.map((column) => `${column.keyText}:${valueText(column, cells[column.cell] ?? '', row)}`).join(',')}}`;
}

function valueText({ type, keyText }: Column, cell: string, row: number): string {
  if (cell === '') return 'null';
  if (type === 'string') return JSON.stringify(cell);
  const text = cell.trim();
  if (type === 'boolean') {
    if (text === 'true' || text === 'false') return text;
  } else if (INTEGER.test(text) && isWithin64Bits(toBigInt(text))) return toBigInt(text).toString();
  else if (FLOAT.test(text)) return finiteText(Number(text));
  else if (NOT_FINITE.test(text)) return 'null';
  throw apiError('malformed_payload', 'csvCell', row, keyText, text, type);
}

/** JSON has no infinity. */
function finiteText(value: number): string {
  return Number.isFinite(value) ? floatText(value) : 'null';
}

/** BigInt refuses a leading plus sign. */
function toBigInt(text: string): bigint {
  return BigInt(text.startsWith('+') ? text.slice(1) : text);
}
