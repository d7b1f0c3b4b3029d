import type { DocId } from '@fossick/base';
import { createKernel } from '@fossick/kernel';
import { expect, test } from 'vitest';
import { BitmapPool, SPARSE_DOCS } from './bitmap-pool.js';

test.each([1_000, 1_000_000])('bitmaps released with few documents are reused empty, %i wide', (width) => {
  const kernel = createKernel({ build: 'checked' });
  const pool = new BitmapPool(kernel, width);
  const [universe, first, second] = [pool.empty(), pool.empty(), pool.empty()];
  const docs = [0, 63, 64, 700, 999] as DocId[];
  for (const doc of docs) for (const bitmap of [universe, first, second]) kernel.bitmaps.set(bitmap, doc);
  const sparse = pool.ifSparse(universe);
  expect(sparse).toBe(universe);
  kernel.bitmaps.subtract(universe, first); // what is left of a universe does not matter
  pool.releaseWithin(first, sparse);
  pool.releaseWithin(second, 0);
  const again = [pool.empty(), pool.empty()];
  expect(again.toSorted()).toEqual([first, second].toSorted());
  for (const bitmap of again) expect(kernel.bitmaps.count(bitmap)).toBe(0);
  kernel.bitmaps.set(second, 999 as DocId);
  pool.releaseWithin(first, sparse);
  const copy = pool.copyOf(second);
  expect(copy).toBe(first);
  expect([...kernel.bitmaps.members(copy, 0, 10)]).toEqual([999]);
  for (let doc = 0 as DocId; doc <= SPARSE_DOCS; doc++) kernel.bitmaps.set(copy, doc);
  expect(pool.ifSparse(copy)).toBe(0);
});
