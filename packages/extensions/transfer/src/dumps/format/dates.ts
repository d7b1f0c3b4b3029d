import type { Micros } from '@fossick/tasks';

/** Microseconds of an RFC 3339 date of up to nanoseconds, truncated; null for an invalid date. */
export function microsOf(text: unknown): Micros | null {
  const match = typeof text === 'string' ? /^(.{19})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/.exec(text) : null;
  if (match === null) return null;
  const seconds = Date.parse(`${match[1]}${match[3]}`);
  return Number.isNaN(seconds) ? null : seconds * 1000 + Number((match[2] ?? '').slice(0, 6).padEnd(6, '0'));
}
