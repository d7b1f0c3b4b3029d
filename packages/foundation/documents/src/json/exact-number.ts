import { LosslessFloat } from './lossless-number.js';

/**
 * A number by its exact value: a bigint if no float represents it, else a float. So equal values are `===`, and `<` orders all of them.
 */
export type ExactNumber = number | bigint;

/** Below this magnitude every integer is a float. */
export const WIDE_FROM = 2 ** 53;
/** Documents have integers of 64 bits, with a sign or without one; larger ones are floats. */
const [WIDE_MIN, WIDE_END] = [-(2n ** 63n), 2n ** 64n];

export const isWithin64Bits = (integer: bigint): boolean => integer >= WIDE_MIN && integer < WIDE_END;

export function exactOf(integer: bigint): ExactNumber {
  const float = Number(integer);
  return BigInt(float) === integer ? float : integer;
}

/** The number of a JSON value, in any of its forms in memory; undefined when it is no number. */
export function exactIn(value: unknown): ExactNumber | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return exactOf(value);
  return value instanceof LosslessFloat ? value.valueOf() : undefined;
}

export function compareExact(left: ExactNumber, right: ExactNumber): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** An integer of 64 bits in the form that prints all its digits, which a float does not. */
export function withDigits(value: ExactNumber): ExactNumber {
  if (typeof value === 'bigint' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const integer = BigInt(value);
  return isWithin64Bits(integer) ? integer : value;
}
