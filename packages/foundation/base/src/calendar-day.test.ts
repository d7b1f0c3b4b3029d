import { expect, test } from 'vitest';
import { isCalendarDay } from './calendar-day.js';

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

test.each([
  '2026-02-30',
  '2026-02-29',
  '1900-02-29',
  '2026-04-31',
  '2026-00-10',
  '2026-13-01',
  '2026-01-00',
  '2026-01-32',
  '2026-1-1',
  'tomorrow',
  '',
])('%j is no day', (text) => {
  expect(isCalendarDay(text)).toBe(false);
});

test('every day of some years is one, and none besides', () => {
  for (const year of ['0000', '0004', '1900', '2000', '2024', '2026', '9999']) {
    const start = Date.parse(`${year}-01-01`);
    const days = Array.from({ length: 366 }, (_, day) => new Date(start + day * DAY_MS).toISOString().slice(0, 10));
    const texts = TWO_DIGITS.flatMap((month) => TWO_DIGITS.map((day) => `${year}-${month}-${day}`));
    expect(texts.filter((text) => isCalendarDay(`${text}T10:00:00Z`))).toEqual(
      days.filter((day) => day.startsWith(`${year}-`)),
    );
  }
});
