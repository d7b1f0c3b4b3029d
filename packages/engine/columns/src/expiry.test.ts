import { expect, test } from 'vitest';
import { expiryOf } from './expiry.js';

const NEVER = Number.POSITIVE_INFINITY;

test.each([
  [1_764_110_046, 1_764_110_046_000],
  [1_764_110_046.5, 1_764_110_046_500],
  [1_764_110_046_123, 1_764_110_046_123],
  [0, NEVER],
  [-5, NEVER],
  [Number.NaN, NEVER],
  ['2026-11-25T22:34:06Z', Date.UTC(2026, 10, 25, 22, 34, 6)],
  ['2026-11-25t22:34:06.250z', Date.UTC(2026, 10, 25, 22, 34, 6, 250)],
  ['2026-11-25T22:34:06+02:00', Date.UTC(2026, 10, 25, 20, 34, 6)],
  ['2026-11-25T22:34', Date.UTC(2026, 10, 25, 22, 34)],
  ['2026-11-25', Date.UTC(2026, 10, 25)],
  [' 2026-11-25 ', Date.UTC(2026, 10, 25)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2026-13-45', NEVER],
  ['2026-02-30', NEVER],
  ['2026-02-29T10:00:00Z', NEVER],
  ['2026-04-31', NEVER],
  ['25.11.2026', NEVER],
  ['1764110046', NEVER],
  ['tomorrow', NEVER],
  [true, NEVER],
  [null, NEVER],
  [{ at: 5 }, NEVER],
])('%j expires at %s', (value, wanted) => {
  expect(expiryOf(value)).toBe(wanted);
});
