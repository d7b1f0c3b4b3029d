import type { SegmentId } from '@fossick/base';
import { PARTS, type RowReader, type RowSink, segmentKey, TABLES, tableChunk } from '@fossick/format';
import { createKernel, type VectorKind } from '@fossick/kernel';
import { expect, it } from 'vitest';
import { GraphBuilder } from '../graph/build-graph.js';
import type { VectorIndex } from '../graph/vector-index.js';
import { readDirectory, readGraph, readTable, ValueWriter, writeDirectory } from '../rows/vector-rows.js';
import type { IsQuantized } from '../rows/write-vectors.js';
import { mergeVectorTables } from './merge-vectors.js';

const [DIM_COUNT, CENTRE_COUNT, LIMIT, QUERY_COUNT] = [8, 40, 10, 40];
/** Enough for a graph, and documents with two vectors among them. */
const DOCUMENTS = 4_200;
const CHUNK_BYTES = 65_536 - 16;

let state = 17;
const random = (): number => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 0x80000000 - 1;
};
const centres = Array.from({ length: CENTRE_COUNT }, () => Array.from({ length: DIM_COUNT }, random));
const draw = (): number[] =>
  centres[Math.floor(Math.abs(random()) * CENTRE_COUNT)]!.map((value) => Math.fround(value + random() / 2));

interface Drawn {
  readonly docIds: Uint32Array;
  readonly values: Float32Array;
}
function documents(first: number): Drawn {
  const docIds: number[] = [];
  const values: number[] = [];
  for (let docId = first; docId < first + DOCUMENTS; docId++)
    for (let count = docId % 50 === 0 ? 2 : 1; count > 0; count--) {
      docIds.push(docId);
      values.push(...draw());
    }
  return { docIds: Uint32Array.from(docIds), values: Float32Array.from(values) };
}

function rowsInMemory(): RowReader & Pick<RowSink, 'put'> {
  const rows = new Map<string, Uint8Array>();
  const nameOf = (table: string, key: Uint8Array): string => `${table} ${Buffer.from(key).toString('hex')}`;
  return {
    get: (table, key) => rows.get(nameOf(table, key)),
    read: (table, key, use) => {
      const row = rows.get(nameOf(table, key));
      return row === undefined ? undefined : use(row);
    },
    put: (table, key, value) => {
      rows.set(nameOf(table, key), Uint8Array.from(value));
    },
  };
}

const kernel = createKernel();
function lastOf<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value as T;
  }
}

/**
 * Writes a segment as the first release with graphs did: nodes by docid, links with whatever stood after their ends, no breadth. Compared with the bytes of
 * that release for the same vectors: docids, codes, scales, levels, upper links, sizes and entry are the same; it chose some other links on level 0.
 */
function writeFormerly(rows: Pick<RowSink, 'put'>, segmentId: SegmentId, kind: VectorKind, drawn: Drawn): void {
  const { docIds, values } = drawn;
  const builder = new GraphBuilder(kernel, kind, DIM_COUNT, docIds.length);
  builder.add(docIds, values);
  const index = lastOf(builder.build());
  const graph = index.graph!;
  const { codes, scales } = index.set.parts(docIds.length);
  const { links, levels, upperLinks, entry } = graph.parts();
  const pieces = [codes, scales, links, levels, upperLinks].map(({ ptr, byteCount }) =>
    kernel.memory.read(ptr, byteCount),
  );
  const bytes = Buffer.concat([new Uint8Array(docIds.buffer), ...pieces]);
  for (let at = 0, chunk = tableChunk(0); at < bytes.length; at += CHUNK_BYTES, chunk++)
    rows.put(
      TABLES.segments,
      segmentKey(segmentId, PARTS.vectorGraph, chunk),
      bytes.subarray(at, Math.min(bytes.length, at + CHUNK_BYTES)),
    );
  const writer = new ValueWriter(rows, segmentId, 0, DIM_COUNT);
  writer.add(values);
  writer.flush();
  const formerFacts = { kind: kind as 'int8' | 'signs', upperCount: graph.upperCount, entry };
  writeDirectory(rows, segmentId, [{ name: 'e', dimCount: DIM_COUNT, count: docIds.length, graph: formerFacts }]);
  index.close();
}

