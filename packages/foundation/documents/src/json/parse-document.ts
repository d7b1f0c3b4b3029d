import { inOrder, isIndexName, MAX_JSON_DEPTH } from '@fossick/base';
import type { JsonObject } from './json-object.js';
import { floatOf, INDEX_MEMBER, isWithin64Bits, type LosslessFloat } from './lossless-number.js';

/**
 * Parses one document of a checked payload: its members stay in their order. Throws SyntaxError on anything but a JSON object, and on a number beyond
 * the range of a float. O(length).
 */
export function parseDocument(line: string): JsonObject {
  const value: unknown = isPlainJson(line)
    ? JSON.parse(line)
    : new KeepingParser(line, losslessNumber, MAX_JSON_DEPTH).parse();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not a JSON object');
  return value as JsonObject;
}

/** Whether JSON.parse keeps all that a JSON text says; false at times where it does. O(length) */
export const isPlainJson = (text: string): boolean => !LOSSLESS_NUMBER.test(text) && !INDEX_MEMBER.test(text);

/**
 * JSON.parse, but members stay in their order (memberNames), and integers of 64 bits that it would round are what `wide` makes of their digits. O(length), twice
 * where a number has sixteen digits or a name looks like an index; recurses once for each level, which the caller limits. @throws SyntaxError
 */
export function parseWithIntegers(text: string, wide: (digits: string) => unknown): unknown {
  const value: unknown = JSON.parse(text);
  if (!WIDE_INTEGER.test(text) && !INDEX_MEMBER.test(text)) return value;
  const numberOf = (source: string): unknown => (isWideInteger(source) ? wide(source) : Number(source));
  return new KeepingParser(text, numberOf, Number.POSITIVE_INFINITY).parse();
}
/** As in LOSSLESS_NUMBER. */
const WIDE_INTEGER = /[:[,]\s*-?\d{16}/;

/**
 * A number whose text JSON.parse may lose: an exponent, only zeros after the point, five zeros after it, sixteen digits
 * or more, a negative zero. A match inside a string only costs time, because the slower parser is used.
 */
const LOSSLESS_NUMBER = /[:[,]\s*(?:-0[\s,\]}]|-?(?:\d{16}|\d+(?:\.\d+)?[eE]|\d+\.0+[\s,\]}]|0\.00000))/;

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const INTEGER = /^-?[0-9]+$/;
/** Characters that JSON does not escape and need not escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids raw control characters in strings
const PLAIN_TEXT = /^[^\\\u0000-\u001f]*$/;

const isWideInteger = (source: string): boolean =>
  INTEGER.test(source) && !Number.isSafeInteger(Number(source)) && isWithin64Bits(BigInt(source));

function losslessNumber(source: string): number | bigint | LosslessFloat {
  const value = Number(source);
  if (!Number.isFinite(value)) throw new SyntaxError(`the number \`${source.slice(0, 40)}\` is out of range`);
  if (isWideInteger(source)) return BigInt(source);
  return INTEGER.test(source) && source !== '-0' && Number.isSafeInteger(value) ? value : floatOf(value);
}

/** A recursive-descent parser that differs from JSON.parse only in numbers, and in the order of members. */
class KeepingParser {
  private readonly text: string;
  private readonly numberOf: (source: string) => unknown;
  private readonly levelMax: number;
  private at = 0;
  private level = 0;

  constructor(text: string, numberOf: (source: string) => unknown, levelMax: number) {
    this.text = text;
    this.numberOf = numberOf;
    this.levelMax = levelMax;
  }

  parse(): unknown {
    const value = this.value();
    this.skipSpace();
    if (this.at < this.text.length) throw this.fault();
    return value;
  }

  private value(): unknown {
    this.skipSpace();
    const first = this.text[this.at];
    if (first === '{' || first === '[') return this.container(first);
    if (first === '"') return this.string();
    return this.scalar();
  }

  private container(bracket: '{' | '['): unknown {
    if (++this.level > this.levelMax) throw new SyntaxError(`nested more than ${this.levelMax} levels deep`);
    const value = bracket === '{' ? this.object() : this.array();
    this.level -= 1;
    return value;
  }

  private object(): JsonObject {
    const result: JsonObject = {};
    const names: string[] = [];
    let hasIndexName = false;
    this.at += 1;
    for (let isFirst = true; !this.closes('}'); isFirst = false) {
      if (!isFirst) this.expect(',');
      this.skipSpace();
      const key = this.string();
      this.skipSpace();
      this.expect(':');
      const value = this.value();
      // As in JSON.parse: an own property even for __proto__.
      Object.defineProperty(result, key, { value, writable: true, enumerable: true, configurable: true });
      names.push(key);
      hasIndexName ||= isIndexName(key);
    }
    return hasIndexName ? inOrder(result, [...new Set(names)]) : result;
  }

  private array(): unknown[] {
    const result: unknown[] = [];
    this.at += 1;
    for (let isFirst = true; !this.closes(']'); isFirst = false) {
      if (!isFirst) this.expect(',');
      result.push(this.value());
    }
    return result;
  }

  private string(): string {
    const start = this.at;
    if (this.text[start] !== '"') throw this.fault();
    let end = this.text.indexOf('"', start + 1);
    while (end > 0 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    if (end < 0) throw this.fault();
    this.at = end + 1;
    const inner = this.text.slice(start + 1, end);
    return PLAIN_TEXT.test(inner) ? inner : (JSON.parse(this.text.slice(start, this.at)) as string);
  }

  private isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.text[quote - 1 - backslashes] === '\\') backslashes += 1;
    return backslashes % 2 === 1;
  }

  private scalar(): unknown {
    SCALAR.lastIndex = this.at;
    if (!SCALAR.test(this.text)) throw this.fault();
    const source = this.text.slice(this.at, SCALAR.lastIndex);
    this.at = SCALAR.lastIndex;
    return source[0]! > '9' ? JSON.parse(source) : this.numberOf(source);
  }

  private closes(bracket: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== bracket) return false;
    this.at += 1;
    return true;
  }

  private expect(character: string): void {
    this.skipSpace();
    if (this.text[this.at] !== character) throw this.fault();
    this.at += 1;
  }

  private skipSpace(): void {
    while (this.at < this.text.length && ' \t\r\n'.includes(this.text[this.at]!)) this.at += 1;
  }

  private fault(): SyntaxError {
    return new SyntaxError(`unexpected JSON at offset ${this.at}`);
  }
}
