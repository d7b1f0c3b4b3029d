import { type DocId, type FieldId, joinedBytes, type SegmentId, utf8Bytes } from '@fossick/base';
import type { Store, Table, WriteTransaction } from '@fossick/storage';

/** A source of rows: a store's last commit, or an open transaction with its own writes. */
export interface RowSource {
  get(table: string, key: Uint8Array): Uint8Array | undefined;
}

/** The last commit of a store, whose values can also be read in place (storage: Table.read). */
export interface RowReader extends RowSource {
  read<T>(table: string, key: Uint8Array, use: (value: Uint8Array) => T): T | undefined;
  /** Announces reads, where rows have to be fetched (storage: Table.need). */
  readonly need?: ((table: string, keys: readonly Uint8Array[]) => void) | undefined;
}

/** What rows are written through. */
export type RowSink = Pick<WriteTransaction, 'put' | 'delete' | 'deleteRange' | 'clear' | 'get'>;

/** Receives the rows of a new segment. */
export type SegmentRows = Pick<RowSink, 'put'>;

/** Reads the last commit of a store. */
export function rowsOf(store: Store): RowReader {
  const tables = new Map<string, Table>();
  const tableOf = (name: string): Table => {
    let table = tables.get(name);
    if (table === undefined) {
      table = store.table(name);
      tables.set(name, table);
    }
    return table;
  };
  return {
    get: (name, key) => tableOf(name).get(key),
    read: (name, key, use) => tableOf(name).read(key, use),
  };
}

/** An open transaction as a reader of rows: its values are copies. */
export function readerOf(rows: RowSource): RowReader {
  return {
    get: (name, key) => rows.get(name, key),
    read: (name, key, use) => {
      const value = rows.get(name, key);
      return value === undefined ? undefined : use(value);
    },
  };
}

/** Tables of one index's store. */
export const TABLES = { meta: 'meta', documents: 'documents', ids: 'ids', segments: 'segments' } as const;

/** Parts of a segment: the fifth byte of a key of the `segments` table. */
export const PARTS = {
  docs: 1,
  deleted: 2,
  fuzzyDictionary: 3,
  exactDictionary: 4,
  fuzzyOffsets: 5,
  exactOffsets: 6,
  fuzzyPostings: 7,
  exactPostings: 8,
  wordCounts: 9,
  facetColumn: 10,
  geoBoxes: 11,
  vectorDirectory: 12,
  vectors: 13,
  vectorGraph: 14,
  vectorValues: 15,
  docPages: 16,
  deletedPages: 17,
  geoPoints: 18,
  windowRecords: 19,
  windows: 20,
  pairHeader: 21,
  pairs: 22,
  fuzzyTrigrams: 23,
  exactTrigrams: 24,
  facetTrigrams: 25,
} as const;
export type SegmentPart = (typeof PARTS)[keyof typeof PARTS];
/** Parts of rows of LIST_ROW_BYTES. */
export type ListPart = (typeof PARTS)['fuzzyPostings' | 'exactPostings' | 'windows' | 'pairs'];

/** Bytes of LMDB's header of a value in overflow pages, and of the row's checksum after it. */
const AROUND_ROW_BYTES = 24 + 4;

/** Bytes in a row of a part that is read sequentially. */
export const CHUNK_BYTES = 65_536 - 16;

/**
 * Bytes in a row of posting lists, of windows and of pairs: two pages of 4 KiB. A search reads some hundred of them, and a row is copied and checksummed as a whole.
 * Segments of earlier releases have CHUNK_BYTES (SegmentInfo.rowBytes, docs/internals/decisions/segments-and-merges.md).
 */
export const LIST_ROW_BYTES = 2 * 4_096 - AROUND_ROW_BYTES;

/** The u32 BE key of a document row. */
export function documentKey(docId: DocId): Uint8Array {
  const key = new Uint8Array(4);
  writeU32(key, 0, docId);
  return key;
}

/** Byte by byte: a DataView would cost as much as the look-up. */
function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

/** The key of an external id: its text. Stored ids are ASCII, requested ones may be anything. */
export function externalIdKey(externalId: string): Uint8Array {
  return utf8Bytes(externalId);
}

/** `[u32 BE segment][u8 part][u32 BE chunk]`. */
export function segmentKey(segmentId: SegmentId, part: number, chunk: number): Uint8Array {
  const key = new Uint8Array(9);
  writeU32(key, 0, segmentId);
  key[4] = part;
  writeU32(key, 5, chunk);
  return key;
}

/** The most chunks of a part that exists once for each field, or for each table of vectors. */
const CHUNKS_PER_FIELD = 65_536;

/** Chunk number of a part that exists once per field: the field's id in the high half. */
export function fieldChunk(fieldId: FieldId): number {
  return fieldId * CHUNKS_PER_FIELD;
}

/**
 * The same for a part that exists once for each table of vectors: the table's index in the directory in the high half.
 */
