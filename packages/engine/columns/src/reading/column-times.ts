/**
 * The dates that the string values of a column are, as milliseconds since 1970: what expiry compares. Numbers need none,
 * because they are stored in their order.
 */
import { isCalendarDay, latin1Text, partitionPoint } from '@fossick/base';
import type { HeldMemory } from '@fossick/kernel/memory';
import type { AllTexts } from '../bytes/text-row.js';

/** A date, or a date and time of ISO 8601, normalised to lower case; without an offset it is UTC. */
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(t\d{2}:\d{2}(:\d{2}(\.\d+)?)?(z|[+-]\d{2}:\d{2})?)?$/;
/** The shortest and longest text that may be one. */
const [TEXT_BYTES_MIN, TEXT_BYTES_MAX] = [10, 40];
/** Of a time and the number of its group. */
const ENTRY_BYTES = 12;

/** Milliseconds since 1970 of a text; undefined when it is no date of ISO 8601, as `2026-02-30`. */
export function timeOfText(text: string): number | undefined {
  const lower = text.trim().toLowerCase();
  const parts = ISO_DATE.exec(lower);
  if (parts === null || !isCalendarDay(lower)) return undefined;
  const [, time, , , offset] = parts;
  const ms = Date.parse(time !== undefined && offset === undefined ? `${lower.toUpperCase()}Z` : lower.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}

/** String groups of a column that are dates, by their time. */
export class ColumnTimes implements HeldMemory {
  readonly kind = 'texts';
  /** Ascending. */
  private readonly times: Float64Array;
  /** Parallel to `times`. */
  private readonly groups: Uint32Array;

  /** O(texts log texts) */
  constructor({ textOffsets, text }: AllTexts) {
    const found: (readonly [timeMs: number, group: number])[] = [];
    for (let group = 0; group + 1 < textOffsets.length; group++) {
      const [from, to] = [textOffsets[group]!, textOffsets[group + 1]!];
      if (to - from < TEXT_BYTES_MIN || to - from > TEXT_BYTES_MAX) continue;
      const timeMs = timeOfText(latin1Text(text, from, to));
      if (timeMs !== undefined) found.push([timeMs, group]);
    }
    found.sort(([left], [right]) => left - right);
    this.times = Float64Array.from(found, ([timeMs]) => timeMs);
    this.groups = Uint32Array.from(found, ([, group]) => group);
  }

  get byteCount(): number {
    return this.times.length * ENTRY_BYTES;
  }

  free(): void {
    // the garbage collector does it
  }

  /** All dates, ascending. */
  *all(): Generator<{ readonly timeMs: number; readonly group: number }> {
    for (const [at, timeMs] of this.times.entries()) yield { timeMs, group: this.groups[at]! };
  }

  /** Groups of dates not after `timeMs`. */
  until(timeMs: number): Uint32Array {
    return this.groups.subarray(0, this.bound(timeMs));
  }

  /** The first date after `timeMs`; Infinity when there is none. */
  after(timeMs: number): number {
    return this.times[this.bound(timeMs)] ?? Number.POSITIVE_INFINITY;
  }

  /** The number of dates not after `timeMs`. O(log dates) */
  private bound(timeMs: number): number {
    return partitionPoint(0, this.times.length, (at) => this.times[at]! <= timeMs);
  }
}
