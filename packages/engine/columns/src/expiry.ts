/**
 * When documents expire: a number above 0 is a time in seconds since 1970, or from EXPIRY_MS_FROM on in milliseconds; a
 * text is a date of ISO 8601. Other values, as days of no calendar, and none, mean never. Of several values the earliest counts.
 */
import type { DocId } from '@fossick/base';
import type { Bitmap } from '@fossick/kernel';
import { type ColumnReader, orGroupList, orLiveGroups, type Side } from './reading/column-reader.js';
import { timeOfText } from './reading/column-times.js';

/** Numbers from here on are milliseconds: the year 1973, or in seconds the year 5138. */
const EXPIRY_MS_FROM = 1e11;

/** Milliseconds since 1970 at which a value expires; Infinity for never. */
export function expiryOf(value: unknown): number {
  if (typeof value === 'number' && value > 0) return value < EXPIRY_MS_FROM ? value * 1_000 : value;
  return (typeof value === 'string' ? timeOfText(value) : undefined) ?? Number.POSITIVE_INFINITY;
}

/**
 * The earliest expiry of a live document of the column, in milliseconds since 1970; Infinity for never. O(values that
 * only deleted documents have)
 */
export function earliestExpiry(column: ColumnReader): number {
  const { kernel, numberCount } = column;
  let earliest = Number.POSITIVE_INFINITY;
  const isLive = (side: Side, group: number): boolean => {
    const { deleted } = column.segment;
    return deleted === 0 || column.docsIn(side, group).some((docId) => !kernel.bitmaps.has(deleted, docId as DocId));
  };
  const firstNumber = (from: number, to: number, unitMs: number): void => {
    for (let group = from; group < to; group++) {
      if (!isLive('numbers', group)) continue;
      earliest = Math.min(earliest, Number(column.numberAt(group)) * unitMs);
      return;
    }
  };
  if (numberCount > 0) {
    const msFrom = column.numberBound(EXPIRY_MS_FROM, false);
    firstNumber(column.numberBound(0, true), msFrom, 1_000);
    firstNumber(msFrom, numberCount, 1);
  }
  if (column.stringCount === 0) return earliest;
  for (const { timeMs, group } of column.loadTimes().all())
    if (isLive('strings', group)) return Math.min(earliest, timeMs);
  return earliest;
}

/**
 * target |= live documents of the column that have expired at `nowMs`. Returns when the next one may expire, Infinity
 * for never. O(log values + expired documents), and once O(strings) for a column with strings.
 */
export function orExpired(target: Bitmap, column: ColumnReader, nowMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY;
  const { numberCount } = column;
  if (numberCount > 0) {
    const msFrom = column.numberBound(EXPIRY_MS_FROM, false);
    const seconds = Math.min(msFrom, column.numberBound(nowMs / 1_000, true));
    const milliseconds = Math.max(msFrom, column.numberBound(nowMs, true));
    orLiveGroups(target, column, 'numbers', column.numberBound(0, true), seconds);
    orLiveGroups(target, column, 'numbers', msFrom, milliseconds);
    if (seconds < msFrom) nextMs = Number(column.numberAt(seconds)) * 1_000;
    if (milliseconds < numberCount) nextMs = Math.min(nextMs, Number(column.numberAt(milliseconds)));
  }
  if (column.stringCount === 0) return nextMs;
  const times = column.loadTimes();
  const groups = times.until(nowMs);
  if (groups.length > 0)
    orGroupList(
      target,
      column,
      'strings',
      [...groups].sort((left, right) => left - right),
    );
  return Math.min(nextMs, times.after(nowMs));
}
