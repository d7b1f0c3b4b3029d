import { expect, it } from 'vitest';
import type { Task } from '../../api/types.js';
import { bucketsOf } from './task-buckets.js';

const task = (finishedAt: string | null, status = 'succeeded') => ({ finishedAt, status }) as Task;

it('tasks are counted in equal spans, empty ones between them', () => {
  const tasks = [
    task('2026-01-01T00:00:31Z'),
    task('2026-01-01T00:00:05Z', 'failed'),
    task('2026-01-01T00:00:01Z'),
    task(null),
  ];
  const { times, finished, failed, spanSeconds } = bucketsOf(tasks);
  expect(spanSeconds).toBe(10);
  expect(times.map((second) => second - Date.parse('2026-01-01T00:00:00Z') / 1000)).toEqual([0, 10, 20, 30]);
  expect(finished).toEqual([2, 0, 0, 1]);
  expect(failed).toEqual([1, 0, 0, 0]);
});

it('spans grow so that there are sixty of them at most', () => {
  const days = Array.from({ length: 300 }, (_, day) => task(new Date(Date.UTC(2026, 0, 1 + day)).toISOString()));
  const { times, finished } = bucketsOf(days);
  expect(times.length).toBeLessThanOrEqual(61);
  expect(finished.reduce((sum, count) => sum + count, 0)).toBe(300);
  expect(bucketsOf([]).times).toEqual([]);
});

it('tasks of one moment follow empty spans, so that the chart has a scale', () => {
  const { times, finished, spanSeconds } = bucketsOf([task('2026-01-01T00:01:02Z'), task('2026-01-01T00:01:03Z')]);
  expect(finished).toEqual([0, 0, 0, 0, 0, 2]);
  expect(times[5]! - times[0]!).toBe(5 * spanSeconds);
});
