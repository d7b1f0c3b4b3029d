import type { SegmentId } from '@fossick/base';
import type { SegmentInfo } from '@fossick/format';
import { describe, expect, test } from 'vitest';
import { chooseMerge } from './merge-policy.js';

const MIB = 1 << 20;

function segment(id: number, docCount: number, postingBytes = docCount * 200, deadCount = 0): SegmentInfo {
  return {
    id: id as SegmentId,
    docCount,
    deadCount,
    wordCounts: [1, 0],
    postingBytes,
    facetFields: [],
    facetFieldIds: [],
  };
}
const idsOf = (segments: readonly SegmentInfo[]): number[] => chooseMerge(segments).map(({ id }) => id);

describe('merge policy', () => {
  test('takes four of a tier, leaves fewer alone', () => {
    const small = [1, 2, 3].map((id) => segment(id, 10));
    expect(idsOf([segment(9, 50_000), ...small])).toEqual([]);
    expect(idsOf([segment(9, 50_000), ...small, segment(4, 900)])).toEqual([1, 2, 3, 4]);
  });

  test('leaves up to three segments of each tier: five of an index of 3,700 documents', () => {
    const counts = [1_175, 1_175, 450, 450, 450];
    expect(idsOf(counts.map((count, id) => segment(id, count)))).toEqual([]);
  });

  test('rewrites a segment that is half deleted, of any size', () => {
    expect(idsOf([segment(1, 1_000, 80 * MIB, 501), segment(2, 50_000)])).toEqual([1]);
  });

  test('leaves full-size segments alone, however many there are, and merges small ones', () => {
    const grown = Array.from({ length: 5 }, (_, id) => segment(id, 400_000, 80 * MIB));
    expect(idsOf(grown)).toEqual([]);
    expect(idsOf([...grown, ...[20, 21, 22, 23].map((id) => segment(id, 5))])).toEqual([20, 21, 22, 23]);
  });

  test('merges no more at once than there is memory for', () => {
    const segments = Array.from({ length: 30 }, (_, id) => segment(id, 100_000, 20 * MIB));
    expect(chooseMerge(segments, 50 * MIB).map(({ id }) => id)).toEqual([0, 1]);
    expect(chooseMerge(segments, 30 * MIB)).toEqual([]);
  });

  test('a merge that does not fit into memory is made of fewer segments, and a segment is written again in any case', () => {
    const bytesOf = (segments: readonly SegmentInfo[]): number => segments.reduce((sum, one) => sum + one.docCount, 0);
    const of = (segments: readonly SegmentInfo[], docsMax: number): number[] =>
      chooseMerge(segments, undefined, undefined, (chosen) => bytesOf(chosen) <= docsMax).map(({ id }) => id);
    const same = [1, 2, 3, 4].map((id) => segment(id, 900));
    expect(of(same, 3_600)).toEqual([1, 2, 3, 4]);
    expect(of(same, 2_000)).toEqual([1, 2]);
    expect(of(same, 1_700)).toEqual([]);
    expect(of([segment(9, 5_000, 80 * MIB, 2_501)], 1_000)).toEqual([9]);
  });

  test.each([
    3_000, 40_000, 700_000,
  ])('with memory for merges of %i documents the number of segments is bounded', (docsMax) => {
    const [batch, size] = [1_000, 200_000];
    let segments: SegmentInfo[] = [];
    for (let id = 0; id * batch < size; id++) {
      segments.push(segment(id, batch));
      const fits = (chosen: readonly SegmentInfo[]): boolean =>
        chosen.reduce((sum, one) => sum + one.docCount, 0) <= docsMax;
      for (;;) {
        const chosen = chooseMerge(segments, undefined, undefined, fits);
        if (chosen.length === 0) break;
        expect(fits(chosen)).toBe(true);
        const docCount = chosen.reduce((sum, one) => sum + one.docCount, 0);
        segments = [...segments.filter((one) => !chosen.includes(one)), segment(1_000_000 + id, docCount)];
      }
      // those that have grown to half of what fits, and some small ones
      expect(segments.length).toBeLessThanOrEqual(10 + (2 * (id + 1) * batch) / docsMax);
    }
  });

  test.each([1_000_000, 10_000_000, 100_000_000])('%i documents in large batches come to few segments', (size) => {
    let segments: SegmentInfo[] = [];
    let writtenCount = 0;
    const batch = 120_000;
    for (let id = 0; id * batch < size; id++) {
      segments.push(segment(id, batch));
      for (let chosen = chooseMerge(segments); chosen.length > 0; chosen = chooseMerge(segments)) {
        const docCount = chosen.reduce((sum, one) => sum + one.docCount, 0);
        writtenCount += docCount;
        segments = [...segments.filter((one) => !chosen.includes(one)), segment(1_000_000 + id, docCount)];
      }
      expect(segments.length).toBeLessThanOrEqual(10);
    }
    expect(writtenCount).toBeLessThan(size * 6);
  });

  test('takes as many segments as their vectors have memory for, and leaves those alone that have grown to half of it', () => {
    const bytesOf = ({ id }: SegmentInfo): number => id * MIB;
    const of = (segments: readonly SegmentInfo[], bytesMax: number): number[] =>
      chooseMerge(segments, 128 * MIB, { bytesOf, hasGraph: () => false, bytesMax }).map(({ id }) => id);
    const same = [1, 2, 3, 4].map((id) => segment(id, 900 + id));
    expect(of(same, 10 * MIB)).toEqual([1, 2, 3, 4]);
    expect(of(same, 9 * MIB)).toEqual([1, 2, 3]);
    expect(of(same, 8 * MIB)).toEqual([]);
  });

  test.each([
    1_000, 5_000, 20_000,
  ])('graphs of vectors that come %i at a time stay few, and no vector is linked often', (batch) => {
    const hasGraph = ({ docCount }: SegmentInfo): boolean => docCount >= 4_096;
    const vectors = { bytesOf: ({ docCount }: SegmentInfo): number => docCount * 500, hasGraph, bytesMax: 1_024 * MIB };
    const choose = (segments: readonly SegmentInfo[]): readonly SegmentInfo[] =>
      chooseMerge(segments, 512 * MIB, vectors);
    let segments: SegmentInfo[] = [];
    let [linkedCount, graphsMax] = [0, 0];
    for (let id = 0; id * batch < 600_000; id++) {
      segments.push(segment(id, batch));
      for (let chosen = choose(segments); chosen.length > 0; chosen = choose(segments)) {
        const sizes = chosen.map(({ docCount }) => docCount);
        const docCount = sizes.reduce((sum, size) => sum + size, 0);
        // the largest graph is gone on with
        const grown = Math.max(0, ...chosen.filter(hasGraph).map((one) => one.docCount));
        if (docCount >= 4_096) linkedCount += docCount - grown;
        segments = [...segments.filter((one) => !chosen.includes(one)), segment(1_000_000 + id, docCount)];
      }
      graphsMax = Math.max(graphsMax, segments.filter(hasGraph).length);
    }
    expect(graphsMax).toBeLessThanOrEqual(3);
    expect(linkedCount).toBeLessThan(600_000 * 3);
  });

  test('five batches of vectors that come one after another end in one graph', () => {
    const vectors = {
      bytesOf: ({ docCount }: SegmentInfo): number => docCount * 500,
      hasGraph: () => true,
      bytesMax: 1_024 * MIB,
    };
    let segments: SegmentInfo[] = [];
    for (let id = 0; id < 5; id++) {
      segments.push(segment(id, 20_000));
      for (;;) {
        const chosen = chooseMerge(segments, 512 * MIB, vectors);
        if (chosen.length === 0) break;
        const docCount = chosen.reduce((sum, one) => sum + one.docCount, 0);
        segments = [...segments.filter((one) => !chosen.includes(one)), segment(100 + id, docCount)];
      }
    }
    expect(segments.map(({ docCount }) => docCount)).toEqual([100_000]);
  });

  test('however batches come, the number of segments stays low and no document is written often', () => {
    let segments: SegmentInfo[] = [];
    let writtenCount = 0;
    for (let id = 0; id < 3_000; id++) {
      segments.push(segment(id, id % 7 === 0 ? 2_000 : 1 + (id % 50)));
      for (let chosen = chooseMerge(segments); chosen.length > 0; chosen = chooseMerge(segments)) {
        const docCount = chosen.reduce((sum, one) => sum + one.docCount, 0);
        writtenCount += docCount;
        segments = [...segments.filter((one) => !chosen.includes(one)), segment(10_000 + id, docCount)];
      }
      expect(segments.length).toBeLessThanOrEqual(10);
    }
    const total = segments.reduce((sum, one) => sum + one.docCount, 0);
    expect(writtenCount).toBeLessThan(total * 8);
  });
});
