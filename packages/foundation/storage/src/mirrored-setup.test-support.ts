import { afterAll, afterEach, expect } from 'vitest';
import { mirroring } from './mirrored-stores.test-support.js';

/** Runs around every file of the project `mirrored`. */
afterEach(() => expect(mirroring.differences.splice(0)).toEqual([]));
afterAll(() => {
  expect(mirroring.differences).toEqual([]);
  expect(mirroring.commitCount).toBeGreaterThan(0);
  expect(mirroring.rowCount).toBeGreaterThan(0);
});
