import { own } from '@fossick/base';
import { type Position, ScriptSyntaxError } from './script-error.js';

export type Token = { readonly position: Position } & (
  | { readonly kind: 'name' | 'keyword' | 'symbol'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'template'; readonly parts: readonly (string | readonly Token[])[] }
  | { readonly kind: 'end'; readonly text: '' }
);

const KEYWORDS = new Set(
  (
    'let const if else while loop for in do until break continue return throw try catch fn switch true false this ' +
    'import export as private eval async await new use with module package spawn thread go sync static super'
  ).split(' '),
);
/** Longest first, so that `**=` is not read as `**` and `=`. */
const SYMBOLS = (
  '**= <<= >>= ..= ??= && || == != <= >= ** << >> += -= *= /= %= &= |= ^= .. => #{ ?. ?[ ?? !in ' +
  '+ - * / % < > = ! & | ^ ( ) [ ] { } , ; : .'
).split(' ');
/** Longer numbers are no 64-bit integers in any base. */
const DIGITS_MAX = 64;
/** Nested templates. */
const TEMPLATE_DEPTH_MAX = 20;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '`': '`',
};

/** Splits a script into tokens without comments; the last one is `end`. Throws ScriptSyntaxError. O(length) */
export function readTokens(source: string): Token[] {
  return new TokenReader(source).readAll();
}

/** The lowest 64 bits of a number like `0xff`, as the language has it. */
function basedInt(text: string): bigint {
  const [prefix, digits] = [text.slice(0, 2), text.slice(2)];
  return BigInt.asIntN(64, BigInt(`${prefix}${digits.slice(-DIGITS_MAX) || '0'}`));
}

class TokenReader {
  private readonly source: string;
  private at = 0;
  private depth = 0;
  private line = 1;
  private lineStart = 0;

  constructor(source: string) {
    this.source = source;
  }

  readAll(): Token[] {
    const tokens = this.readUntil(false);
    tokens.push({ kind: 'end', text: '', position: this.position() });
    return tokens;
  }

  /** Up to the end, or (inside a template) to the brace that closes the expression. */
  private readUntil(isInTemplate: boolean): Token[] {
    const tokens: Token[] = [];
    let depth = 0;
    for (;;) {
      this.skipBlanks();
      if (this.at >= this.source.length) {
        if (isInTemplate) throw this.fault('The `${` of a string is not closed');
        return tokens;
      }
      const token = this.read();
      if (token.kind === 'symbol' && (token.text === '{' || token.text === '#{')) depth += 1;
      if (token.kind === 'symbol' && token.text === '}' && isInTemplate && depth-- === 0) {
        tokens.push({ kind: 'end', text: '', position: token.position });
        return tokens;
      }
      tokens.push(token);
    }
  }

  private read(): Token {
    const position = this.position();
    const first = this.source[this.at]!;
    if (/[0-9]/.test(first)) return this.readNumber(position);
    if (/[A-Za-z_]/.test(first)) {
      const text = this.take(/[A-Za-z0-9_]+/y);
      return { kind: KEYWORDS.has(text) ? 'keyword' : 'name', text, position };
    }
    if (first === '"') return { kind: 'string', text: this.readQuoted('"'), position };
    if (first === "'") {
      const text = this.readQuoted("'");
      if (text.length > 2 || [...text].length !== 1)
        throw new ScriptSyntaxError('A character in single quotes is exactly one', position);
      return { kind: 'string', text, position };
    }
    if (first === '`') return { kind: 'template', parts: this.readTemplate(), position };
    const symbol = SYMBOLS.find(
      (each) =>
        this.source.startsWith(each, this.at) && !(each === '!in' && /[\w]/.test(this.source[this.at + 3] ?? '')),
    );
    if (symbol === undefined) throw this.fault(`Unexpected \`${first}\``);
    this.at += symbol.length;
    return { kind: 'symbol', text: symbol, position };
  }

