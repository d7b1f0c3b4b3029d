import type { Kernel, VectorKind } from '@fossick/kernel';
import { type Candidates, type DocumentScope, scanIndex, type VectorIndex } from '@fossick/vectors';
import type { RowSource } from '../indexing/rows.js';
import type { HeldMemory } from '../view/search-memory.js';
import { graphKind, readDirectory, readGraph, readTable, readValues, type TableInfo } from './vector-rows.js';

/** The vectors of one name and size of a segment, as a thread has them open for searches. */
export class OpenVectors implements HeldMemory {
  readonly kind = 'vectors';
  readonly byteCount: number;

  constructor(
    private readonly rows: RowSource,
    private readonly segmentId: number,
    private readonly table: TableInfo,
    private readonly index: VectorIndex,
    /** Exact numbers, where they are few; else they are read as they are needed. */
    private readonly values: Float32Array | null,
  ) {
    this.byteCount = index.byteCount + (values?.byteLength ?? 0);
  }

  get count(): number {
    return this.index.count;
  }

  /** Whether exact numbers are in memory; else each vector that is measured is a row that is read. */
  get isAtHand(): boolean {
    return this.values !== null;
  }

  candidates(query: Float32Array, limit: number, scope: DocumentScope): Candidates {
    return this.index.candidates(query, limit, scope);
  }

  docIdOf(node: number): number {
    return this.index.docIds[node]!;
  }

  /** Exact numbers of all vectors of the document that has the one at `node`, one after another. */
  vectorsAround(node: number): Float32Array {
    const { dimCount } = this.table;
    const [from, to] = this.index.span(node);
    return (
      this.values?.subarray(from * dimCount, to * dimCount) ??
      readValues(this.rows, this.segmentId, this.table, from, to)
    );
  }

  free(): void {
    this.index.close();
  }
}

/**
 * Opens the vectors of a name in a segment; null when it has none of this size. With a graph where it has one of this kind, else for scans.
 * O(bytes).
 */
export function openVectors(
  kernel: Kernel,
  rows: RowSource,
  segmentId: number,
  wanted: { readonly name: string; readonly dimCount: number; readonly isQuantized: boolean },
): OpenVectors | null {
  const { name, dimCount, isQuantized } = wanted;
  const table = readDirectory(rows, segmentId).find((one) => one.name === name && one.dimCount === dimCount);
  if (table === undefined) return null;
  if (table.graph?.kind === graphKind(isQuantized))
    return new OpenVectors(rows, segmentId, table, readGraph(rows, segmentId, table, kernel), null);
  const read = readTable(rows, segmentId, table);
  const kind: VectorKind = isQuantized ? 'signs' : 'f32';
  return new OpenVectors(rows, segmentId, table, scanIndex(kernel, kind, read), read.values);
}
