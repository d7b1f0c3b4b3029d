import type { DocId } from '@fossick/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKernel, type Kernel } from '../kernel.js';
import { NO_NODE } from '../layout.js';
import type { Bitmap } from '../ptr.js';
import { VectorGraph } from './vector-graph.js';
import { type VectorKind, VectorSet, type WantedDocuments } from './vector-set.js';

const KINDS: readonly VectorKind[] = ['f32', 'int8', 'signs'];
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
/** `count` vectors around the same few centres. */
function clustered(count: number, dimCount: number, seed: number): Float32Array {
  const atCentres = randomOf(1);
  const centres = Array.from({ length: 12 }, () => Float32Array.from({ length: dimCount }, atCentres));
  const random = randomOf(seed);
  return Float32Array.from({ length: count * dimCount }, (_, at) => {
    const centre = centres[Math.floor(at / dimCount) % centres.length]!;
    return centre[at % dimCount]! + random() / 2;
  });
}
/** The expected distance of the kernel: 1 - cosine, or the number of signs that differ. */
function distanceOf(kind: VectorKind, a: Float32Array, b: Float32Array): number {
  if (kind === 'signs') return a.reduce((sum, value, dim) => sum + Number(value > 0 !== b[dim]! > 0), 0);
  const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, dim) => sum + value * y[dim]!, 0);
  return 1 - dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
function allWanted(kernel: Kernel, count: number): WantedDocuments {
  const docIds = kernel.memory.residentU32(Uint32Array.from({ length: count }, (_, node) => node));
  return { docIds, within: 0, without: 0 };
}
function bitmapOf(kernel: Kernel, count: number, isIn: (docId: number) => boolean): Bitmap {
  const bitmap = kernel.bitmaps.create(count);
  for (let docId = 0 as DocId; docId < count; docId++) if (isIn(docId)) kernel.bitmaps.set(bitmap, docId);
  return bitmap;
}

