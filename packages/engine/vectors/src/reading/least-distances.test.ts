import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { expect, test } from 'vitest';
import { LeastDistances } from './least-distances.js';
import { randomOf } from './random-view.test-support.js';

const seed = TEST_SEED;

test(`the bound is the greatest of the least distances (seed ${seed})`, () => {
  const random = randomOf(seed);
  for (const limit of [1, 2, 7, 64, 1_000]) {
    const least = new LeastDistances(limit);
    const sorted: number[] = [];
    for (let round = 0; round < 500; round++) {
      expect(least.bound).toBe(sorted[limit - 1] ?? Number.POSITIVE_INFINITY);
      const distance = Math.floor(random() * 200);
      least.add(distance);
      sorted.push(distance);
      sorted.sort((left, right) => left - right);
    }
  }
});

test('what is no number is no bound', () => {
  const least = new LeastDistances(2);
  for (const distance of [Number.NaN, 0.5, Number.NaN]) least.add(distance);
  expect(least.bound).toBe(Number.POSITIVE_INFINITY);
  least.add(0.25);
  expect(least.bound).toBe(0.5);
});

test('a distance is compared with few others, whatever the order of all', () => {
  const count = 1 << 13;
  let reads = 0;
  /** A number that counts how often it is looked at. */
  const counted = (value: number): number =>
    ({
      valueOf: () => {
        reads += 1;
        return value;
      },
    }) as never;
  for (const valueAt of [(at: number) => at, (at: number) => count - at, (at: number) => (at * 7_919) % count]) {
    for (const limit of [count / 16, count]) {
      reads = 0;
      const least = new LeastDistances(limit);
      for (let at = 0; at < count; at++) least.add(counted(valueAt(at)));
      expect(reads).toBeLessThan(count * 2 * (2 * Math.log2(limit) + 1));
    }
  }
});
