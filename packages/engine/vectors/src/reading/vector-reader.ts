import type { DocId, SegmentId } from '@fossick/base';
import type { RowReader } from '@fossick/format';
import type { Kernel, VectorKind } from '@fossick/kernel';
import type { HeldMemory } from '@fossick/kernel/memory';
import { type Candidates, type DocumentScope, scanIndex, type VectorIndex } from '../graph/vector-index.js';
import {
  graphKind,
  readDirectory,
  readGraph,
  readTable,
  readValueRow,
  readValues,
  type TableInfo,
  vectorsPerRow,
} from '../rows/vector-rows.js';

/**
 * Tables with a graph cache the exact numbers read so far when all of them take at most this many bytes: a sixteenth of the default memory limit of
 * searches. 20,000 vectors of 128 dimensions take 10 MiB; larger tables are read each time.
 */
const CACHED_BYTES_MAX = 16 * 2 ** 20;

/** The vectors of one name and dimension of a segment, as a thread has them open. */
export class VectorReader implements HeldMemory {
  private readonly rows: RowReader;
  private readonly segmentId: SegmentId;
  private readonly table: TableInfo;
  private readonly index: VectorIndex;
  /** Exact numbers, when they are few; else they are read on demand. */
  private readonly values: Float32Array | null;
  readonly kind = 'vectors';
  readonly byteCount: number;
  /** Exact numbers of the rows read so far. */
  private readonly cached: Float32Array | null;
  private readonly isRead: Uint8Array;
  private readonly perRow: number;
  /** Rows are at any address of the store: numbers to compare are copied to an aligned one. */
  private readonly buffer: Float32Array;
  private readonly bufferBytes: Uint8Array;

  constructor(
    rows: RowReader,
    segmentId: SegmentId,
    table: TableInfo,
    index: VectorIndex,
    values: Float32Array | null,
  ) {
    this.rows = rows;
    this.segmentId = segmentId;
    this.table = table;
    this.index = index;
    this.values = values;
    const { count, dimCount } = table;
    this.perRow = vectorsPerRow(dimCount);
    this.buffer = new Float32Array(this.perRow * dimCount);
    this.bufferBytes = new Uint8Array(this.buffer.buffer);
    const isCached = values === null && count * dimCount * 4 <= CACHED_BYTES_MAX;
    this.cached = isCached ? new Float32Array(count * dimCount) : null;
    this.isRead = new Uint8Array(isCached ? Math.ceil(count / this.perRow) : 0);
    this.byteCount = index.byteCount + (values?.byteLength ?? 0) + (this.cached?.byteLength ?? 0);
  }

  get count(): number {
    return this.index.count;
  }

  /** Whether exact numbers are in memory; else each comparison reads a row. */
  get isAtHand(): boolean {
    return this.values !== null;
  }

  candidates(query: Float32Array, limit: number, scope: DocumentScope): Candidates {
    return this.index.candidates(query, limit, scope);
  }

  docIdOf(node: number): DocId {
    return this.index.docIds[node]!;
  }

  /** An error bound of the distance of a candidate's code, in its unit (1 - cosine); 0 for signs. */
  codeError(query: Float32Array): (node: number) => number {
    return this.index.codeError(query);
  }

  /** The row with the exact numbers of a vector. */
  rowOf(node: number): number {
    return Math.floor(node / this.perRow);
  }

  /**
   * Passes on the exact numbers of all vectors of each document that has one of these nodes, which must be in one row, with one look-up. They are valid
   * until `use` returns.
   */
  readRow(row: number, nodes: readonly number[], use: (node: number, values: Float32Array) => void): void {
    const { table, perRow, index } = this;
    const first = row * perRow;
    const isWithin = (node: number): boolean => {
      const [from, to] = index.span(node);
      return from >= first && to <= first + perRow;
    };
    if (this.cached !== null || this.values !== null || !nodes.every(isWithin)) {
      for (const node of nodes) use(node, this.vectorsAround(node));
      return;
    }
    const vectorBytes = table.dimCount * 4;
    const take = (stored: Uint8Array): boolean => {
      for (const node of nodes) {
        const [from, to] = index.span(node);
        const bytes = stored.subarray((from - first) * vectorBytes, (to - first) * vectorBytes);
        this.bufferBytes.set(bytes);
        use(node, this.buffer.subarray(0, (to - from) * table.dimCount));
      }
      return true;
    };
    if (!readValueRow(this.rows, this.segmentId, table, row, take))
      throw new Error(`segment ${this.segmentId} lacks vectors of \`${table.name}\``);
  }

  /** Exact numbers of all vectors of the node's document, consecutively. */
  vectorsAround(node: number): Float32Array {
    const { dimCount } = this.table;
    const [from, to] = this.index.span(node);
    const whole = this.values ?? this.cachedRows(from, to);
    return (
      whole?.subarray(from * dimCount, to * dimCount) ?? readValues(this.rows, this.segmentId, this.table, from, to)
    );
  }

  /** The cached numbers, after the rows of these vectors were read; null when the table has no cache. */
  private cachedRows(from: number, to: number): Float32Array | null {
    const { cached, isRead, rows, segmentId, table } = this;
    if (cached === null) return null;
    const { perRow } = this;
    for (let row = Math.floor(from / perRow); row * perRow < to; row++) {
      if (isRead[row] === 1) continue;
      const [first, end] = [row * perRow, Math.min(table.count, (row + 1) * perRow)];
      cached.set(readValues(rows, segmentId, table, first, end), first * table.dimCount);
      isRead[row] = 1;
    }
    return cached;
  }

  free(): void {
    this.index.close();
  }
}

/**
 * Opens the vectors of a name in a segment; null when it has none of this dimension. With a graph when there is one of this kind, else for
 * scans. O(bytes).
 */
export function openVectors(
  kernel: Kernel,
  rows: RowReader,
  segmentId: SegmentId,
  wanted: { readonly name: string; readonly dimCount: number; readonly isQuantized: boolean },
): VectorReader | null {
  const { name, dimCount, isQuantized } = wanted;
  const table = readDirectory(rows, segmentId).find((one) => one.name === name && one.dimCount === dimCount);
  if (table === undefined) return null;
  if (table.graph?.kind === graphKind(isQuantized))
    return new VectorReader(rows, segmentId, table, readGraph(rows, segmentId, table, kernel), null);
  const read = readTable(rows, segmentId, table);
  const kind: VectorKind = isQuantized ? 'signs' : 'f32';
  return new VectorReader(rows, segmentId, table, scanIndex(kernel, kind, read), read.values);
}
