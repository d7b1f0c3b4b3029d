import type { DocId, DocIds, SegmentId } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { createKernel } from '@fossick/kernel';
import { describe, expect, test } from 'vitest';
import { cosineDistance, signDistance } from '../graph/distance.js';
import { scanIndex } from '../graph/vector-index.js';
import { NearestDocuments, type VectorView } from './nearest.js';
import { type RandomView, randomOf, randomView, type ViewShape } from './random-view.test-support.js';
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

const seed = TEST_SEED;
const isNearer = (left: { readonly distance: number; readonly docId: number }, right: typeof left): number =>
  left.distance - right.distance || left.docId - right.docId;

/** Some of the documents of a view, and their distances from a random vector: each computed, and all sorted. */
function sortedBy({ view, vectorsOf }: RandomView, { docCount, dimCount, kind, number }: ViewShape, share: number) {
  const query = Float32Array.from({ length: dimCount }, number);
  const distanceTo = kind === 'signs' ? signDistance(query) : cosineDistance(query);
  const candidates = view.kernel.bitmaps.create(docCount);
  const random = randomOf(seed);
  const expected: { docId: DocId; distance: number }[] = [];
  for (const [docId, vectors] of vectorsOf) {
    if (random() >= share) continue;
    view.kernel.bitmaps.set(candidates, docId);
    const distances = Array.from({ length: vectors.length / dimCount }, (_, at) => distanceTo(vectors, at * dimCount));
    expected.push({ docId, distance: Math.min(...distances) });
  }
  const target = {
    ...{ embedder: 'e', vectors: [query], isAnyVector: true, isQuantized: kind === 'signs' },
    similarityOf: (distance: number) => 1 - distance,
  };
  return { candidates, target, expected: expected.sort(isNearer) };
}

describe(`random vectors (seed ${seed})`, () => {
  test.each<[name: string, shape: Partial<ViewShape>, number: (random: () => number) => number]>([
    ['in memory', { kind: 'f32', segmentCount: 3, isInRows: false }, (random) => random() - 0.5],
    // ties of different segments are in docid order only within one look-up
    ['signs in rows, with ties', { kind: 'signs', isInRows: true }, (random) => Math.floor(random() * 3) - 1],
    ['many signs in rows', { kind: 'signs', isInRows: true, dimCount: 700, docCount: 120 }, (random) => random() - 0.5],
  ])('%s are found as by a full sort', (_, partly, numberOf) => {
    const random = randomOf(seed);
    for (let round = 0; round < 12; round++) {
      const shape: ViewShape = {
        ...{ docCount: 1 + Math.floor(random() * 1_200), segmentCount: 1, dimCount: 6, vectorsMax: 3 },
        ...{ deletedShare: round % 3 === 0 ? 0 : 0.2, number: () => numberOf(random) },
        kind: 'f32',
        isInRows: false,
        ...partly,
      };
      const made = randomView(shape, random);
      const { candidates, target, expected } = sortedBy(made, shape, [1, 0.6, 0.05][round % 3]!);
      const nearest = new NearestDocuments(made.view, target, candidates, Math.floor(random() * 60));
      const found = [];
      for (let next = nearest.take(); next !== null; next = nearest.take()) {
        found.push(next);
        if (random() > 0.005) continue;
        const most = random();
        const isNear = (distance: number): boolean => distance <= most;
        const near = expected.filter(({ distance }) => isNear(distance)).map(({ docId }) => docId);
        expect([...nearest.within(isNear)].sort((a, b) => a - b)).toEqual(near.sort((a, b) => a - b));
      }
      expect(found).toEqual(expected);
    }
  });
});

describe('a search of all documents', () => {
  const random = randomOf(3);
  const shape: ViewShape = {
    ...{ docCount: 20_000, segmentCount: 2, dimCount: 4 },
    ...{ vectorsMax: 1, deletedShare: 0, number: () => random() - 0.5 },
    kind: 'int8',
    isInRows: true,
  };
  const made = randomView(shape, random);
  const { candidates, target } = sortedBy(made, shape, 1);
  const countAll = (): number => [...new NearestDocuments(made.view, target, candidates, 1).within(() => true)].length;
  /** The last look-up by codes has ended, and `measured` documents were read since. */
  let [isFound, measured] = [false, 0];
  for (const reader of made.readers) {
    const [look, read] = [reader.candidates.bind(reader), reader.readRow.bind(reader)];
    reader.candidates = (...given) => {
      const found = look(...given);
      isFound ||= found.isAll && reader === made.readers.at(-1);
      return found;
    };
    reader.readRow = (row, nodes, use) => {
      if (isFound) measured += nodes.length;
      read(row, nodes, use);
    };
  }
  /** Calls `look` at each pause after the last look-up by codes, which the kernel makes. */
  function withPauses<T>(look: () => void, work: () => T): T {
    const { kernel } = made.view;
    [isFound, measured] = [false, 0];
    kernel.onPause = () => {
      if (isFound) look();
    };
    try {
      return work();
    } finally {
      kernel.onPause = null;
    }
  }

  test('looks at the clock, as often as its work grows: some steps for each document', () => {
    let pauses = 0;
    const look = (): void => {
      pauses += 1;
    };
    expect(withPauses(look, countAll)).toBe(shape.docCount);
    expect(pauses).toBeGreaterThan(shape.docCount / 64);
    expect(pauses).toBeLessThan((4 * shape.docCount) / 64);
  });

  test('ends when the clock says so, also after all candidates were found', () => {
    const look = (): void => {
      throw new RangeError('late');
    };
    expect(() => withPauses(look, countAll)).toThrow('late');
    expect(measured).toBeLessThan(1_000);
  });
});
