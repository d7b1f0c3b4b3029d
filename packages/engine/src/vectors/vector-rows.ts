import { givenVectors } from '../documents/vectors.js';
import {
  fieldChunk,
  getChunks,
  PARTS,
  putChunks,
  type RowSink,
  type RowSource,
  type SegmentRows,
} from '../indexing/rows.js';

/** Rough bytes that a vector takes while its segment is built, beside its numbers. */
const VECTOR_BYTES = 160;
/** A name and a number of dimensions as one key of a map. */
const keyOf = (name: string, dimCount: number): string => `${dimCount}:${name}`;

/**
 * The vectors of one segment under one name and of one size: `docIds[i]` owns `values[i * dimCount ..]`. Ascending by
 * docid; a document with several vectors stands there several times.
 */
export interface VectorTable {
  readonly name: string;
  readonly dimCount: number;
  readonly docIds: Uint32Array;
  readonly values: Float32Array;
}

interface OpenTable {
  readonly name: string;
  readonly dimCount: number;
  readonly byDocument: Map<number, readonly Float32Array[]>;
}

/**
 * The vectors of one segment while it is built. Vectors under names without an embedder are kept, too: an embedder that
 * is configured later finds them. A document without `_vectors` costs nothing.
 */
export class VectorWriter {
  private readonly tables = new Map<string, OpenTable>();
  private bytes = 0;

  get heldBytes(): number {
    return this.bytes;
  }

  /** `vectors`: the document's `_vectors`; values that hold no vectors are passed over. */
  add(docId: number, vectors: unknown): void {
    for (const [name, embeddings] of givenVectors(vectors))
      for (const embedding of embeddings) {
        if (embedding.length > 0) this.addVector(docId, name, Float32Array.from(embedding));
      }
  }

  addVector(docId: number, name: string, vector: Float32Array): void {
    const key = keyOf(name, vector.length);
    let table = this.tables.get(key);
    if (table === undefined) {
      table = { name, dimCount: vector.length, byDocument: new Map() };
      this.tables.set(key, table);
    }
    table.byDocument.set(docId, [...(table.byDocument.get(docId) ?? []), vector]);
    this.bytes += vector.byteLength + VECTOR_BYTES;
  }

  /** Takes the document's vectors out. O(tables). */
  remove(docId: number): void {
    for (const { byDocument } of this.tables.values()) {
      for (const vector of byDocument.get(docId) ?? []) this.bytes -= vector.byteLength + VECTOR_BYTES;
      byDocument.delete(docId);
    }
  }

  /** Writes the rows of the segment; none when it has no vectors. O(numbers). */
  write(sink: SegmentRows, segmentId: number): void {
    writeTables(sink, segmentId, [...this.tables.values()].map(closedTable));
  }
}

function closedTable({ name, dimCount, byDocument }: OpenTable): VectorTable {
  const entries = [...byDocument].sort(([left], [right]) => left - right);
  const docIds = Uint32Array.from(entries.flatMap(([docId, vectors]) => vectors.map(() => docId)));
  const values = new Float32Array(docIds.length * dimCount);
  let at = 0;
  for (const [, vectors] of entries)
    for (const vector of vectors) {
      values.set(vector, at);
      at += dimCount;
    }
  return { name, dimCount, docIds, values };
}

/** Name, dimensions and number of vectors of each table, in the order of their rows. */
type Directory = readonly (readonly [name: string, dimCount: number, count: number])[];

/**
 * Two parts: the directory as JSON, and for each of its entries the docids (u32) followed by the numbers (f32), both
 * little-endian, from the entry's own chunk on.
 */
function writeTables(sink: SegmentRows, segmentId: number, tables: readonly VectorTable[]): void {
  const filled = tables.filter(({ docIds }) => docIds.length > 0);
  if (filled.length === 0) return;
  const directory: Directory = filled.map(({ name, dimCount, docIds }) => [name, dimCount, docIds.length]);
  putChunks(sink, segmentId, PARTS.vectorDirectory, Buffer.from(JSON.stringify(directory)));
  filled.forEach((table, place) => {
    putChunks(sink, segmentId, PARTS.vectors, encodeTable(table), fieldChunk(place));
  });
}

