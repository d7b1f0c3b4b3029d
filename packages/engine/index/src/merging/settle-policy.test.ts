import type { SegmentId } from '@fossick/base';
import type { SegmentInfo } from '@fossick/format';
import { describe, expect, test } from 'vitest';
import { chooseMerge } from './merge-policy.js';
import { BESIDE_BATCHES, chooseSettled } from './settle-policy.js';

const MIB = 1 << 20;

function segment(id: number, docCount: number, postingBytes = docCount * 190, deadCount = 0): SegmentInfo {
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
const docCountOf = (segments: readonly SegmentInfo[]): number =>
  segments.reduce((sum, { docCount }) => sum + docCount, 0);
const idsOf = (segments: readonly SegmentInfo[]): number[] => chooseSettled(segments).map(({ id }) => id);

describe('merges of an index without writes', () => {
  test('make one segment of what a load of a million documents left', () => {
    const loaded = Array.from({ length: 12 }, (_, id) => segment(id, 83_000));
    expect(idsOf(loaded).length).toBe(12);
    expect(idsOf([segment(1, 480_000), segment(2, 480_000), segment(3, 40_000)])).toEqual([3, 1, 2]);
  });

  test('leave segments alone that would hardly grow, and small indexes', () => {
    expect(idsOf([segment(1, 1_000_000), segment(2, 20), segment(3, 300_000)])).toEqual([]);
    expect(idsOf([segment(1, 30_000), segment(2, 30_000)])).toEqual([]);
    expect(idsOf([segment(1, 1_000_000)])).toEqual([]);
    expect(idsOf([])).toEqual([]);
  });

  test('include small segments when two are merged', () => {
    const segments = [segment(1, 500_000), segment(2, 300_000), segment(3, 5), segment(4, 1)];
    expect(idsOf(segments)).toEqual([4, 3, 2, 1]);
  });

  test('make no more than there is memory for', () => {
    const segments = Array.from({ length: 8 }, (_, id) => segment(id, 700_000, 130 * MIB));
    expect(idsOf(segments)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(chooseSettled(segments, 512 * MIB).map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(chooseSettled(segments, 100 * MIB)).toEqual([]);
  });

  test('leave out what does not fit into memory', () => {
    const segments = Array.from({ length: 8 }, (_, id) => segment(id, 100_000));
    const choose = (countMax: number): number[] =>
      chooseSettled(segments, undefined, undefined, undefined, ({ length }) => length <= countMax).map(({ id }) => id);
    expect(choose(8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(choose(3)).toEqual([0, 1, 2]);
    expect(choose(1)).toEqual([]);
  });

  test('count deleted documents for nothing', () => {
    expect(idsOf([segment(1, 1_000_000, 190 * MIB, 900_000), segment(2, 90_000)])).toEqual([2, 1]);
  });

  test('leave segments with vectors to the tiers', () => {
    const segments = [segment(1, 100_000), segment(2, 100_000), segment(3, 100_000)];
    const chosen = chooseSettled(segments, 512 * MIB, { bytesOf: ({ id }) => (id === 2 ? MIB : 0) });
    expect(chosen.map(({ id }) => id)).toEqual([1, 3]);
  });

  test.each([
    1_000, 20_000, 120_000,
  ])('batches of %i with pauses between them end in few segments, none written often', (batch) => {
    let segments: SegmentInfo[] = [];
    let writtenCount = 0;
    const size = 1_500_000;
    for (let id = 0; id * batch < size; id++) {
      segments.push(segment(id, batch));
      for (;;) {
        const settled = chooseSettled(segments);
        const chosen = settled.length > 0 ? settled : chooseMerge(segments);
        if (chosen.length === 0) break;
        const docCount = chosen.reduce((sum, one) => sum + one.docCount, 0);
        writtenCount += docCount;
        segments = [...segments.filter((one) => !chosen.includes(one)), segment(1_000_000 + id, docCount)];
      }
      expect(segments.filter(({ docCount }) => docCount >= 65_536).length).toBeLessThanOrEqual(3);
    }
    expect(writtenCount).toBeLessThan(size * 8);
  });
});

describe('merges in parallel with batches that follow one another', () => {
  test.each([
    [3_000_000, 20_000, 12],
    [3_000_000, 100_000, 12],
    [10_000_000, 100_000, 12],
    [10_000_000, 140_000, 12],
  ])('a load of %i documents, %i at a time, never has more than %i segments', (size, batch, countMax) => {
    let segments: SegmentInfo[] = [];
    let running: { readonly chosen: readonly SegmentInfo[]; left: number } | undefined;
    let writtenCount = 0;
    for (let id = 0; id * batch < size; id++) {
      segments.push(segment(id, batch));
      // While a batch is indexed a merge writes three times as many documents; with too many segments the next one waits.
      for (let left = batch * 3; left > 0 || segments.length > countMax; ) {
        if (running === undefined) {
          const chosen = chooseSettled(segments, 1_024 * MIB, undefined, BESIDE_BATCHES);
          if (chosen.length === 0) break;
          running = { chosen, left: docCountOf(chosen) };
          writtenCount += running.left;
        }
        const { chosen } = running;
        const taken = segments.length > countMax ? running.left : Math.min(left, running.left);
        running.left -= taken;
        left -= taken;
        if (running.left > 0) continue;
        segments = segments.filter((one) => !chosen.includes(one));
        segments.push(segment(1_000_000 + id, docCountOf(chosen)));
        running = undefined;
      }
      expect(segments.length).toBeLessThanOrEqual(countMax);
    }
    expect(writtenCount).toBeLessThan(size * 5);
  });

  test('begin with four segments, and leave alone those that would hardly grow', () => {
    const choose = (...counts: number[]): number[] =>
      chooseSettled(
        counts.map((docCount, id) => segment(id, docCount)),
        1_024 * MIB,
        undefined,
        BESIDE_BATCHES,
      ).map(({ docCount }) => docCount);
    expect(choose(60_000, 60_000, 60_000)).toEqual([]);
    expect(choose(1_000_000, 60_000, 60_000, 60_000)).toEqual([60_000, 60_000, 60_000]);
    expect(choose(300_000, 200_000, 60_000, 60_000)).toEqual([60_000, 60_000, 200_000, 300_000]);
    expect(choose(10_000, 10_000, 10_000, 10_000)).toEqual([]);
  });
});