export function tableChunk(number: number): number {
  return number * CHUNKS_PER_FIELD;
}

/** Writes bytes as consecutive chunks from `firstChunk` on. Empty bytes write no row. */
export function putChunks(
  sink: SegmentRows,
  segmentId: SegmentId,
  part: SegmentPart,
  bytes: Uint8Array,
  firstChunk = 0,
): void {
  putPart(sink, { segmentId, part, firstChunk, rowBytes: CHUNK_BYTES }, bytes);
}

/** The same with rows of another length. */
export function putPart(
  sink: SegmentRows,
  { segmentId, part, firstChunk, rowBytes }: PartLocation,
  bytes: Uint8Array,
): void {
  for (let at = 0, chunk = firstChunk; at < bytes.length; at += rowBytes, chunk++) {
    sink.put(TABLES.segments, segmentKey(segmentId, part, chunk), bytes.subarray(at, at + rowBytes));
  }
}

/**
 * Passes a row of a segment to `take`, without a copy if possible: copies would be garbage outside of V8's heap. False when there is no
 * row.
 */
export function readRow(rows: RowSource | RowReader, key: Uint8Array, take: (row: Uint8Array) => boolean): boolean {
  if ('read' in rows) return rows.read(TABLES.segments, key, take) === true;
  const row = rows.get(TABLES.segments, key);
  return row !== undefined && take(row);
}

/** Reads a part written by putChunks; undefined when it is missing. O(bytes). */
export function getChunks(
  rows: RowSource | RowReader,
  segmentId: SegmentId,
  part: SegmentPart,
  firstChunk = 0,
  rowBytes = CHUNK_BYTES,
): Uint8Array | undefined {
  const location = { segmentId, part, firstChunk, rowBytes };
  return 'read' in rows ? readChunks(rows, location) : copyChunks(rows, location);
}

function copyChunks(rows: RowSource, { segmentId, part, firstChunk, rowBytes }: PartLocation): Uint8Array | undefined {
  const chunks: Uint8Array[] = [];
  for (let chunk = firstChunk; ; chunk++) {
    const bytes = rows.get(TABLES.segments, segmentKey(segmentId, part, chunk));
    if (bytes !== undefined) chunks.push(bytes);
    if (bytes === undefined || bytes.length < rowBytes) break;
  }
  if (chunks.length === 0) return undefined;
  return chunks.length === 1 ? chunks[0] : joinedBytes(chunks);
}

/** The same, with one copy: measures the rows first. */
function readChunks(rows: RowReader, { segmentId, part, firstChunk, rowBytes }: PartLocation): Uint8Array | undefined {
  let byteCount = 0;
  let endChunk = firstChunk;
  for (let length = rowBytes; length === rowBytes; ) {
    length = rows.read(TABLES.segments, segmentKey(segmentId, part, endChunk), (row) => row.length) ?? 0;
    byteCount += length;
    if (length > 0) endChunk += 1;
  }
  if (byteCount === 0) return undefined;
  const bytes = new Uint8Array(byteCount);
  for (let chunk = firstChunk; chunk < endChunk; chunk++)
    rows.read(TABLES.segments, segmentKey(segmentId, part, chunk), (row) =>
      bytes.set(row, (chunk - firstChunk) * rowBytes),
    );
  return bytes;
}

/** The bytes of a part written by putPart or putChunks; 0 when it is missing. Reads some rows of it: O(log rows). */
export function partByteCount(
  rows: RowSource | RowReader,
  { segmentId, part, firstChunk, rowBytes }: PartLocation,
): number {
  let lastLength = 0;
  const hasRow = (chunk: number): boolean =>
    readRow(rows, segmentKey(segmentId, part, firstChunk + chunk), (row) => {
      lastLength = row.length;
      return true;
    });
  if (!hasRow(0)) return 0;
  if (lastLength < rowBytes) return lastLength;
  let missing = 1;
  while (missing < CHUNKS_PER_FIELD && hasRow(missing)) missing *= 2;
  let last = Math.floor(missing / 2);
  while (missing - last > 1) {
    const middle = Math.floor((last + missing) / 2);
    if (hasRow(middle)) last = middle;
    else missing = middle;
  }
  hasRow(last);
  return last * rowBytes + lastLength;
}

/** Location of a part written by putPart or putChunks. */
export interface PartLocation {
  readonly segmentId: SegmentId;
  readonly part: SegmentPart;
  /** The number of its first row. */
  readonly firstChunk: number;
  /** Bytes in each of its rows but the last. */
  readonly rowBytes: number;
}

