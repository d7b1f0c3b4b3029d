import { isCalendarDay, latin1Text } from '@fossick/base';

const [ZERO, NINE] = [0x30, 0x39];
const LONGEST_DATE = 40;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Seconds since 1970 of a normalised text that is a date, `2026-11-25`, or a date and a time of RFC 3339, whose zone is UTC when it
 * has none; NaN for another text.
 */
export function secondsOfDate(text: Uint8Array): number {
  const first = text[0] ?? 0;
  if (first < ZERO || first > NINE || text.length > LONGEST_DATE) return Number.NaN;
  const date = latin1Text(text);
  if (!DATE.test(date) || !isCalendarDay(date)) return Number.NaN;
  const isZoned = date.length <= 10 || /(?:z|[+-]\d{2}:\d{2})$/.test(date);
  return Date.parse(`${date.replace(' ', 't').toUpperCase()}${isZoned ? '' : 'Z'}`) / 1_000;
}
