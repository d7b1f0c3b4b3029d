import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { expect, test } from 'vitest';
import { DistancePairs } from './distance-pairs.js';
import { randomOf } from './random-view.test-support.js';

const seed = TEST_SEED;

test('are sorted by distance, ties by item, and what is no number is last', () => {
  const distances = [0.5, -1, Number.NaN, 0, -1e-7, Number.POSITIVE_INFINITY, 0.5, -0, 1, Number.NEGATIVE_INFINITY];
  const pairs = new DistancePairs(0);
  for (const [at, distance] of distances.entries()) pairs.add(Math.fround(distance), 4_000_000_000 - at);
  pairs.sort();
  const sorted = Array.from({ length: pairs.count }, (_, at) => [
    pairs.distanceAt(at),
    4_000_000_000 - pairs.itemAt(at),
  ]);
  const [least, largest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const finite = [
    [-1, 1],
    [Math.fround(-1e-7), 4],
    [0, 7],
    [0, 3],
    [0.5, 6],
    [0.5, 0],
    [1, 8],
  ];
  expect(sorted).toEqual([[least, 9], ...finite, [largest, 5], [Number.NaN, 2]]);
});

test(`of any distances are sorted as by a function that compares (seed ${seed})`, () => {
  const random = randomOf(seed);
  const pairs = new DistancePairs(100);
  const expected = Array.from({ length: 5_000 }, () => ({
    distance: Math.fround((random() - 0.3) * 10 ** Math.floor(random() * 20 - 15)),
    item: Math.floor(random() * 2 ** 32),
  }));
  for (const { distance, item } of expected) pairs.add(distance, item);
  pairs.sort();
  expected.sort((left, right) => left.distance - right.distance || left.item - right.item);
  const found = Array.from({ length: pairs.count }, (_, at) => ({
    distance: pairs.distanceAt(at),
    item: pairs.itemAt(at),
  }));
  expect(found).toEqual(expected);
});