/** How near two vectors are, as the kind tells it: the larger the nearer. */
function nearness(kind: VectorKind, a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, aa, bb, alike] = [0, 0, 0, 0];
  for (let dim = 0; dim < DIM_COUNT; dim++) {
    dot += a[dim]! * b[dim]!;
    aa += a[dim]! ** 2;
    bb += b[dim]! ** 2;
    alike += Number(a[dim]! > 0 === b[dim]! > 0);
  }
  return kind === 'signs' ? alike : dot / Math.sqrt(aa * bb);
}

/** The share of the nearest vectors that walks find of queries that lie as documents do. */
function recallOf(kind: VectorKind, index: VectorIndex, values: Float32Array): number {
  let found = 0;
  for (let at = 0; at < QUERY_COUNT; at++) {
    const query = Float32Array.from(draw());
    const nearOf = (node: number): number =>
      nearness(kind, query, values.subarray(node * DIM_COUNT, (node + 1) * DIM_COUNT));
    const truth = Array.from({ length: index.count }, (_, node) => nearOf(node)).sort((left, right) => right - left);
    const { nodes, isAll } = index.candidates(query, 2 * LIMIT, { within: 0, without: 0 });
    expect(isAll).toBe(false); // it was walked
    const enough = truth[LIMIT - 1]! - 1e-6;
    found += Math.min(LIMIT, [...nodes].filter((node) => nearOf(node) >= enough).length);
  }
  return found / (QUERY_COUNT * LIMIT);
}

it.each([
  'int8',
  'signs',
] as const)('graphs of %s that the first release wrote are walked, and merged into one of today', (kind) => {
  const rows = rowsInMemory();
  const former = [documents(0), documents(DOCUMENTS)];
  for (const [at, drawn] of former.entries()) writeFormerly(rows, (at + 1) as SegmentId, kind, drawn);
  for (const [at, { docIds, values }] of former.entries()) {
    const [table] = readDirectory(rows, (at + 1) as SegmentId);
    expect(table!.graph).not.toHaveProperty('breadth');
    const index = readGraph(rows, (at + 1) as SegmentId, table!, kernel);
    expect(index.docIds).toEqual(docIds);
    expect(readTable(rows, (at + 1) as SegmentId, table!).values).toEqual(values);
    expect(recallOf(kind, index, values)).toBeGreaterThan(0.95);
    index.close();
  }
  const isDeleted = (docId: number): boolean => docId % 3 === 0;
  const isQuantized: IsQuantized = () => kind === 'signs';
  const sources = ([1, 2] as SegmentId[]).map((segmentId) => ({ segmentId, isDeleted }));
  lastOf(mergeVectorTables({ kernel, rows, sources, target: 3 as SegmentId, isQuantized }));
  const [table] = readDirectory(rows, 3 as SegmentId);
  const { docIds, values } = readTable(rows, 3 as SegmentId, table!);
  /** Each document's vectors, in an order that does not depend on that of nodes. */
  const spelled = (drawn: Drawn): string[] =>
    Array.from(drawn.docIds, (docId, node) => {
      const vector = drawn.values.subarray(node * DIM_COUNT, (node + 1) * DIM_COUNT);
      return `${docId} ${vector.join()}`;
    })
      .filter((_, node) => !isDeleted(drawn.docIds[node]!))
      .sort();
  expect(spelled({ docIds, values })).toEqual(former.flatMap(spelled).sort());
  const index = readGraph(rows, 3 as SegmentId, table!, kernel);
  // the breadth of the merged graph is measured anew, and it is what searches walk with
  expect(table!.graph!.breadth).toBeGreaterThanOrEqual(24);
  expect(index.breadth).toBe(table!.graph!.breadth);
  expect(recallOf(kind, index, values)).toBeGreaterThan(0.95);
  index.close();
});