/** Passes the bytes [from, to) of a part on in pieces, without copies, each with its offset; a piece is valid until `take` returns. */
export function readSpan(
  rows: RowReader,
  { segmentId, part, firstChunk, rowBytes }: PartLocation,
  from: number,
  to: number,
  take: (piece: Uint8Array, at: number) => void,
): void {
  if (rows.need !== undefined) needSpans(rows, { segmentId, part, firstChunk, rowBytes }, [from, to]);
  for (let at = from; at < to; ) {
    const chunk = Math.floor(at / rowBytes);
    const inChunk = at - chunk * rowBytes;
    const taken = rows.read(TABLES.segments, segmentKey(segmentId, part, firstChunk + chunk), (bytes) => {
      const piece = bytes.subarray(inChunk, Math.min(bytes.length, inChunk + to - at));
      take(piece, at - from);
      return piece.length;
    });
    if (taken === undefined) throw new Error(`segment ${segmentId} lacks chunk ${chunk} of part ${part}`);
    if (taken === 0) throw new Error(`segment ${segmentId} part ${part} ends before byte ${to}`);
    at += taken;
  }
}

/**
 * The same for many short ascending spans [from, to): `take` gets each span's pieces with their offset in all spans concatenated. A
 * row is looked up once for all spans in it.
 */
export function readSpans(
  rows: RowReader,
  location: PartLocation,
  spans: ArrayLike<number>,
  take: (piece: Uint8Array, at: number) => void,
): void {
  const { segmentId, part, firstChunk, rowBytes } = location;
  if (rows.need !== undefined) needSpans(rows, location, spans);
  let done = 0;
  for (let at = 0; at < spans.length; ) {
    const chunk = Math.floor(spans[at]! / rowBytes);
    const base = chunk * rowBytes;
    rows.read(TABLES.segments, segmentKey(segmentId, part, firstChunk + chunk), (bytes) => {
      for (; at < spans.length && spans[at + 1]! - base <= bytes.length; at += 2) {
        take(bytes.subarray(spans[at]! - base, spans[at + 1]! - base), done);
        done += spans[at + 1]! - spans[at]!;
      }
    });
    if (at >= spans.length || Math.floor(spans[at]! / rowBytes) !== chunk) continue;
    // the span continues in the next row
    const [from, to, before] = [spans[at]!, spans[at + 1]!, done];
    readSpan(rows, location, from, to, (piece, inSpan) => take(piece, before + inSpan));
    done += to - from;
    at += 2;
  }
}

/** Announces the rows that spans [from, to) are in. */
function needSpans(rows: RowReader, location: PartLocation, spans: ArrayLike<number>): void {
  const { segmentId, part, firstChunk, rowBytes } = location;
  const chunks = new Set<number>();
  for (let at = 0; at < spans.length; at += 2)
    for (let chunk = Math.floor(spans[at]! / rowBytes); chunk * rowBytes < spans[at + 1]!; chunk++) chunks.add(chunk);
  rows.need!(
    TABLES.segments,
    [...chunks].map((chunk) => segmentKey(segmentId, part, firstChunk + chunk)),
  );
}

/** Deletes the rows of a segment, at most `limit`; returns how many. */
export function deleteSegment(sink: RowSink, segmentId: SegmentId, limit?: number): number {
  return sink.deleteRange(
    TABLES.segments,
    segmentKey(segmentId, 0, 0),
    segmentKey((segmentId + 1) as SegmentId, 0, 0),
    limit,
  );
}

/** Deletes one part of a segment. */
export function deletePart(sink: RowSink, segmentId: SegmentId, part: number): void {
  sink.deleteRange(TABLES.segments, segmentKey(segmentId, part, 0), segmentKey(segmentId, part + 1, 0));
}

/** The manifest's entry of one segment. */
export interface SegmentInfo {
  readonly id: SegmentId;
  /** Documents when it was written; deleted ones included. */
  readonly docCount: number;
  /** Documents deleted or rewritten since. */
  readonly deadCount: number;
  /** Words of the fuzzy and of the exact table. */
  readonly wordCounts: readonly [fuzzy: number, exact: number];
  readonly postingBytes: number;
  /** Bytes in a row of its posting lists and windows; absent in segments of earlier releases: CHUNK_BYTES. */
  readonly rowBytes?: number;
  /** Id of the rows of its rebuilt columns; absent when the columns are under the segment's own id. */
  readonly columnsId?: SegmentId;
  /** Names of fields with a facet column in this segment. */
  readonly facetFields: readonly string[];
  /** Ids of those fields, in the same order. */
  readonly facetFieldIds: readonly FieldId[];
}

/** The id of the rows of a segment's columns. */
export function columnsIdOf({ id, columnsId }: SegmentInfo): SegmentId {
  return columnsId ?? id;
}

/** The location of posting lists or windows of the segment. */
export function listsLocation(
  { id, rowBytes = CHUNK_BYTES }: Pick<SegmentInfo, 'id' | 'rowBytes'>,
  part: ListPart,
): PartLocation {
  return { segmentId: id, part, firstChunk: 0, rowBytes };
}

/** Every id that the segment has rows under. */
export function rowIdsOf(info: SegmentInfo): SegmentId[] {
  return info.columnsId === undefined ? [info.id] : [info.id, info.columnsId];
}