function encodeTable({ docIds, values }: Pick<VectorTable, 'docIds' | 'values'>): Uint8Array {
  const bytes = new Uint8Array(docIds.byteLength + values.byteLength);
  bytes.set(bytesOf(docIds));
  bytes.set(bytesOf(values), docIds.byteLength);
  return bytes;
}

/** The tables of a segment that `isWanted`; empty when it has no vectors. O(bytes of the tables wanted). */
export function readVectorTables(
  rows: RowSource,
  segmentId: number,
  isWanted: (name: string, dimCount: number) => boolean,
): VectorTable[] {
  const directory = readDirectory(rows, segmentId);
  return directory.flatMap(([name, dimCount, count], place) => {
    if (!isWanted(name, dimCount)) return [];
    const stored = getChunks(rows, segmentId, PARTS.vectors, fieldChunk(place));
    if (stored === undefined) throw new Error(`segment ${segmentId} lacks the vectors of \`${name}\``);
    // a copy of its own: typed arrays of wider numbers have to start at a multiple of their width
    const { buffer } = Uint8Array.from(stored);
    const docIds = new Uint32Array(buffer, 0, count);
    return [{ name, dimCount, docIds, values: new Float32Array(buffer, count * 4, count * dimCount) }];
  });
}

function readDirectory(rows: RowSource, segmentId: number): Directory {
  const bytes = getChunks(rows, segmentId, PARTS.vectorDirectory);
  return bytes === undefined ? [] : (JSON.parse(Buffer.from(bytes).toString('utf8')) as Directory);
}

/** One segment that goes into a merge. */
export interface VectorSource {
  readonly segmentId: number;
  readonly isDead: (docId: number) => boolean;
}

/**
 * Writes the vectors of several segments as those of `target`, without dead documents. Pauses after each table, saying
 * the bytes it has written.
 */
export function* mergeVectors(
  rows: RowSource & RowSink,
  sources: readonly VectorSource[],
  target: number,
): Generator<number, void> {
  const directories = sources.flatMap(({ segmentId }) => readDirectory(rows, segmentId));
  const kinds = new Map(directories.map(([name, dimCount]) => [keyOf(name, dimCount), { name, dimCount }]));
  const merged: [string, number, number][] = [];
  for (const { name, dimCount } of kinds.values()) {
    const table = mergedTable(rows, sources, name, dimCount);
    if (table.docIds.length === 0) continue;
    const bytes = encodeTable(table);
    putChunks(rows, target, PARTS.vectors, bytes, fieldChunk(merged.length));
    merged.push([name, dimCount, table.docIds.length]);
    yield bytes.length;
  }
  if (merged.length > 0) putChunks(rows, target, PARTS.vectorDirectory, Buffer.from(JSON.stringify(merged)));
}

/** A document lives in one segment at most, so its vectors stay side by side. O(vectors * log vectors + numbers). */
function mergedTable(
  rows: RowSource,
  sources: readonly VectorSource[],
  name: string,
  dimCount: number,
): Pick<VectorTable, 'docIds' | 'values'> {
  const entries: { readonly docId: number; readonly vector: Float32Array }[] = [];
  for (const { segmentId, isDead } of sources) {
    const tables = readVectorTables(rows, segmentId, (given, size) => given === name && size === dimCount);
    for (const { docIds, values } of tables)
      docIds.forEach((docId, place) => {
        if (!isDead(docId)) entries.push({ docId, vector: values.subarray(place * dimCount, (place + 1) * dimCount) });
      });
  }
  entries.sort((left, right) => left.docId - right.docId);
  const values = new Float32Array(entries.length * dimCount);
  entries.forEach(({ vector }, place) => {
    values.set(vector, place * dimCount);
  });
  return { docIds: Uint32Array.from(entries, ({ docId }) => docId), values };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array | Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
