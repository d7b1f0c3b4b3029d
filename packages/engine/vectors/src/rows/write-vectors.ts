import type { SegmentId } from '@fossick/base';
import type { SegmentRows } from '@fossick/format/building';
import type { Kernel } from '@fossick/kernel';
import { GraphBuilder } from '../graph/build-graph.js';
import { orderByNearness } from '../graph/node-order.js';
import { GRAPH_VECTORS_MIN, type VectorIndex } from '../graph/vector-index.js';
import {
  fitsRows,
  GRAPH_TABLES_MAX,
  graphKind,
  type TableInfo,
  ValueWriter,
  writeDirectory,
  writeGraph,
  writeTable,
} from './vector-rows.js';
import type { VectorTable } from './vector-table.js';

/** Whether vectors of a name are compared by signs only. */
export type IsQuantized = (name: string) => boolean;

/** Whether a table should have a graph. */
export function needsGraph(tableIndex: number, count: number, dimCount: number): boolean {
  return count >= GRAPH_VECTORS_MIN && tableIndex < GRAPH_TABLES_MAX && fitsRows(count, dimCount);
}

/** Writes the vectors of a new segment; large tables get their graph. O(numbers), and for a graph O(vectors * dimensions * breadth). */
export function writeVectors(
  sink: SegmentRows,
  segmentId: SegmentId,
  tables: readonly VectorTable[],
  kernel: Kernel,
  isQuantized: IsQuantized,
): void {
  const infos = tables.map((table, tableIndex): Omit<TableInfo, 'tableIndex'> => {
    const { name, dimCount, docIds, values } = table;
    const count = docIds.length;
    if (!needsGraph(tableIndex, count, dimCount)) {
      writeTable(sink, segmentId, tableIndex, table);
      return { name, dimCount, count, graph: null };
    }
    const builder = new GraphBuilder(kernel, graphKind(isQuantized(name)), dimCount, count);
    const step = Math.max(1, Math.floor(NUMBERS_AT_ONCE / dimCount));
    for (let from = 0; from < count; from += step)
      builder.add(docIds.subarray(from, from + step), values.subarray(from * dimCount, (from + step) * dimCount));
    const index = lastOf(builder.build());
    const order = lastOf(orderByNearness(kernel, index));
    const writer = new ValueWriter(sink, segmentId, tableIndex, dimCount);
    for (const node of order) writer.add(values.subarray(node * dimCount, (node + 1) * dimCount));
    writer.flush();
    const graph = lastOf(writeGraph(sink, segmentId, tableIndex, kernel, { index, order }));
    index.close();
    return { name, dimCount, count, graph };
  });
  writeDirectory(sink, segmentId, infos);
}

/** Numbers copied through the kernel's scratch at a time. */
export const NUMBERS_AT_ONCE = 1 << 16;

/** The return value of a generator, ignoring its pauses. */
function lastOf<T extends VectorIndex | Uint32Array | TableInfo['graph']>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value as T;
  }
}
