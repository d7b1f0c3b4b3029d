import { createKernel, type Kernel } from '@fossick/kernel';
import { describe, expect, it } from 'vitest';
import { GraphBuilder } from './build-graph.js';
import { decodeGraph, encodeGraph, graphFacts } from './graph-part.js';
import { orderByNearness, positionsIn } from './node-order.js';
import type { DocumentScope, VectorIndex } from './vector-index.js';

const [DIM_COUNT, COUNT, CENTRE_COUNT] = [32, 4_000, 80];
const ALL: DocumentScope = { within: 0, without: 0 };
/** This many consecutive nodes share a page of memory, or two. */
const NEAR_PLACES = 64;

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
/** Vectors around centres in turn: neighbours are far apart in the input. */
function drawn(count: number, seed: number): Float32Array[] {
  const atCentres = randomOf(3);
  const centres = Array.from({ length: CENTRE_COUNT }, () => Float32Array.from({ length: DIM_COUNT }, atCentres));
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, at) => centres[at % CENTRE_COUNT]!.map((value) => value + random() / 3));
}
function lastOf<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
/** Every tenth document has three vectors; one has no direction. */
function built(kernel: Kernel): VectorIndex {
  const vectors = drawn(COUNT, 11);
  vectors[17] = new Float32Array(DIM_COUNT);
  const docIds = new Uint32Array(COUNT);
  for (let at = 0, docId = 5; at < COUNT; docId++)
    for (let left = docId % 10 === 0 ? 3 : 1; left > 0 && at < COUNT; left--) docIds[at++] = docId;
  const builder = new GraphBuilder(kernel, 'int8', DIM_COUNT, COUNT);
  for (const [at, vector] of vectors.entries()) builder.add(docIds.subarray(at, at + 1), vector);
  return lastOf(builder.build());
}
function rewritten(kernel: Kernel, index: VectorIndex, order: Uint32Array): VectorIndex {
  const bytes = Buffer.concat([...encodeGraph(kernel, index, order)]);
  let at = 0;
  const again = decodeGraph(kernel, graphFacts(index, positionsIn(order)), (byteCount, take) => {
    take(bytes.subarray(at, at + byteCount), 0);
    at += byteCount;
  });
  expect(at).toBe(bytes.length);
  return again;
}
/** The share of links to a node nearby in the order. */
function nearShare(kernel: Kernel, { graph, count }: VectorIndex): number {
  const { links } = graph!.parts();
  const listLength = links.byteCount / count / 4;
  let [near, all] = [0, 0];
  for (let node = 0; node < count; node++) {
    const [linkCount, ...others] = new Uint32Array(
      kernel.memory.read(links.ptr, listLength * 4, node * listLength * 4).buffer,
    );
    for (const other of others.slice(0, linkCount)) near += Number(Math.abs(other - node) < NEAR_PLACES);
    all += linkCount!;
  }
  return near / all;
}

describe.each(['checked', 'fast'] as const)('the order of nodes, %s build', (build) => {
  const kernel = createKernel({ build });
  const index = built(kernel);
  const order = lastOf(orderByNearness(kernel, index));

  it('has each node once, vectors of one document as neighbours, and start nodes first', () => {
    expect(Uint32Array.from(order).sort()).toEqual(Uint32Array.from({ length: COUNT }, (_, node) => node));
    const positions = positionsIn(order);
    for (let node = 1; node < COUNT; node++)
      if (index.docIds[node] === index.docIds[node - 1]) expect(positions[node]).toBe(positions[node - 1]! + 1);
    const { levels } = index.graph!.parts();
    const levelOf = kernel.memory.read(levels.ptr, COUNT);
    const isUpper = (node: number): boolean => {
      const [from, to] = index.span(node);
      return levelOf.subarray(from, to).some((level) => level > 0);
    };
    const upperCount = [...order].filter(isUpper).length;
    expect([...order.subarray(0, upperCount)].every(isUpper)).toBe(true);
  });

  it('is the stored order of a graph: results are the same, and links lead to nearby nodes', () => {
    const again = rewritten(kernel, index, order);
    expect(nearShare(kernel, index)).toBeLessThan(0.1);
    expect(nearShare(kernel, again)).toBeGreaterThan(0.4);
    const answers = (of: VectorIndex, query: Float32Array): object => {
      const { nodes, distances } = of.candidates(query, 20, ALL);
      return [...nodes]
        .map((node, at) => ({ docId: of.docIds[node]!, distance: distances[at]! }))
        .sort((left, right) => left.distance - right.distance || left.docId - right.docId);
    };
    for (const query of drawn(50, 99)) expect(answers(again, query)).toEqual(answers(index, query));
    again.close();
  });
});
