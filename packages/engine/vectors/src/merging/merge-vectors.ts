import type { DocId, DocIds, SegmentId } from '@fossick/base';
import type { RowSink, RowSource } from '@fossick/format';
import { type Kernel, NO_NODE } from '@fossick/kernel';
import { GraphBuilder } from '../graph/build-graph.js';
import { orderByNearness } from '../graph/node-order.js';
import type { VectorIndex } from '../graph/vector-index.js';
import {
  graphKind,
  readDirectory,
  readDocIds,
  readGraph,
  readTable,
  readValues,
  type TableInfo,
  ValueWriter,
  vectorsPerRow,
  writeDirectory,
  writeGraph,
  writeTable,
} from '../rows/vector-rows.js';
import { keyOf, type VectorTable } from '../rows/vector-table.js';
import { type IsQuantized, NUMBERS_AT_ONCE, needsGraph } from '../rows/write-vectors.js';

/** One source segment of a merge. */
export interface VectorSource {
  readonly segmentId: SegmentId;
  readonly isDeleted: (docId: DocId) => boolean;
}
/** Where and how vectors are merged. */
export interface VectorMerge {
  readonly kernel: Kernel;
  readonly rows: RowSource & Pick<RowSink, 'put'>;
  readonly sources: readonly VectorSource[];
  /** The id of the merged segment. */
  readonly target: SegmentId;
  readonly isQuantized: IsQuantized;
}

/** A vector table of one of the sources. */
interface Part {
  readonly segmentId: SegmentId;
  readonly table: TableInfo;
  readonly docIds: DocIds;
  readonly isDeleted: (docId: DocId) => boolean;
  readonly liveCount: number;
}

/** Below this share of live nodes a graph is built from scratch: inserting one node costs as much as adopting a few. */
const ADOPTED_SHARE_MIN = 0.3;
/** Bytes reported per pause while nodes are linked: about as many as are written in the same time. */
const LINKING_BYTES = 1 << 20;
/** Numbers that are sorted into the order of the new graph at a time: 1 MiB. */
const SORTED_NUMBERS = 1 << 18;

/**
 * Writes the vectors of several segments as those of `target`, without deleted documents. The new graph extends the
 * largest old one. Yields often, with the approximate number of bytes written.
 */
export function* mergeVectorTables(merge: VectorMerge): Generator<number, void> {
  const { rows, sources, target } = merge;
  const found = sources.flatMap(({ segmentId, isDeleted }) =>
    readDirectory(rows, segmentId).map((table) => ({ segmentId, isDeleted, table })),
  );
  const written: Omit<TableInfo, 'tableIndex'>[] = [];
  for (const key of new Set(found.map(({ table }) => keyOf(table.name, table.dimCount)))) {
    const parts = found
      .filter(({ table }) => keyOf(table.name, table.dimCount) === key)
      .map(({ segmentId, isDeleted, table }): Part => {
        const docIds = readDocIds(rows, segmentId, table);
        return {
          segmentId,
          isDeleted,
          table,
          docIds,
          liveCount: docIds.reduce((sum, id) => sum + Number(!isDeleted(id as DocId)), 0),
        };
      });
    const { name, dimCount } = parts[0]!.table;
    const count = parts.reduce((sum, { liveCount }) => sum + liveCount, 0);
    if (count === 0) continue;
    const tableIndex = written.length;
    if (needsGraph(tableIndex, count, dimCount)) {
      const graph = yield* mergeLarge(merge, tableIndex, parts, count);
      written.push({ name, dimCount, count, graph });
    } else {
      const table = mergeSmall(rows, parts);
      writeTable(rows, target, tableIndex, table);
      written.push({ name, dimCount, count, graph: null });
      yield table.values.byteLength;
    }
  }
  writeDirectory(rows, target, written);
}

/** A live document is in one segment only, so its vectors stay adjacent. O(vectors * log vectors + numbers) */
function mergeSmall(rows: RowSource, parts: readonly Part[]): VectorTable {
  const { name, dimCount } = parts[0]!.table;
  const entries: { readonly docId: DocId; readonly vector: Float32Array }[] = [];
  for (const { segmentId, table, isDeleted } of parts) {
    const { docIds, values } = readTable(rows, segmentId, table);
    for (let at = 0; at < docIds.length; at++) {
      const docId = docIds[at]!;
      if (!isDeleted(docId)) entries.push({ docId, vector: values.subarray(at * dimCount, (at + 1) * dimCount) });
    }
  }
  entries.sort((left, right) => left.docId - right.docId);
  const values = new Float32Array(entries.length * dimCount);
  entries.forEach(({ vector }, at) => {
    values.set(vector, at * dimCount);
  });
  return { name, dimCount, docIds: Uint32Array.from(entries, ({ docId }) => docId) as DocIds, values };
}

