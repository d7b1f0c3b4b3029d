import type { DocId } from '@fossick/base';
import { type Bitmap, createKernel } from '@fossick/kernel';
import { expect, test } from 'vitest';
import { BitmapPool } from './bitmap-pool.js';
import { PositionTables } from './position-tables.js';

test('the rests of enclosing buckets are gathered with a universe when they are small, and more of them the second time', () => {
  const pool = new BitmapPool(createKernel({ build: 'checked' }), 10_000);
  const bitmapOf = (...docs: readonly number[]): Bitmap => {
    const bitmap = pool.empty();
    for (const doc of docs) pool.kernel.bitmaps.set(bitmap, doc as DocId);
    return bitmap;
  };
  const many = Array.from({ length: 1_200 }, (_, at) => 5_000 + at);
  pool.openRests = [
    { universe: bitmapOf(9_000), size: 1 },
    { universe: bitmapOf(...many), size: many.length },
    { universe: bitmapOf(10, 20), size: 2 },
  ];
  const tables = new PositionTables(pool);
  const places = { key: 'a', lists: [[]] };
  const isKnown = (doc: number): boolean => tables.known('a', bitmapOf(doc)) !== null;

  tables.gathered(places, bitmapOf(1, 2));
  expect([1, 10, 20, 5_000, 9_000].map(isKnown)).toEqual([true, true, true, false, false]);
  const before = tables.gathered(places, bitmapOf(20));
  expect(tables.gathered(places, bitmapOf(2, 10))).toBe(before);

  tables.gathered(places, bitmapOf(30));
  expect([1, 10, 30, 5_000, 6_199, 9_000].map(isKnown)).toEqual([true, true, true, true, true, true]);
  expect(isKnown(8_000)).toBe(false);
  expect(tables.known('b', bitmapOf(1))).toBe(null);
});
