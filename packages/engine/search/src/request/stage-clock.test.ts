import { expect, it, vi } from 'vitest';
import { elapsedMs } from './stage-clock.js';

it.each([
  [0.2, 0],
  [0.99, 0],
  [1.5, 1],
  [12.999, 12],
])('rounds %d ms down to %d', (ms, whole) => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(100 + ms);
  expect(elapsedMs(100)).toBe(whole);
  clock.mockRestore();
});
