/**
 * Vectors of a segment on disk. A directory (JSON) lists the tables. The vectors of a small table are one part: docids (u32), then numbers (f32), both
 * little-endian, from the table's own chunk on. Those of a large one are stored twice: its index with codes and graph, read as a whole, and its exact
 * numbers in rows of a few vectors, of which a search reads those it compares exactly.
 */
import { type DocIds, type SegmentId, utf8Bytes, utf8Text } from '@fossick/base';
import {
  CHUNK_BYTES,
  getChunks,
  PARTS,
  putChunks,
  type RowReader,
  type RowSource,
  readRow,
  type SegmentRows,
  segmentKey,
  TABLES,
  tableChunk,
} from '@fossick/format/building';
import type { Kernel, VectorKind } from '@fossick/kernel';
import { decodeGraph, encodeGraph, type GraphFacts, graphFacts } from '../graph/graph-part.js';
import { positionsIn } from '../graph/node-order.js';
import type { VectorIndex } from '../graph/vector-index.js';
import type { VectorTable } from './vector-table.js';

/** Bytes of a row of exact numbers, unless one vector takes more: with the header of an overflow page run it fills two 4 KiB pages. */
const ROW_BYTES = 8_192 - 16;
/** The most rows of a table's numbers: the row's number is the low part of its key. */
const ROWS_MAX = 1 << 24;
/** The most tables of a segment with a graph: the table's index is the high part of its rows' keys. */
export const GRAPH_TABLES_MAX = 256;

/** The directory's entry of a table. */
export interface TableInfo {
  readonly tableIndex: number;
  readonly name: string;
  readonly dimCount: number;
  readonly count: number;
  /** Parameters of its graph; null: the table is scanned. */
  readonly graph: Pick<GraphFacts, 'upperCount' | 'entry' | 'kind' | 'breadth'> | null;
}
type Entry = readonly [name: string, dimCount: number, count: number, graph?: TableInfo['graph']];

/** The directory of a segment; empty when it has no vectors. */
export function readDirectory(rows: RowSource, segmentId: SegmentId): TableInfo[] {
  const bytes = getChunks(rows, segmentId, PARTS.vectorDirectory);
  if (bytes === undefined) return [];
  const entries = JSON.parse(utf8Text(bytes)) as readonly Entry[];
  return entries.map(([name, dimCount, count, graph = null], tableIndex) => ({
    tableIndex,
    name,
    dimCount,
    count,
    graph,
  }));
}

/** Writes the directory; nothing when there are no tables. */
export function writeDirectory(
  sink: SegmentRows,
  segmentId: SegmentId,
  tables: readonly Omit<TableInfo, 'tableIndex'>[],
): void {
  if (tables.length === 0) return;
  const entries = tables.map(
    ({ name, dimCount, count, graph }): Entry =>
      graph === null ? [name, dimCount, count] : [name, dimCount, count, graph],
  );
  putChunks(sink, segmentId, PARTS.vectorDirectory, utf8Bytes(JSON.stringify(entries)));
}

/** Writes the vectors of a small table. */
export function writeTable(
  sink: SegmentRows,
  segmentId: SegmentId,
  tableIndex: number,
  { docIds, values }: VectorTable,
): void {
  const bytes = new Uint8Array(docIds.byteLength + values.byteLength);
  bytes.set(bytesOf(docIds));
  bytes.set(bytesOf(values), docIds.byteLength);
  putChunks(sink, segmentId, PARTS.vectors, bytes, tableChunk(tableIndex));
}

/** Writes an index with a graph, its nodes in stored order (orderByNearness). Pauses now and then and yields the bytes written. */
export function* writeGraph(
  sink: SegmentRows,
  segmentId: SegmentId,
  tableIndex: number,
  kernel: Kernel,
  { index, order }: { readonly index: VectorIndex; readonly order: Uint32Array },
): Generator<number, NonNullable<TableInfo['graph']>> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  let filled = 0;
  let number = tableChunk(tableIndex);
  const put = (): void => {
    sink.put(TABLES.segments, segmentKey(segmentId, PARTS.vectorGraph, number), chunk.subarray(0, filled));
    number += 1;
    filled = 0;
  };
  for (const piece of encodeGraph(kernel, index, order)) {
    for (let at = 0; at < piece.length; ) {
      const length = Math.min(piece.length - at, CHUNK_BYTES - filled);
      chunk.set(piece.subarray(at, at + length), filled);
      filled += length;
      at += length;
      if (filled === CHUNK_BYTES) put();
    }
    yield piece.length;
  }
  if (filled > 0) put();
  const { kind, upperCount, entry, breadth } = graphFacts(index, positionsIn(order));
  return { kind, upperCount, entry, breadth };
}

/** Reads an index with a graph. O(bytes). */
export function readGraph(rows: RowSource, segmentId: SegmentId, table: TableInfo, kernel: Kernel): VectorIndex {
  const { tableIndex, dimCount, count, graph } = table;
  let number = tableChunk(tableIndex);
  let chunk: Uint8Array = new Uint8Array(0);
  let read = 0;
  return decodeGraph(kernel, { ...graph!, dimCount, count }, (byteCount, take) => {
    for (let at = 0; at < byteCount; ) {
      if (read === chunk.length) {
        const next = rows.get(TABLES.segments, segmentKey(segmentId, PARTS.vectorGraph, number++));
        if (next === undefined) throw new Error(`segment ${segmentId} lacks a piece of the graph of \`${table.name}\``);
        chunk = next;
        read = 0;
      }
      const length = Math.min(byteCount - at, chunk.length - read);
      take(chunk.subarray(read, read + length), at);
      read += length;
      at += length;
    }
  });
}

