import { expect, test } from 'vitest';
import { fromRoaringBytes, toRoaringBytes } from './roaring.js';

test('sets survive the portable format, small and dense', () => {
  const dense = Array.from({ length: 5_000 }, (_none, i) => 70_000 + i * 2);
  const uids = [0, 1, 65_535, ...dense, 4_294_967_295];
  expect(fromRoaringBytes(toRoaringBytes(uids))).toEqual(uids);
  expect(fromRoaringBytes(toRoaringBytes([]))).toEqual([]);
});
test('runs are read as the format says', () => {
  // cookie with one container, its run flag, key 0 with 4 members, one run from 3 of 4
  const bytes = [0x3b, 0x30, 0, 0, 1, 0, 0, 3, 0, 1, 0, 3, 0, 3, 0];
  expect(fromRoaringBytes(bytes)).toEqual([3, 4, 5, 6]);
  expect(() => fromRoaringBytes([1, 2])).toThrow(RangeError);
});

test('runs that overlap do not make of some kilobytes the memory of a machine', () => {
  const runs = 2_000;
  const head = [0x3b, 0x30, 0, 0, 1, 0, 0, 0xff, 0xff, runs & 255, runs >> 8];
  const all = Array.from({ length: runs }, () => [0, 0, 0xff, 0xff]).flat();
  expect(() => fromRoaringBytes([...head, ...all])).toThrow('more than 10000000 tasks');
});