  private readNumber(position: Position): Token {
    const based = this.take(/0[xX][0-9A-Fa-f_]+|0[oO][0-7_]+|0[bB][01_]+/y);
    if (based !== '') return this.intToken(basedInt(based.replaceAll('_', '').toLowerCase()), position);
    const text = this.take(/[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?/y).replaceAll('_', '');
    if (/[.eE]/.test(text)) return { kind: 'float', value: Number(text), position };
    if (text.length > DIGITS_MAX) return { kind: 'float', value: Number(text), position };
    return this.intToken(BigInt(text), position);
  }

  private intToken(value: bigint, position: Position): Token {
    if (value >= 2n ** 64n) return { kind: 'float', value: Number(value), position };
    return { kind: 'int', value, position };
  }

  private readQuoted(quote: string): string {
    const start = this.position();
    this.at += 1;
    let text = '';
    for (;;) {
      const next = this.source[this.at];
      if (next === undefined || next === '\n') throw new ScriptSyntaxError('A string is not closed', start);
      this.at += 1;
      if (next === quote) return text;
      text += next === '\\' ? this.readEscape() : next;
    }
  }

  private readEscape(): string {
    const letter = this.source[this.at] ?? '';
    this.at += 1;
    const plain = own(ESCAPES, letter);
    if (plain !== undefined) return plain;
    const digitCount = { x: 2, u: 4, U: 8 }[letter];
    const digits = this.source.slice(this.at, this.at + (digitCount ?? 0));
    const code = Number.parseInt(digits, 16);
    if (digitCount === undefined || !/^[0-9A-Fa-f]+$/.test(digits) || digits.length !== digitCount || code > 0x10ffff)
      throw this.fault('A string holds an unknown escape');
    this.at += digitCount;
    return String.fromCodePoint(code);
  }

  private readTemplate(): (string | Token[])[] {
    const start = this.position();
    const parts: (string | Token[])[] = [];
    if (++this.depth > TEMPLATE_DEPTH_MAX) throw new ScriptSyntaxError('Strings are nested too deeply', start);
    this.at += 1;
    let text = '';
    for (;;) {
      const next = this.source[this.at];
      if (next === undefined) throw new ScriptSyntaxError('A string is not closed', start);
      if (this.source.startsWith('${', this.at)) {
        this.at += 2;
        parts.push(text, this.readUntil(true));
        text = '';
        continue;
      }
      this.at += 1;
      if (next === '`' && this.source[this.at] === '`') this.at += 1;
      else if (next === '`') {
        this.depth -= 1;
        return [...parts, text];
      }
      if (next === '\n') this.newLine();
      text += next;
    }
  }

  private skipBlanks(): void {
    for (;;) {
      const blanks = this.take(/[ \t\r\n]+|\/\/[^\n]*/y);
      for (let i = 0; i < blanks.length; i++) if (blanks[i] === '\n') this.newLine(this.at - blanks.length + i + 1);
      if (blanks !== '') continue;
      if (!this.source.startsWith('/*', this.at)) return;
      this.skipBlockComment();
    }
  }

  /** Block comments nest. */
  private skipBlockComment(): void {
    const start = this.position();
    let depth = 0;
    do {
      if (this.at >= this.source.length) throw new ScriptSyntaxError('A comment is not closed', start);
      const two = this.source.slice(this.at, this.at + 2);
      depth += two === '/*' ? 1 : two === '*/' ? -1 : 0;
      this.at += two === '/*' || two === '*/' ? 2 : 1;
      if (two[0] === '\n') this.newLine();
    } while (depth > 0);
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.source)?.[0] ?? '';
    this.at += text.length;
    return text;
  }

  private newLine(start = this.at): void {
    this.line += 1;
    this.lineStart = start;
  }

  private position(): Position {
    return { line: this.line, column: this.at - this.lineStart + 1 };
  }

  private fault(message: string): ScriptSyntaxError {
    return new ScriptSyntaxError(message, this.position());
  }
}
