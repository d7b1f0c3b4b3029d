import type { SegmentId } from '@fossick/base';
import type { RowSource } from '@fossick/format';
import { VectorGraph, VectorSet } from '@fossick/kernel';
import { graphKind, readDirectory, type TableInfo } from '../rows/vector-rows.js';

/** Bytes that a merge holds for each docid, which it has twice: with the old vectors and with the new ones. */
const DOC_ID_BYTES = 8;
/** About one node in this many is above the lowest level of a graph. */
const NODES_PER_UPPER = 15;

/**
 * The most bytes that a segment needs in a merge of vectors: the index that is made, and the one that it extends.
 * Tables of several names are merged one after the other, so only the largest counts. One row is read.
 */
export function vectorMergeBytes(rows: RowSource, segmentId: SegmentId): number {
  return Math.max(0, ...readDirectory(rows, segmentId).map(tableBytes));
}

/** Whether a segment has a graph of vectors. One row is read. */
export function hasVectorGraph(rows: RowSource, segmentId: SegmentId): boolean {
  return readDirectory(rows, segmentId).some(({ graph }) => graph !== null);
}

function tableBytes({ dimCount, count, graph }: TableInfo): number {
  const kind = graph?.kind ?? graphKind(false);
  const upperCount = graph?.upperCount ?? Math.ceil(count / NODES_PER_UPPER);
  const indexBytes = VectorSet.bytesFor(kind, dimCount, count) + VectorGraph.bytesFor(count, upperCount);
  // a table without a graph is read as it is, and copied into its new order if the merged table has no graph either
  const others = graph === null ? count * dimCount * 8 : indexBytes;
  return indexBytes + others + count * DOC_ID_BYTES;
}
