import { type ExactNumber, withDigits } from '@fossick/documents/stored';

/** Decimal text of a finite number, without an exponent: all digits of an integer of 64 bits, else the shortest. */
export function numberText(value: ExactNumber): string {
  const text = String(withDigits(value));
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? `${sign}${digits.padEnd(point, '0')}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