function* mergeLarge(
  { kernel, rows, target, isQuantized }: VectorMerge,
  tableIndex: number,
  parts: readonly Part[],
  count: number,
): Generator<number, NonNullable<TableInfo['graph']>> {
  const { name, dimCount } = parts[0]!.table;
  const kind = graphKind(isQuantized(name));
  const base = baseOf(parts, kind);
  const builder = new GraphBuilder(kernel, kind, dimCount, count);
  const inOrder = base === undefined ? parts : [base, ...parts.filter((part) => part !== base)];
  const origins = { parts: inOrder, partOf: new Uint16Array(count), nodeOf: new Uint32Array(count) };
  for (const at of inOrder.keys()) yield* addLiving(rows, origins, at, builder);
  const old = base === undefined ? undefined : readGraph(rows, base.segmentId, base.table, kernel);
  let index: VectorIndex;
  try {
    index = yield* linked(
      builder.build(old === undefined ? undefined : { graph: old.graph!, targetNodes: targetNodesOf(origins, base!) }),
    );
  } finally {
    old?.close();
  }
  const order = yield* linked(orderByNearness(kernel, index));
  yield* copyValues(rows, origins, order, new ValueWriter(rows, target, tableIndex, dimCount));
  const graph = yield* writeGraph(rows, target, tableIndex, kernel, { index, order });
  index.close();
  return graph;
}

/** Yields each pause as a number of bytes. */
function* linked<T>(steps: Generator<void, T>): Generator<number, T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield LINKING_BYTES;
  }
}

/** The part with the largest graph that is worth extending. */
function baseOf(parts: readonly Part[], kind: string): Part | undefined {
  const usable = parts.filter(
    ({ table, liveCount }) => table.graph?.kind === kind && liveCount >= table.count * ADOPTED_SHARE_MIN,
  );
  return usable.sort((left, right) => right.liveCount - left.liveCount)[0];
}

/** The source of each vector of a merge, those of the first part first: the part, and the node there. */
interface Origins {
  readonly parts: readonly Part[];
  readonly partOf: Uint16Array;
  readonly nodeOf: Uint32Array;
}

/** The new node of each node of the first part; NO_NODE for deleted ones. */
function targetNodesOf({ partOf, nodeOf }: Origins, base: Part): Uint32Array {
  const targetNodes = new Uint32Array(base.table.count).fill(NO_NODE);
  for (let at = 0; at < nodeOf.length && partOf[at] === 0; at++) targetNodes[nodeOf[at]!] = at;
  return targetNodes;
}

/** Visits the live vectors of a part, in their order. */
function* addLiving(
  rows: RowSource,
  { parts, partOf, nodeOf }: Origins,
  part: number,
  builder: GraphBuilder,
): Generator<number, void> {
  const { segmentId, table, docIds, isDeleted } = parts[part]!;
  const { dimCount, count, graph } = table;
  const whole = graph === null ? readTable(rows, segmentId, table).values : null;
  const step = Math.max(1, Math.floor(NUMBERS_AT_ONCE / dimCount));
  for (let from = 0; from < count; from += step) {
    const to = Math.min(count, from + step);
    const read = whole?.subarray(from * dimCount, to * dimCount) ?? readValues(rows, segmentId, table, from, to);
    const living: number[] = [];
    for (let node = from; node < to; node++) {
      if (isDeleted(docIds[node]!)) continue;
      const at = builder.count + living.length;
      partOf[at] = part;
      nodeOf[at] = node;
      living.push(node);
    }
    const liveValues = new Float32Array(living.length * dimCount);
    living.forEach((node, at) => {
      liveValues.set(read.subarray((node - from) * dimCount, (node - from + 1) * dimCount), at * dimCount);
    });
    builder.add(
      Uint32Array.from(living, (node) => docIds[node]!),
      liveValues,
    );
    yield liveValues.byteLength;
  }
}

/**
 * Writes exact numbers in the order of the new nodes. Each piece is read in the order of its rows, each row once.
 * O(numbers), and at most one row lookup per vector.
 */
function* copyValues(
  rows: RowSource,
  { parts, partOf, nodeOf }: Origins,
  order: Uint32Array,
  writer: ValueWriter,
): Generator<number, void> {
  const { dimCount } = parts[0]!.table;
  const perRow = vectorsPerRow(dimCount);
  const readers = parts.map(({ segmentId, table }) => {
    const whole = table.graph === null ? readTable(rows, segmentId, table).values : null;
    let row = -1;
    let held: Float32Array = new Float32Array(0);
    return (node: number): Float32Array => {
      if (whole !== null) return whole.subarray(node * dimCount, (node + 1) * dimCount);
      const first = node - (node % perRow);
      if (row !== first) {
        held = readValues(rows, segmentId, table, first, Math.min(table.count, first + perRow));
        row = first;
      }
      return held.subarray((node - first) * dimCount, (node - first + 1) * dimCount);
    };
  });
  const step = Math.max(1, Math.floor(SORTED_NUMBERS / dimCount));
  for (let from = 0; from < order.length; from += step) {
    const some = order.subarray(from, from + step);
    const inRows = Uint32Array.from(some.keys()).sort(
      (left, right) => partOf[some[left]!]! - partOf[some[right]!]! || nodeOf[some[left]!]! - nodeOf[some[right]!]!,
    );
    const values = new Float32Array(some.length * dimCount);
    for (const at of inRows) values.set(readers[partOf[some[at]!]!]!(nodeOf[some[at]!]!), at * dimCount);
    writer.add(values);
    yield values.byteLength;
  }
  writer.flush();
}
