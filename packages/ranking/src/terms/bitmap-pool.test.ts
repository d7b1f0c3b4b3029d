import type { DocId } from '@fossick/base';
import { createKernel } from '@fossick/kernel';
import { expect, test } from 'vitest';
import { BitmapPool, FEW_DOCS } from './bitmap-pool.js';

test('a bitmap that is released with its few documents is reused empty; others are cleared', () => {
  const kernel = createKernel({ build: 'checked' });
  const pool = new BitmapPool(kernel, 1_000);
  const [first, second] = [pool.empty(), pool.empty()];
  const docs = [0, 63, 64, 700, 999] as DocId[];
  for (const doc of docs) for (const bitmap of [first, second]) kernel.bitmaps.set(bitmap, doc);
  const few = pool.fewOf(first);
  expect(few?.count).toBe(docs.length);
  pool.releaseFew(first, few);
  pool.releaseFew(second, null);
  const again = [pool.empty(), pool.empty()];
  expect(again).toEqual([first, second]);
  for (const bitmap of again) expect(kernel.bitmaps.count(bitmap)).toBe(0);
  kernel.bitmaps.set(second, 999 as DocId);
  pool.releaseFew(first, few);
  const copy = pool.copyOf(second);
  expect(copy).toBe(first);
  expect([...kernel.bitmaps.members(copy, 0, 10)]).toEqual([999]);
  for (let doc = 0 as DocId; doc <= FEW_DOCS; doc++) kernel.bitmaps.set(copy, doc);
  expect(pool.fewOf(copy)).toBe(null);
});
