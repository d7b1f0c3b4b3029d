import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { repeatSnapshots } from './schedule.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('goes on after a registration that fails', () => {
  const faults: unknown[] = [];
  let count = 0;
  const register = (): void => {
    count += 1;
    throw new Error(`refused ${count}`);
  };
  const snapshots = repeatSnapshots(10, register, (error) => faults.push((error as Error).message));
  vi.advanceTimersByTime(35_000);
  expect(faults).toEqual(['refused 1', 'refused 2', 'refused 3']);
  snapshots.stop();
  vi.advanceTimersByTime(60_000);
  expect(count).toBe(3);
});

it.each([-86_400_000, 86_400_000])('keeps its period when the clock jumps by %d ms', (jumpMs) => {
  let count = 0;
  const register = (): void => {
    count += 1;
  };
  const snapshots = repeatSnapshots(10, register, () => {});
  vi.advanceTimersByTime(15_000);
  vi.setSystemTime(Date.now() + jumpMs);
  vi.advanceTimersByTime(1_000);
  expect(count).toBe(1);
  vi.advanceTimersByTime(14_500);
  expect(count).toBe(3);
  snapshots.stop();
});

it('has periods longer than a timer', () => {
  let count = 0;
  const register = (): void => {
    count += 1;
  };
  const snapshots = repeatSnapshots(3_000_000, register, () => {});
  vi.advanceTimersByTime(2_999_000_000);
  expect(count).toBe(0);
  vi.advanceTimersByTime(2_000_000);
  expect(count).toBe(1);
  snapshots.stop();
});
