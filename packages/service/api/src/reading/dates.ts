import { isCalendarDay } from '@fossick/base';
import { type Parser, parsers, type Where, wrongValue } from '@fossick/base/contract';

const { string } = parsers;

const RFC3339 = /^(\d{4}-\d{2}-\d{2})[T ]((?:[01]\d|2[0-3]):\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MICROS = 86_400_000_000;

/** The expiry of a key: RFC 3339, or without a zone, or a day, in UTC; must be in the future. Returns RFC 3339. */
export const parseFutureDate: Parser<string> = (value, where) => {
  const text = string(value, where);
  const isLocal = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}$/.test(text);
  const day = DAY.test(text) ? `${text}T00:00:00Z` : isLocal ? `${text.replace(' ', 'T')}Z` : text;
  if (!RFC3339.test(day) || !isCalendarDay(day) || Number.isNaN(Date.parse(day)))
    throw wrongValue(where, `\`${text}\` is not a date; write \`2030-01-31\`, \`2030-01-31T12:00:00\` or RFC 3339.`);
  if (Date.parse(day) <= Date.now()) throw wrongValue(where, `\`${text}\` is in the past.`);
  // zone and precision are kept, so that the client gets its own text back; a fraction of zeros says nothing
  return day
    .replace(' ', 'T')
    .toUpperCase()
    .replace(/[+-]00:00$/, 'Z')
    .replace(/\.0+(?=[Z+-])/, '');
};

/** A date of a task filter in microseconds since 1970, or undefined for `*`. For "after", a bare day means its end. */
export function filterDate(side: 'after' | 'before'): Parser<number | undefined> {
  return (value, where) => {
    const text = value as string;
    if (text === '*') return undefined;
    if (DAY.test(text) && isCalendarDay(text)) {
      const midnight = Date.parse(`${text}T00:00:00Z`) * 1000;
      // strict comparison with the last microsecond before midnight keeps midnight itself "after"
      return side === 'after' ? midnight + DAY_MICROS - 1 : midnight;
    }
    return instant(text, where);
  };
}

function instant(text: string, where: Where): number {
  const match = RFC3339.exec(text);
  const whole = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}${match[4]!.toUpperCase()}`);
  if (Number.isNaN(whole) || !isCalendarDay(text))
    throw wrongValue(
      where,
      `\`${text}\` is not a date; write \`2030-01-31\` or RFC 3339 such as \`2030-01-31T12:00:00Z\`.`,
    );
  // digits, not a product of doubles, which would be off by one for some
  return whole * 1000 + Number((match![3] ?? '.').slice(1, 7).padEnd(6, '0'));
}

/** Whether the text is a valid date and time of RFC 3339. */
export function isRfc3339(text: string): boolean {
  return RFC3339.test(text) && isCalendarDay(text) && !Number.isNaN(Date.parse(text));
}
