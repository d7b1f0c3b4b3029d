import { areOrdersNoted, memberNames, stepInBudget } from '@fossick/base';
import type { JsonObject } from './json-object.js';

/** Integral floats have an exponent from here on; fractions have one below EXPONENT_BELOW. */
const EXPONENT_FROM = 1e16;
const EXPONENT_BELOW = 1e-5;

/** A member whose name objects move to the front; or a text that looks like one, which only costs time. */
export const INDEX_MEMBER = /"(?:\d|\\u003\d)+"\s*:/i;

/** Strings that JSON does not escape, without unpaired surrogates. */
const PLAIN_TEXT = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** Ends the first attempt of toJsonText: thrown without a stack, because it is frequent. */
const NOT_PLAIN = { reason: 'a value whose text JSON.stringify does not know' };
/** The first attempt of toJsonText is running. */
let isTrying = false;

/**
 * A float whose text differs from JavaScript's: `1.0`, `-0.0`, `1e+16`, `1e-6`. Every other float is a plain number, so
 * that ordinary documents pay nothing. It calculates like a number and prints its own text.
 */
export class LosslessFloat extends Number {
  override toString(): string {
    return floatText(this.valueOf());
  }

  /** Returns the plain number; toJsonText prints the lossless text. */
  toJSON(): number {
    if (isTrying) throw NOT_PLAIN;
    return this.valueOf();
  }
}

/** Whether a parsed value is an object: a lossless float is none. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LosslessFloat);
}

/**
 * A value whose JSON text is known: for what an object cannot express, such as the order of names that look like numbers.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Only toJsonText handles it. */
  toJSON(): unknown {
    if (isTrying) throw NOT_PLAIN;
    return JSON.parse(this.text);
  }
}

/** The shortest text that reads back as the same float, in the form of the API: always with a point or an exponent. */
export function floatText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value)) {
    if (size >= EXPONENT_FROM) return value.toExponential();
    return Object.is(value, -0) ? '-0.0' : `${value}.0`;
  }
  return size < EXPONENT_BELOW ? value.toExponential() : String(value);
}

/** A float as documents hold it: a plain number where JavaScript's text of it is the same. */
export function floatOf(value: number): number | LosslessFloat {
  if (!Number.isFinite(value)) return value;
  // fractions of a common size have the same text, so it need not be compared
  if (!Number.isInteger(value) && Math.abs(value) >= EXPONENT_BELOW) return value;
  return floatText(value) === String(value) ? value : new LosslessFloat(value);
}

/** The number of a JSON value, in any of its forms in memory; undefined when it is no number. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' || value instanceof LosslessFloat ? Number(value) : undefined;
}

/**
 * JSON text of a value: members in the order in which they came, bigint with all digits, floats with their lossless text, JsonText verbatim. Most values contain none of
 * these and are left to JSON.stringify, which is the fastest and stops at the first that does. String contents are never
 * inspected, so no document can be mistaken for another value. O(size); recurses once for each level.
 */
export function toJsonText(value: unknown): string {
  return (plainText(value) ?? written(value, PROBED_LEVELS)) as string;
}

/** Levels from the top whose members are tried one by one: often only one member of an answer needs the slow path. */
const PROBED_LEVELS = 1;
/** Levels that are written: an object that contains itself would fill the memory with its text before the stack is full. */
const WRITTEN_LEVELS = 1_000;

/** The text of a value that JSON.stringify prints correctly; else undefined. */
function plainText(value: unknown): string | undefined {
  isTrying = true;
  try {
    const text = JSON.stringify(value);
    return areOrdersNoted() && text !== undefined && INDEX_MEMBER.test(text) ? undefined : text;
  } catch (error) {
    // a bigint makes JSON.stringify throw a TypeError
    if (error !== NOT_PLAIN && !(error instanceof TypeError)) throw error;
    return undefined;
  } finally {
    isTrying = false;
  }
}

/** The text of a value; undefined for what JSON leaves out. */
function written(value: unknown, probedLevels: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return PLAIN_TEXT.test(value) ? `"${value}"` : JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? `${value}` : 'null';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? 'null' : writtenObject(value, probedLevels);
    default:
      return undefined;
  }
}

function writtenObject(value: object, probedLevels: number): string {
  stepInBudget();
  if (probedLevels < PROBED_LEVELS - WRITTEN_LEVELS) throw new RangeError('nested too deep');
  if (value instanceof LosslessFloat) return value.toString();
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return writtenList(value, probedLevels);
  return writtenMembers(value as Record<string, unknown>, probedLevels);
}

function writtenMembers(object: Record<string, unknown>, probedLevels: number): string {
  let text = '';
  for (const name of memberNames(object)) {
    const member = object[name];
    const isProbed = probedLevels > 0 && isPlainObject(member);
    const memberText = (isProbed ? plainText(member) : undefined) ?? written(member, probedLevels - 1);
    if (memberText !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${memberText}`;
  }
  return `{${text}}`;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof LosslessFloat || value instanceof JsonText);
}

function writtenList(items: readonly unknown[], probedLevels: number): string {
  let text = '';
  for (let i = 0; i < items.length; i++)
    text += `${i === 0 ? '' : ','}${written(items[i], probedLevels - 1) ?? 'null'}`;
  return `[${text}]`;
}

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
