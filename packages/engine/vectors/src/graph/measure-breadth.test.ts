import { createKernel } from '@fossick/kernel';
import { expect, it } from 'vitest';
import { GraphBuilder } from './build-graph.js';
import { cosineDistance } from './distance.js';
import { decodeGraph, encodeGraph, graphFacts } from './graph-part.js';
import { orderByNearness, positionsIn } from './node-order.js';
import type { VectorIndex } from './vector-index.js';

const NARROWEST = 24;
const ALL = { within: 0, without: 0 } as const;
/** Numbers from -1 to 1, the same for the same seed (xorshift). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x80000000 - 1;
  };
}
/** `count` vectors around `centreCount` centres, `width` away from them. */
function around(count: number, dimCount: number, centreCount: number, width: number, seed: number): Float32Array[] {
  const atCentres = randomOf(9);
  const centres = Array.from({ length: centreCount }, () => Float32Array.from({ length: dimCount }, atCentres));
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, at) => centres[at % centreCount]!.map((value) => value + random() * width));
}
function indexOf(kernel: ReturnType<typeof createKernel>, vectors: readonly Float32Array[]): VectorIndex {
  const builder = new GraphBuilder(kernel, 'int8', vectors[0]!.length, vectors.length);
  for (const [at, vector] of vectors.entries()) builder.add(Uint32Array.of(at), vector);
  const steps = builder.build();
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
/** The share of a scan's nearest ten that a walk finds. */
function recallOf(index: VectorIndex, queries: readonly Float32Array[]): number {
  let found = 0;
  for (const query of queries) {
    const walked = new Set(index.candidates(query, 20, ALL).nodes);
    const { nodes } = index.set.scan(index.count, query, 10, { docIds: 0, ...ALL });
    found += nodes.filter((node) => walked.has(node)).length;
  }
  return found / (queries.length * 10);
}

it('a walk is as broad as the vectors need: narrow in close clusters, broad where nothing is near', () => {
  const kernel = createKernel({ build: 'fast' });
  const close = indexOf(kernel, around(5_000, 48, 100, 0.3, 3));
  const scattered = indexOf(kernel, around(5_000, 48, 1, 40, 3));
  expect(close.breadth).toBeLessThan(scattered.breadth);
  expect(recallOf(close, around(100, 48, 100, 0.3, 77))).toBeGreaterThanOrEqual(0.99);
  expect(recallOf(scattered, around(100, 48, 1, 40, 77))).toBeGreaterThanOrEqual(0.9);
  const steps = orderByNearness(kernel, close);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const order = step.value;
  const facts = graphFacts(close, positionsIn(order));
  expect(facts.breadth).toBe(close.breadth);
  const bytes = Buffer.concat([...encodeGraph(kernel, close, order)]);
  let at = 0;
  const again = decodeGraph(kernel, facts, (byteCount, take) => {
    take(bytes.subarray(at, at + byteCount), 0);
    at += byteCount;
  });
  expect(again.breadth).toBe(close.breadth);
}, 60_000);

it('vectors that are all the same, or have no direction, are measured too', () => {
  const kernel = createKernel({ build: 'fast' });
  const same = indexOf(
    kernel,
    Array.from({ length: 300 }, () => Float32Array.of(1, 2, 3, 4)),
  );
  expect(same.breadth).toBe(NARROWEST);
  expect(
    indexOf(
      kernel,
      Array.from({ length: 300 }, () => new Float32Array(4)),
    ).breadth,
  ).toBe(NARROWEST);
  expect(indexOf(kernel, [Float32Array.of(1, 0)]).breadth).toBe(NARROWEST);
});

it('errors of codes hardly ever exceed the assumed bound, which is not much larger', () => {
  const kernel = createKernel({ build: 'fast' });
  for (const [dimCount, width] of [
    [16, 0.2],
    [128, 1],
    [700, 3],
  ] as const) {
    const vectors = around(1_000, dimCount, 10, width, 5);
    const index = indexOf(kernel, vectors);
    const query = around(1, dimCount, 10, width, 50)[0]!;
    const [errorOf, exactly] = [index.codeError(query), cosineDistance(query)];
    const { nodes, distances } = index.set.scan(1_000, query, 1_000, { docIds: 0, ...ALL });
    let largest = 0;
    nodes.forEach((node, at) => {
      const share = Math.abs(distances[at]! - 2 * exactly(vectors[node]!, 0)) / errorOf(node);
      largest = Math.max(largest, share);
    });
    expect(largest).toBeLessThan(1);
    expect(largest).toBeGreaterThan(0.3);
  }
});