/** Whether the exact numbers of this many vectors fit into rows. */
export function fitsRows(count: number, dimCount: number): boolean {
  return Math.ceil(count / vectorsPerRow(dimCount)) <= ROWS_MAX;
}

/** Vectors that share a row of exact numbers. */
export function vectorsPerRow(dimCount: number): number {
  return Math.max(1, Math.floor(ROW_BYTES / (dimCount * 4)));
}

/** Writes exact numbers, in order, as rows. */
export class ValueWriter {
  private readonly sink: SegmentRows;
  private readonly segmentId: SegmentId;
  private readonly tableIndex: number;
  private readonly dimCount: number;
  private readonly perRow: number;
  private held: Float32Array;
  private heldCount = 0;
  private row = 0;

  constructor(sink: SegmentRows, segmentId: SegmentId, tableIndex: number, dimCount: number) {
    this.sink = sink;
    this.segmentId = segmentId;
    this.tableIndex = tableIndex;
    this.dimCount = dimCount;
    this.perRow = vectorsPerRow(dimCount);
    this.held = new Float32Array(this.perRow * dimCount);
  }

  /** Adds consecutive vectors. */
  add(values: Float32Array): void {
    const { dimCount, perRow } = this;
    for (let at = 0; at < values.length; at += dimCount) {
      this.held.set(values.subarray(at, at + dimCount), this.heldCount * dimCount);
      this.heldCount += 1;
      if (this.heldCount === perRow) this.flush();
    }
  }

  /** Writes the remaining numbers. */
  flush(): void {
    if (this.heldCount === 0) return;
    const key = segmentKey(this.segmentId, PARTS.vectorValues, this.tableIndex * ROWS_MAX + this.row);
    this.sink.put(TABLES.segments, key, bytesOf(this.held.slice(0, this.heldCount * this.dimCount)));
    this.row += 1;
    this.heldCount = 0;
  }
}

/** Exact numbers of the nodes [from, to), which are in one row or in neighbouring ones. O(rows). */
export function readValues(
  rows: RowSource | RowReader,
  segmentId: SegmentId,
  table: TableInfo,
  from: number,
  to: number,
): Float32Array {
  const { dimCount } = table;
  const perRow = vectorsPerRow(dimCount);
  const values = new Float32Array((to - from) * dimCount);
  const bytes = bytesOf(values);
  for (let node = from; node < to; ) {
    const row = Math.floor(node / perRow);
    const inRow = node - row * perRow;
    const length = Math.min(to - node, perRow - inRow);
    const take = (stored: Uint8Array): boolean => {
      bytes.set(stored.subarray(inRow * dimCount * 4, (inRow + length) * dimCount * 4), (node - from) * dimCount * 4);
      return true;
    };
    if (!readValueRow(rows, segmentId, table, row, take))
      throw new Error(`segment ${segmentId} lacks vectors of \`${table.name}\``);
    node += length;
  }
  return values;
}

/** Passes a row of exact numbers on without a copy: often one vector of it is needed. False when there is none. */
export function readValueRow(
  rows: RowSource | RowReader,
  segmentId: SegmentId,
  { tableIndex }: TableInfo,
  row: number,
  take: (row: Uint8Array) => boolean,
): boolean {
  return readRow(rows, segmentKey(segmentId, PARTS.vectorValues, tableIndex * ROWS_MAX + row), take);
}

/** Docids of a table's vectors in order, without its graph. O(vectors). */
export function readDocIds(
  rows: RowSource,
  segmentId: SegmentId,
  { tableIndex, name, count, graph }: TableInfo,
): DocIds {
  const part = graph === null ? PARTS.vectors : PARTS.vectorGraph;
  const docIds = new Uint32Array(count) as DocIds;
  const bytes = bytesOf(docIds);
  for (let at = 0, chunk = tableChunk(tableIndex); at < bytes.length; chunk++) {
    const stored = rows.get(TABLES.segments, segmentKey(segmentId, part, chunk));
    if (stored === undefined) throw new Error(`segment ${segmentId} lacks the vectors of \`${name}\``);
    const taken = stored.subarray(0, bytes.length - at);
    bytes.set(taken, at);
    at += taken.length;
  }
  return docIds;
}

/** Reads a whole table in either form. O(bytes). */
export function readTable(rows: RowSource, segmentId: SegmentId, table: TableInfo): VectorTable {
  const { tableIndex, name, dimCount, count, graph } = table;
  if (graph !== null) {
    const docIds = readDocIds(rows, segmentId, table);
    return { name, dimCount, docIds, values: readValues(rows, segmentId, table, 0, count) };
  }
  const stored = getChunks(rows, segmentId, PARTS.vectors, tableChunk(tableIndex));
  if (stored === undefined) throw new Error(`segment ${segmentId} lacks the vectors of \`${name}\``);
  // a copy: a typed array must start at a multiple of its element size
  const { buffer } = Uint8Array.from(stored);
  const docIds = new Uint32Array(buffer, 0, count) as DocIds;
  return { name, dimCount, docIds, values: new Float32Array(buffer, count * 4, count * dimCount) };
}

/** The code of a graph's vectors: signs for an embedder with `binaryQuantized`. */
export function graphKind(isQuantized: boolean): Extract<VectorKind, 'int8' | 'signs'> {
  return isQuantized ? 'signs' : 'int8';
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array | Float32Array): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
