/** How counts, sizes, durations and dates are written for people. */

export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** `1 document`, `2,000 documents`; `more`: a sign behind the number, `+` for `2,000+ documents`. */
export function countOf(count: number, noun: string, more = ''): string {
  return `${formatCount(count)}${more} ${noun}${count === 1 && more === '' ? '' : 's'}`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
/** `1536` is `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${Number(value.toFixed(value < 10 ? 2 : 1))} ${UNITS[unit]}`;
}

/** Milliseconds of a duration in the form of tasks, `P1DT3.5S`; null for any other text. */
export function durationMs(text: string | null): number | null {
  const found = /^P(?:(\d+)D)?(?:T([\d.]+)S)?$/.exec(text ?? '');
  return found === null ? null : (Number(found[1] ?? 0) * 86_400 + Number(found[2] ?? 0)) * 1000;
}
export function formatDuration(text: string | null): string {
  const ms = durationMs(text);
  return ms === null ? '–' : formatMs(ms);
}
export function formatMs(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

const STEPS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30, 'day'],
  [12, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
/** A time relative to now: `3 minutes ago`. */
export function formatAgo(date: string | null, nowMs = Date.now()): string {
  if (date === null) return '–';
  let value = (Date.parse(date) - nowMs) / 1000;
  for (const [size, unit] of STEPS) {
    if (Math.abs(value) < size)
      return Math.abs(value) < 5 && unit === 'second' ? 'just now' : relative.format(Math.round(value), unit);
    value /= size;
  }
  return date;
}
export function formatDate(date: string | null): string {
  return date === null ? '–' : new Date(date).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** `documentAdditionOrUpdate` is `Document addition or update`, `mcpRoute` is `MCP route`. */
export function formatName(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replace(/\bmcp\b/g, 'MCP');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const [MINUTE, DAY, MONTH] = [60, 86_400, 28 * 86_400];
/**
 * Points in time below a chart, in the language and the manner of the browser: times of a day, below the first one of each day its date; or days, or months.
 * `seconds`: ascending, since 1970, `step` apart.
 */
export function timeLabels(
  seconds: readonly number[],
  step: number,
  locale?: string,
  zone: { readonly timeZone?: string } = {},
): string[] {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, ...zone });
  const day = format({ day: 'numeric', month: 'short' });
  if (step >= MONTH) return seconds.map(writing(format({ month: 'short', year: 'numeric' })));
  if (step >= DAY) return seconds.map(writing(day));
  const time = format({ hour: 'numeric', minute: '2-digit', ...(step < MINUTE && { second: '2-digit' }) });
  const days = seconds.map(writing(day));
  return seconds.map((second, at) => {
    const text = writing(time)(second);
    return days[at] === days[at - 1] ? text : `${text}\n${days[at]}`;
  });
}
const writing = (format: Intl.DateTimeFormat) => (second: number) => format.format(second * 1000);
