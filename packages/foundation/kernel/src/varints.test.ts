import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKernel } from './kernel.js';

function varints(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const number of numbers) {
    let rest = number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}

const number = fc.oneof(fc.nat(130), fc.nat(0x3fff), fc.nat(0xffffff));

describe.each(['checked', 'fast'] as const)('rows of varints, %s build', (build) => {
  const kernel = createKernel({ build });

  test('are summed up', () => {
    expect([...kernel.varints.sums(new Uint8Array(0))]).toEqual([0]);
    fc.assert(
      fc.property(fc.array(number, { maxLength: 100 }), (numbers) => {
        const sums = [0];
        for (const value of numbers) sums.push(sums.at(-1)! + value);
        expect([...kernel.varints.sums(varints(numbers))]).toEqual(sums);
      }),
    );
    expect([...kernel.varints.sums(varints([0xffffffff]))]).toEqual([0, 0xffffffff]);
  });

  test('are read as groups, which may be empty', () => {
    const group = fc.record({ delta: number, docIds: fc.uniqueArray(fc.nat(60_000), { maxLength: 40 }) });
    fc.assert(
      fc.property(fc.array(group, { maxLength: 20 }), (groups) => {
        const before = kernel.memory.allocatedBytes;
        const sorted = groups.map(({ delta, docIds }) => ({ delta, docIds: docIds.sort((a, b) => a - b) }));
        const numbers = sorted.flatMap(({ delta, docIds }) => [
          delta,
          docIds.length,
          ...docIds.map((docId, at) => docId - (docIds[at - 1] ?? 0)),
        ]);
        const { keys, offsets, docIds } = kernel.varints.readGroups(varints(numbers));
        let key = 0;
        const expectedKeys = sorted.map(({ delta }) => {
          key += delta;
          return key;
        });
        expect([...keys]).toEqual(expectedKeys);
        const target = kernel.bitmaps.create(60_001);
        sorted.forEach((expected, at) => {
          kernel.bitmaps.clear(target);
          kernel.columns.orGroups(target, { offsets, docs: docIds }, at, at + 1);
          expect([...kernel.bitmaps.members(target, 0, 100)]).toEqual(expected.docIds);
        });
        kernel.memory.free(offsets);
        expect(kernel.memory.allocatedBytes).toBe(before);
      }),
    );
  });
});
