import { own, stepInBudget } from '@fossick/base';
import { contextLine, FilterError, type FilterValue, shortened } from './tree.js';

const WORD = /[\p{Alphabetic}\p{N}_\-.]+/uy;
const SPACE = /\s*/y;
/** By ASCII code: 1 for characters of words. */
const WORD_CODES = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[A-Za-z0-9_.-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
export const KEYWORDS: ReadonlySet<string> = new Set([
  'AND',
  'OR',
  'IN',
  'NOT',
  'TO',
  'EXISTS',
  'IS',
  'NULL',
  'EMPTY',
  'CONTAINS',
  'STARTS',
  'WITH',
  '_geoRadius',
  '_geoBoundingBox',
]);
/** Names of coordinates: unquoted, they are neither fields nor values. */
const RESERVED: ReadonlySet<string> = new Set(['_geo', '_geoPoint', '_geoDistance']);
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '/': '/',
};

/** A fragment for a message: control characters and quotes escaped. */
export const shown = (text: string): string => JSON.stringify(shortened(text)).slice(1, -1).replaceAll("'", "\\'");

/** Reads a filter text from left to right. Offsets are UTF-16. */
export class FilterCursor {
  readonly text: string;
  at = 0;
  /** Up to where its text has counted as work. */
  private lookedAt = 0;
  constructor(text: string) {
    this.text = text;
  }

  get rest(): string {
    return this.text.slice(this.at);
  }

  fail(message: string, start = this.at, end = this.text.length): never {
    throw new FilterError(`${message}\n${contextLine(this.text, start, end)}`);
  }

  skipSpace(): void {
    const code = this.text.charCodeAt(this.at);
    if (code > 0x20 && code < 0x80) return;
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }

  get isAtEnd(): boolean {
    this.skipSpace();
    return this.at >= this.text.length;
  }

  /** The bare word at the cursor, keyword or not; '' when there is none. */
  peekWord(): string {
    this.skipSpace();
    let end = this.at;
    let code = this.text.charCodeAt(end);
    while (code < 0x80 && WORD_CODES[code] === 1) code = this.text.charCodeAt(++end);
    if (Number.isNaN(code) || code < 0x80) return this.text.slice(this.at, end);
    WORD.lastIndex = this.at;
    return WORD.exec(this.text)?.[0] ?? '';
  }

  takeKeyword(keyword: string): boolean {
    if (this.peekWord() !== keyword) return false;
    this.at += keyword.length;
    return true;
  }

  takeSymbol(symbol: string): boolean {
    this.skipSpace();
    if (!this.text.startsWith(symbol, this.at)) return false;
    this.at += symbol.length;
    return true;
  }

  /**
   * The value at the cursor, or undefined when none starts here. Throws on an unclosed quote, an invalid escape, or a
   * keyword.
   */
  takeValue(): FilterValue | undefined {
    stepInBudget(this.at - this.lookedAt);
    this.lookedAt = this.at;
    this.skipSpace();
    const quote = this.text[this.at];
    if (quote === '"' || quote === "'") return this.takeQuoted(quote);
    const word = this.peekWord();
    if (word === '') return undefined;
    const start = this.at;
    if (word === '_geoRadius' || word === '_geoBoundingBox') {
      this.fail(
        `\`${word}\` is an operator of its own and cannot be a field name or a value.`,
        start,
        start + word.length,
      );
    }
    if (RESERVED.has(word)) {
      this.fail(
        `\`${word}\` is reserved and cannot be compared; \`_geoRadius\` and \`_geoBoundingBox\` filter by coordinates.`,
        start,
      );
    }
    if (KEYWORDS.has(word)) {
      this.fail(
        `\`${word}\` is a keyword; put quotes around it to use it as a value or field name.`,
        start,
        start + word.length,
      );
    }
    this.at += word.length;
    return { text: word, start, end: this.at };
  }

  requireValue(): FilterValue {
    if (this.isAtEnd) this.fail('A value is missing at the end of the filter.');
    const value = this.takeValue();
    if (value === undefined) this.fail(`Found \`${shown(this.rest)}\` where a value belongs.`);
    return value;
  }

  private takeQuoted(quote: string): FilterValue {
    const start = this.at + 1;
    let end = start;
    let text = '';
    let copied = start;
    for (;;) {
      const char = this.text[end];
      if (char === undefined) {
        this.fail(`\`${shown(this.text.slice(this.at))}\` is not closed: \`${quote}\` is missing.`, this.at);
      }
      if (char === quote) break;
      if (char === '\\') {
        const [decoded, length] = this.escapeAt(end, start);
        text += this.text.slice(copied, end) + decoded;
        end += length;
        copied = end;
      } else end += 1;
    }
    text = copied === start ? this.text.slice(start, end) : text + this.text.slice(copied, end);
    this.at = end + 1;
    return { text, start, end };
  }

  /** The escape at `at` decoded, and its length. */
  private escapeAt(at: number, start: number): [text: string, length: number] {
    const next = this.text[at + 1] ?? '';
    const simple = own(SIMPLE_ESCAPES, next);
    if (simple !== undefined) return [simple, 2];
    const tail = this.text.slice(at + 1, at + 12);
    const hex = /^x([0-9a-fA-F]{2})|^u([0-9a-fA-F]{4})|^u\{([0-9a-fA-F]{1,6})\}/.exec(tail);
    const octal = /^[0-3][0-7]{2}|^[0-7]{1,2}/.exec(tail);
    const code = hex ? parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16) : octal ? parseInt(octal[0], 8) : -1;
    if (code < 0 || code > 0x10ffff) {
      this.fail(
        `The escape at character ${at - start} of \`${shown(this.text.slice(start, at + 2))}\` is malformed.`,
        at,
        at + 2,
      );
    }
    return [String.fromCodePoint(code), 1 + ((hex ?? octal)?.[0].length ?? 0)];
  }
}
