import { type ExactNumber, exactOf, isWithin64Bits, WIDE_FROM } from '@fossick/documents/stored';
import type { CompareOperator } from '@fossick/filter';

/** An unambiguous pattern: backtracking would be quadratic in a long row of digits. */
const FLOAT = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
/** Digits with a point or without one. */
const DIGITS = /^([+-]?)(\d+)(?:\.(\d*))?$/;

/**
 * The finite number that a filter value spells, or undefined: a float as in a document, but digits without an exponent
 * count all where documents have integers of 64 bits. A fraction there lies between two values, so it is `rounded` to a bound of
 * those beyond it; nothing equals it. O(length)
 */
export function numberOf(text: string, rounded?: 'up' | 'down'): ExactNumber | undefined {
  const digits = text.trim();
  const float = FLOAT.test(digits) ? Number(digits) : Number.NaN;
  if (Math.abs(float) < WIDE_FROM) return float;
  return Number.isFinite(float) ? wideOf(digits, float, rounded) : undefined;
}

function wideOf(text: string, float: number, rounded: 'up' | 'down' | undefined): ExactNumber | undefined {
  const [, sign = '', digits, fraction = ''] = DIGITS.exec(text) ?? [];
  if (digits === undefined) return float;
  const integer = sign === '-' ? -BigInt(digits) : BigInt(digits);
  if (!isWithin64Bits(integer)) return float;
  if (!/[1-9]/.test(fraction)) return exactOf(integer);
  if (rounded === undefined) return undefined;
  const isAway = (rounded === 'up') === (sign !== '-');
  return exactOf(isAway ? integer + (sign === '-' ? -1n : 1n) : integer);
}

/** The number to which values are compared by an operator, in the same way for all of its size. */
export function boundOf(operator: CompareOperator, text: string): ExactNumber | undefined {
  if (operator === '=' || operator === '!=') return numberOf(text);
  return numberOf(text, operator === '>' || operator === '<=' ? 'down' : 'up');
}
