import { randomUUID } from 'node:crypto';

/** From here on integral floats take an exponent; below the other one, fractions do. */
const EXPONENT_FROM = 1e16;
const EXPONENT_BELOW = 1e-5;

/** Stands before a text that travels as a JSON string; unguessable, so no document can hold it. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}([^"]+)"`, 'g');

/**
 * A float whose text is not the one JavaScript would give it: `1.0`, `-0.0`, `1e+16`, `1e-6`. Every other float is a
 * plain number, so that ordinary documents pay nothing. It calculates like a number and prints its own text.
 */
export class SpelledFloat extends Number {
  override toString(): string {
    return floatText(this.valueOf());
  }

  /** Only toJsonText reads what this gives. */
  toJSON(): string {
    return `${MARK}${this.toString()}`;
  }
}

/** A value whose JSON text is known: what an object cannot express, such as the order of names that look like numbers. */
export class JsonText {
  constructor(private readonly text: string) {}

  /** Only toJsonText reads what this gives. */
  toJSON(): string {
    return `${MARK}%${encodeURIComponent(this.text)}`;
  }
}

/** The shortest text that reads back as the same float, as JSON shows it: always with a point or an exponent. */
export function floatText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value)) {
    if (size >= EXPONENT_FROM) return value.toExponential();
    return Object.is(value, -0) ? '-0.0' : `${value}.0`;
  }
  return size < EXPONENT_BELOW ? value.toExponential() : String(value);
}

/** A float as documents hold it: a plain number where JavaScript's text of it is right already. */
export function floatOf(value: number): number | SpelledFloat {
  if (!Number.isFinite(value)) return value;
  // fractions of a common size are spelled alike, which spares comparing the texts
  if (!Number.isInteger(value) && Math.abs(value) >= EXPONENT_BELOW) return value;
  return floatText(value) === String(value) ? value : new SpelledFloat(value);
}

/** The number of a JSON value, whatever form it takes in memory; undefined when it is none. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' || value instanceof SpelledFloat ? Number(value) : undefined;
}

function unmarked(_all: string, text: string): string {
  return text.startsWith('%') ? decodeURIComponent(text.slice(1)) : text;
}

/** JSON text of a value: wide integers (bigint) with all their digits, floats in their own spelling, JsonText as it is. O(size). */
export function toJsonText(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    // only a bigint makes JSON.stringify throw here, and such numbers are rare: the replacer costs nothing until then
    if (!(error instanceof TypeError)) throw error;
    text = JSON.stringify(value, (_name, member: unknown) =>
      typeof member === 'bigint' ? `${MARK}${member}` : member,
    );
  }
  return text?.includes(MARK) ? text.replace(MARKED, unmarked) : text;
}
