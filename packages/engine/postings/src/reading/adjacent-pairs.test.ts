import type { DocId } from '@fossick/base';
import { type Bitmap, createKernel } from '@fossick/kernel';
import { MemoryBudget, SearchMemory } from '@fossick/kernel/memory';
import { expect, test } from 'vitest';
import { AdjacentPairs } from './adjacent-pairs.js';

const DOC_COUNT = 10_000;
const kernel = createKernel({ build: 'checked' });

function everyOf(step: number): Bitmap {
  const bitmap = kernel.bitmaps.create(DOC_COUNT);
  for (let doc = 0; doc < DOC_COUNT; doc += step) kernel.bitmaps.set(bitmap, doc as DocId);
  return bitmap;
}

test('a pair of common words is computed once, and documents deleted since are left out', () => {
  const memory = new SearchMemory(new MemoryBudget(1 << 26), kernel);
  const before = kernel.memory.allocatedBytes;
  const pairs = new AdjacentPairs(kernel, memory);
  let findCount = 0;
  const ask = (key: string, within: Bitmap, deleted: Bitmap | 0): number[] => {
    const mark = kernel.memory.mark();
    const target = kernel.bitmaps.create(DOC_COUNT);
    const stride = everyOf(7);
    pairs.orDocs(key, target, within, deleted, (found) => {
      findCount += 1;
      kernel.bitmaps.or(found, stride);
      kernel.bitmaps.and(found, within);
    });
    const answer = [...kernel.bitmaps.members(target, 0, DOC_COUNT)];
    kernel.memory.release(mark);
    return answer;
  };
  const multiples = (step: number): number[] =>
    Array.from({ length: Math.ceil(DOC_COUNT / step) }, (_, at) => at * step);
  const common = everyOf(2);
  expect(ask('a b', common, 0)).toEqual(multiples(14));
  expect(ask('a b', common, 0)).toEqual(multiples(14));
  expect(findCount).toBe(1);
  // one document in 14: a bitmap
  expect(memory.heldBytes).toBeGreaterThanOrEqual(DOC_COUNT / 8);
  expect(ask('a b', common, everyOf(28))).toEqual(multiples(14).filter((doc) => doc % 28 !== 0));
  expect(ask('b a', common, 0)).toEqual(multiples(14));
  expect(findCount).toBe(2);
  // few documents are not cached
  const rare = everyOf(100);
  for (let times = 0; times < 2; times++) expect(ask('c d', rare, 0)).toEqual(multiples(700));
  expect(findCount).toBe(4);
  pairs.close();
  expect(memory.heldBytes).toBe(0);
  expect(kernel.memory.allocatedBytes).toBe(before);
});

test.each([
  ['a list', 200],
  ['a window', 20],
  ['a window of all', 1],
])('documents of a stored pair are read once and kept as %s', (_, step) => {
  const memory = new SearchMemory(new MemoryBudget(1 << 26), kernel);
  const before = kernel.memory.allocatedBytes;
  const pairs = new AdjacentPairs(kernel, memory);
  const docIds = Uint32Array.from({ length: 4_000 / step }, (_, at) => 5_003 + at * step);
  let readCount = 0;
  const ask = (deleted: Bitmap | 0): number[] => {
    const mark = kernel.memory.mark();
    const target = kernel.bitmaps.create(DOC_COUNT);
    pairs.orStored('p', target, deleted, () => {
      readCount += 1;
      return docIds;
    });
    const answer = [...kernel.bitmaps.members(target, 0, DOC_COUNT)];
    kernel.memory.release(mark);
    return answer;
  };
  expect(ask(0)).toEqual([...docIds]);
  expect(ask(everyOf(3))).toEqual([...docIds].filter((doc) => doc % 3 !== 0));
  expect(readCount).toBe(1);
  expect(memory.heldBytes).toBeLessThan(4_000 / 8 + 400);
  pairs.close();
  expect([memory.heldBytes, kernel.memory.allocatedBytes]).toEqual([0, before]);
});

test('a stored pair without documents has none', () => {
  const pairs = new AdjacentPairs(kernel, new SearchMemory(new MemoryBudget(1 << 26), kernel));
  const target = kernel.bitmaps.create(DOC_COUNT);
  for (let times = 0; times < 2; times++) pairs.orStored('none', target, 0, () => new Uint32Array(0));
  expect(kernel.bitmaps.count(target)).toBe(0);
  pairs.close();
});
