import type { DocIds, SegmentId } from '@fossick/base';
import { createKernel } from '@fossick/kernel';
import { expect, test } from 'vitest';
import { cosineDistance } from '../graph/distance.js';
import { scanIndex } from '../graph/vector-index.js';
import { NearestDocuments, type VectorView } from './nearest.js';
import { VectorReader } from './vector-reader.js';

const DOC_COUNT = 500;
const DIM_COUNT = 4;

/** A view of one segment with these vectors, and nothing else. */
function viewOf(docIds: Uint32Array, values: Float32Array, onLook = (): void => {}): VectorView {
  const kernel = createKernel();
  const table = { tableIndex: 0, name: 'e', dimCount: DIM_COUNT, count: docIds.length, graph: null };
  const index = scanIndex(kernel, 'f32', { dimCount: DIM_COUNT, docIds: docIds as DocIds, values });
  const open = new VectorReader({ get: () => undefined, read: () => undefined }, 0 as SegmentId, table, index, values);
  const look = open.candidates.bind(open);
  open.candidates = (...given) => {
    onLook();
    return look(...given);
  };
  const segments = [{ deleted: 0 as const, vectors: () => open }];
  return { kernel, segments, documentCount: docIds.length + 1 };
}

test('gives all candidates in the order of a full sort, whatever the batch', () => {
  let seed = 7;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (seed >> 16) % 5;
  };
  const docIds = Uint32Array.from({ length: DOC_COUNT }, (_, docId) => docId) as DocIds;
  const values = Float32Array.from({ length: DOC_COUNT * DIM_COUNT }, () => random() - 2);
  const view = viewOf(docIds, values);
  const candidates = view.kernel.bitmaps.create(DOC_COUNT);
  for (const docId of docIds) if (docId % 3 !== 0) view.kernel.bitmaps.set(candidates, docId);
  const query = Float32Array.of(1, -1, 2, 0.5);
  const distanceTo = cosineDistance(query);
  const expected = [...docIds]
    .filter((docId) => docId % 3 !== 0)
    .map((docId) => ({ docId, distance: distanceTo(values, docId * DIM_COUNT) }))
    .sort((a, b) => a.distance - b.distance || a.docId - b.docId);
  for (const batchSize of [0, 1, 7, 64, 1_000]) {
    const target = {
      embedder: 'e',
      vectors: [query],
      isAnyVector: true,
      isQuantized: false,
      similarityOf: (d: number) => 1 - d,
    };
    const nearest = new NearestDocuments(view, target, candidates, batchSize);
    const found = [];
    for (let next = nearest.take(); next !== null; next = nearest.take()) found.push(next);
    expect(found).toEqual(expected);
  }
});

test('looks up once for the requested number, including the test for a tie after the last', () => {
  const docIds = Uint32Array.from({ length: DOC_COUNT }, (_, docId) => docId) as DocIds;
  const values = Float32Array.from({ length: DOC_COUNT * DIM_COUNT }, (_, at) => Math.sin(at * at));
  let looks = 0;
  const view = viewOf(docIds, values, () => {
    looks += 1;
  });
  const candidates = view.kernel.bitmaps.create(DOC_COUNT);
  for (const docId of docIds) view.kernel.bitmaps.set(candidates, docId);
  const target = {
    embedder: 'e',
    vectors: [Float32Array.of(1, 2, 3, 4)],
    isAnyVector: true,
    isQuantized: false,
    similarityOf: (distance: number) => 1 - distance,
  };
  const nearest = new NearestDocuments(view, target, candidates, 20);
  for (let taken = 0; taken < 20; taken++) nearest.take();
  nearest.peek();
  expect(looks).toBe(1);
});
