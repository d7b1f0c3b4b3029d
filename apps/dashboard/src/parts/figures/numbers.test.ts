import { expect, it } from 'vitest';
import {
  countOf,
  durationMs,
  formatAgo,
  formatBytes,
  formatDuration,
  formatMs,
  formatName,
  timeLabels,
} from './numbers.js';

it('sizes, durations and names are written for people', () => {
  expect([0, 1023, 1536, 20_600_000, 3 * 1024 ** 3].map(formatBytes)).toEqual([
    '0 B',
    '1023 B',
    '1.5 KiB',
    '19.6 MiB',
    '3 GiB',
  ]);
  expect(['PT0.001192S', 'PT0.5S', 'PT12.34S', 'PT75S', 'P1DT3.500S', null].map(formatDuration)).toEqual([
    ...['1.2 ms', '500 ms', '12.3 s', '1 min 15 s', '1440 min 4 s', '–'],
  ]);
  expect([3, 8192, 74_500].map(formatMs)).toEqual(['3 ms', '8.2 s', '1 min 15 s']);
  expect([0, 1, 2000].map((count) => countOf(count, 'film'))).toEqual(['0 films', '1 film', '2,000 films']);
  expect(durationMs('an hour')).toBeNull();
  expect(formatName('documentAdditionOrUpdate')).toBe('Document addition or update');
  expect(formatName('mcpRoute')).toBe('MCP route');
});

it('times are told from now', () => {
  const nowMs = Date.parse('2026-01-02T00:00:00Z');
  const ago = (date: string) => formatAgo(date, nowMs);
  expect(ago('2026-01-01T23:59:58Z')).toBe('just now');
  expect(ago('2026-01-01T23:59:00Z')).toBe('1 minute ago');
  expect(ago('2026-01-01T12:00:00Z')).toBe('12 hours ago');
  expect(ago('2024-01-01T12:00:00Z')).toBe('2 years ago');
});

it('points in time below a chart are written as the language does', () => {
  const start = Date.parse('2026-03-04T22:00:00Z') / 1000;
  const times = [0, 1, 2, 3].map((hour) => start + hour * 3_600);
  const labels = (seconds: readonly number[], step: number, locale: string) =>
    timeLabels(seconds, step, locale, { timeZone: 'UTC' }).map((label) => label.replace(/[\u202f\u00a0]/g, ' '));
  expect(labels(times, 3_600, 'de')).toEqual(['22:00\n4. März', '23:00', '0:00\n5. März', '1:00']);
  expect(labels(times, 3_600, 'en-US')).toEqual(['10:00 PM\nMar 4', '11:00 PM', '12:00 AM\nMar 5', '1:00 AM']);
  expect(labels([start + 5], 5, 'fr')).toEqual(['22:00:05\n4 mars']);
  expect(labels([start], 86_400, 'ja')).toEqual(['3月4日']);
  expect(labels([start], 30 * 86_400, 'en-GB')).toEqual(['Mar 2026']);
});