describe.each(['checked', 'fast'] as const)('vectors, %s build', (build) => {
  it.each(KINDS)('%s: a scan finds what a plain loop finds', (kind) => {
    const sizes = fc.record({ count: fc.integer({ min: 1, max: 60 }), dimCount: fc.integer({ min: 1, max: 90 }) });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 2 ** 31 - 1 }), ({ count, dimCount }, seed) => {
        const kernel = createKernel({ build });
        const random = randomOf(seed);
        const values = Float32Array.from({ length: count * dimCount }, random);
        const query = Float32Array.from({ length: dimCount }, random);
        const set = kernel.vectors.createSet(kind, dimCount, count);
        set.put(0, values);
        const wanted = { ...allWanted(kernel, count), without: bitmapOf(kernel, count, (docId) => docId % 5 === 4) };
        const { nodes, distances } = set.scan(count, query, count, wanted);
        expect([...nodes].sort((a, b) => a - b)).toEqual(
          Array.from({ length: count }, (_, i) => i).filter((i) => i % 5 !== 4),
        );
        // a byte for each dimension is off by half a step in each of both vectors
        const tolerance = kind === 'int8' ? (2 * Math.sqrt(dimCount)) / 127 + 1e-3 : 1e-5;
        nodes.forEach((node, at) => {
          const expected = distanceOf(kind, query, values.subarray(node * dimCount, (node + 1) * dimCount));
          expect(Math.abs(distances[at]! - expected)).toBeLessThanOrEqual(tolerance);
          if (at > 0) expect(distances[at]!).toBeGreaterThanOrEqual(distances[at - 1]!);
        });
        set.close();
      }),
      { numRuns: 40 },
    );
  });

  it.each(KINDS)('%s: a scan of few documents finds what a scan of all vectors finds', (kind) => {
    const bits = fc.array(fc.boolean(), { minLength: 90, maxLength: 90 });
    fc.assert(
      fc.property(bits, bits, fc.integer({ min: 1, max: 2 ** 31 - 1 }), (has, keeps, seed) => {
        const [dimCount, firstDocId] = [20, 7];
        const kernel = createKernel({ build });
        const random = randomOf(seed);
        // some documents have no vector, some have two as neighbours; not in docid order, and docids end before the filter does
        const ids = has.flatMap((isThere, at) => (isThere && at < 80 ? [firstDocId + at] : []));
        const owners = Uint32Array.from(ids.reverse().flatMap((id) => (id % 3 === 0 ? [id, id] : [id])));
        const count = owners.length;
        const set = kernel.vectors.createSet(kind, dimCount, Math.max(1, count));
        set.put(0, Float32Array.from({ length: count * dimCount }, random));
        const docIds = kernel.memory.residentU32(owners);
        const places = new Uint32Array(80).fill(NO_NODE);
        owners.forEach((id, node) => {
          places[id - firstDocId] = Math.min(node, places[id - firstDocId]!);
        });
        const ptr = kernel.memory.residentU32(places);
        const within = bitmapOf(kernel, 200, (docId) => docId < 3 || keeps[docId % 90]!);
        const wanted = { docIds, within, without: bitmapOf(kernel, 200, (docId) => docId % 5 === 4) };
        const query = Float32Array.from({ length: dimCount }, random);
        for (const limit of [3, 200])
          expect(
            set.scanWithin(count, query, limit, wanted, { ptr, firstDocId: firstDocId as DocId, count: places.length }),
          ).toEqual(set.scan(count, query, limit, wanted));
        set.close();
      }),
      { numRuns: 40 },
    );
  });

  it.each(KINDS)('%s: a graph finds nearly all that a scan finds, filtered and plain', (kind) => {
    const [count, dimCount] = [3_000, 48];
    const kernel = createKernel({ build });
    const set = kernel.vectors.createSet(kind, dimCount, count);
    set.put(0, clustered(count, dimCount, 7));
    const graph = kernel.vectors.createGraph(set, count);
    for (let to = 500; to <= count; to += 500) graph.insert(to, 64);
    const plain = allWanted(kernel, count);
    const half = { ...plain, within: bitmapOf(kernel, count, (docId) => docId % 2 === 0) };
    const living = { ...plain, without: bitmapOf(kernel, count, (docId) => docId < count / 2) };
    const queries = clustered(40, dimCount, 99);
    for (const wanted of [plain, half, living]) {
      let found = 0;
      for (let at = 0; at < queries.length; at += dimCount) {
        const query = queries.subarray(at, at + dimCount);
        const exact = set.scan(count, query, 10, wanted);
        const near = graph.search(query, 64, wanted, count)!;
        // signs tie often: whatever is as near as the tenth counts
        found += near.distances.slice(0, 10).filter((distance) => distance <= exact.distances.at(-1)! + 1e-6).length;
        for (const node of near.nodes) {
          if (wanted === half) expect(node % 2).toBe(0);
          if (wanted === living) expect(node).toBeGreaterThanOrEqual(count / 2);
        }
      }
      expect(found / 400).toBeGreaterThan(0.97);
    }
    expect(graph.search(queries.subarray(0, dimCount), 64, plain, 20)).toBeNull();
  });

  it('a graph that was written and read back answers the same', () => {
    const [count, dimCount] = [600, 20];
    const kernel = createKernel({ build });
    const set = kernel.vectors.createSet('int8', dimCount, count);
    set.put(0, clustered(count, dimCount, 3));
    const graph = kernel.vectors.createGraph(set, count);
    graph.insert(count, 40);
    const { links, levels, upperLinks, entry } = graph.parts();
    const bytes = {
      links: kernel.memory.read(links.ptr, links.byteCount),
      levels: kernel.memory.read(levels.ptr, levels.byteCount),
      upperLinks: kernel.memory.read(upperLinks.ptr, upperLinks.byteCount),
    };
    const again = kernel.vectors.createGraph(set, count, graph.upperCount);
    again.restore(count, graph.upperCount, entry, (part, to) => {
      expect(bytes[part].length).toBe(to.byteCount);
      kernel.memory.write(to.ptr, bytes[part]);
    });
    const query = clustered(1, dimCount, 5);
    const wanted = allWanted(kernel, count);
    expect(again.search(query, 30, wanted, count)).toEqual(graph.search(query, 30, wanted, count));
    expect(again.nodeCount).toBe(count);
    // and it can grow further
    expect(() =>
      again.restore(count, graph.upperCount + 1, entry, (part, to) => kernel.memory.write(to.ptr, bytes[part])),
    ).toThrow('do not match');
  });

  it('a graph goes on without its deleted nodes and grows', () => {
    const [count, dimCount, added] = [2_000, 32, 400];
    const kernel = createKernel({ build });
    const values = clustered(count + added, dimCount, 11);
    const old = kernel.vectors.createSet('int8', dimCount, count);
    old.put(0, values.subarray(0, count * dimCount));
    const source = kernel.vectors.createGraph(old, count);
    source.insert(count, 64);
    const isDeleted = (node: number): boolean => node % 3 === 0;
    let kept = 0;
    const places = Uint32Array.from({ length: count }, (_, node) => (isDeleted(node) ? NO_NODE : kept++));
    const set = kernel.vectors.createSet('int8', dimCount, kept + added);
    places.forEach((place, node) => {
      if (place !== NO_NODE) set.put(place, values.subarray(node * dimCount, (node + 1) * dimCount));
    });
    const upperMax = source.upperCount + kernel.vectors.drawnUpperCount(kept, kept + added);
    const graph = kernel.vectors.createGraph(set, kept + added, upperMax);
    for (let from = 0; from < count; from += 700) graph.adopt(source, places, from, Math.min(count, from + 700));
    graph.enter();
    expect(graph.nodeCount).toBe(kept);
    set.put(kept, values.subarray(count * dimCount));
    graph.insert(kept + added, 64);
    const wanted = allWanted(kernel, kept + added);
    let found = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const query = clustered(seed, dimCount, seed).subarray(-dimCount);
      const exact = set.scan(kept + added, query, 10, wanted).nodes;
      const near = graph.search(query, 80, wanted, kept + added)!.nodes.slice(0, 10);
      found += exact.filter((node) => near.includes(node)).length;
    }
    expect(found / 400).toBeGreaterThan(0.97);
  });

  it('vectors without a direction are listed, and no walk reaches them', () => {
    const kernel = createKernel({ build });
    const set = kernel.vectors.createSet('int8', 4, 5);
    set.put(0, Float32Array.of(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0.9, 0.1, 0, 0));
    expect(set.directionless(5)).toEqual([0, 2]);
    const graph = kernel.vectors.createGraph(set, 5);
    graph.insert(5, 8);
    const wanted = allWanted(kernel, 5);
    expect([...graph.search(Float32Array.of(1, 0, 0, 0), 5, wanted, 5)!.nodes]).toEqual([1, 4, 3]);
    expect(set.countWanted(5, wanted)).toBe(5);
    const nothing = kernel.vectors.createGraph(set, 5);
    expect([...nothing.search(Float32Array.of(1, 0, 0, 0), 5, wanted, 5)!.nodes]).toEqual([]);
  });

  it('how many are wanted is known exactly of few vectors and nearly of many, whatever repeats', () => {
    const kernel = createKernel({ build });
    const count = 20_480;
    const { docIds } = allWanted(kernel, count);
    const set = kernel.vectors.createSet('signs', 1, count);
    const within = bitmapOf(kernel, 100, (docId) => docId % 3 === 0);
    const few: WantedDocuments = { docIds, within, without: 0 };
    expect(set.countWanted(100, few)).toBe(34);
    for (const every of [2, 4, 10, 20]) {
      const kept = bitmapOf(kernel, count, (docId) => docId % every === 0);
      const share = set.countWanted(count, { docIds, within: kept, without: 0 }) / count;
      expect(Math.abs(share * every - 1)).toBeLessThan(0.4);
    }
    expect(set.countWanted(count, { docIds, within: kernel.bitmaps.create(count), without: 0 })).toBe(0);
    set.close();
  });

  it('memory is as computed, and is freed', () => {
    const kernel = createKernel({ build });
    kernel.memory.release(kernel.memory.mark());
    const before = kernel.memory.allocatedBytes;
    for (const kind of KINDS) {
      const set = kernel.vectors.createSet(kind, 100, 1_000);
      const upper = kernel.vectors.drawnUpperCount(0, 1_000);
      const graph = kernel.vectors.createGraph(set, 1_000);
      const said = VectorSet.bytesFor(kind, 100, 1_000) + VectorGraph.bytesFor(1_000, upper);
      const taken = kernel.memory.allocatedBytes - before;
      expect(taken).toBeGreaterThanOrEqual(said);
      expect(taken).toBeLessThan(said + 1_000);
      graph.close();
      set.close();
      expect(kernel.memory.allocatedBytes).toBe(before);
    }
  });
});
