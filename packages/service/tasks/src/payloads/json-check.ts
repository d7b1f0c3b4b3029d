import { MAX_JSON_DEPTH } from '@fossick/base';

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, PLUS, DOT, ZERO] = [...Buffer.from('"\\,:-+.0')] as ByteList;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT, UNICODE] = [...Buffer.from('[]{}u')] as ByteList;
type ByteList = [number, number, number, number, number, number, number, number];
const LITERALS: Readonly<Record<string, Buffer>> = {
  t: Buffer.from('true'),
  f: Buffer.from('false'),
  n: Buffer.from('null'),
};
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));

/** What may come next. Those for numbers include what the number consists of so far. */
type Expecting =
  | 'value'
  | 'valueOrEnd'
  | 'name'
  | 'nameOrEnd'
  | 'colon'
  | 'commaOrEnd'
  | 'string'
  | 'escape'
  | 'hex'
  | 'literal'
  | 'minus'
  | 'zero'
  | 'integer'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponentSign'
  | 'exponentDigits'
  | 'end';

/** States in which a number may end. */
const WHOLE_NUMBERS = new Set<Expecting>(['zero', 'integer', 'fraction', 'exponentDigits']);
const [IN_ARRAY, IN_OBJECT] = [0, 1];
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Checks one JSON value in UTF-8 that arrives in pieces, by the rules of JSON.parse and `jsonFault`: its grammar, its
 * depth, no half of a surrogate pair. Each piece is read once and not kept. O(bytes), memory for its depth.
 */
export class JsonCheck {
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true });
  private readonly open = new Uint8Array(MAX_JSON_DEPTH);
  private depth = 0;
  private expecting: Expecting = 'value';
  private isName = false;
  private literal: Buffer = LITERALS['t']!;
  private matched = 0;
  private hexDigits = 0;
  private hexValue = 0;
  /** An escape was the first half of a surrogate pair: the second half must follow. */
  private isHalf = false;
  private seenBytes = 0;

  /** Bytes of all pieces so far. */
  get byteCount(): number {
    return this.seenBytes;
  }

  /** What is wrong with the value up to the end of this piece; undefined when nothing is so far. */
  push(piece: Uint8Array): string | undefined {
    try {
      this.utf8.decode(piece, { stream: true });
    } catch {
      return 'it is not valid UTF-8';
    }
    for (let at = 0; at < piece.length; ) {
      const next = this.expecting === 'string' ? this.string(piece, at) : this.step(piece[at]!) ? at + 1 : -1;
      if (next < 0) return this.fault(piece, at);
      at = next;
    }
    this.seenBytes += piece.length;
    return undefined;
  }

  /** What is wrong with the whole value; called after its last piece. */
  end(): string | undefined {
    try {
      this.utf8.decode();
    } catch {
      return 'it is not valid UTF-8';
    }
    const isEnded = this.expecting === 'end' || (this.depth === 0 && WHOLE_NUMBERS.has(this.expecting));
    return isEnded ? undefined : 'it ends in the middle';
  }

  private fault(piece: Uint8Array, at: number): string {
    if (this.isHalf) return 'an escape names half of a surrogate pair';
    if (this.depth > MAX_JSON_DEPTH) return `it is nested more than ${MAX_JSON_DEPTH} levels deep`;
    const near = Buffer.from(piece.subarray(at, at + 20)).toString('utf8');
    return `byte ${this.seenBytes + at} of it starts \`${near}\``;
  }

  /** Scans a string to its end, an escape, or the end of the piece; -1 for a byte that no string may contain. */
  private string(piece: Uint8Array, from: number): number {
    let at = from;
    let byte = piece[at]!;
    if (this.isHalf && byte !== BACKSLASH) return -1;
    while (byte !== QUOTE && byte !== BACKSLASH) {
      if (byte < 0x20) return -1;
      if (++at === piece.length) return at;
      byte = piece[at]!;
    }
    if (byte === BACKSLASH) this.expecting = 'escape';
    else this.expecting = this.isName ? 'colon' : this.afterValue();
    return at + 1;
  }

  /** Processes one byte outside of plain text; false when it is invalid. */
  private step(byte: number): boolean {
    switch (this.expecting) {
      case 'escape':
        return this.escape(byte);
      case 'hex':
        return this.hex(byte);
      case 'literal':
        if (byte !== this.literal[this.matched]) return false;
        if (++this.matched === this.literal.length) this.expecting = this.afterValue();
        return true;
      case 'minus':
      case 'zero':
      case 'integer':
      case 'point':
      case 'fraction':
      case 'exponent':
      case 'exponentSign':
      case 'exponentDigits':
        return this.number(byte);
      default:
        return isBlank(byte) || this.token(byte);
    }
  }

  private token(byte: number): boolean {
    const was = this.expecting;
    switch (was) {
      case 'valueOrEnd':
      case 'value':
        return (was === 'valueOrEnd' && byte === CLOSE_ARRAY && this.close(IN_ARRAY)) || this.beginValue(byte);
      case 'nameOrEnd':
      case 'name':
        if (byte === QUOTE) {
          this.isName = true;
          this.expecting = 'string';
          return true;
        }
        return was === 'nameOrEnd' && byte === CLOSE_OBJECT && this.close(IN_OBJECT);
      case 'colon':
        this.expecting = 'value';
        return byte === COLON;
      case 'commaOrEnd':
        if (byte === CLOSE_ARRAY) return this.close(IN_ARRAY);
        if (byte === CLOSE_OBJECT) return this.close(IN_OBJECT);
        this.expecting = this.open[this.depth - 1] === IN_OBJECT ? 'name' : 'value';
        return byte === COMMA;
      default:
        return false;
    }
  }

  private beginValue(byte: number): boolean {
    if (byte === QUOTE) {
      this.isName = false;
      this.expecting = 'string';
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++this.depth > MAX_JSON_DEPTH) return false;
      this.open[this.depth - 1] = byte === OPEN_OBJECT ? IN_OBJECT : IN_ARRAY;
      this.expecting = byte === OPEN_OBJECT ? 'nameOrEnd' : 'valueOrEnd';
    } else if (byte === MINUS) this.expecting = 'minus';
    else if (byte === ZERO) this.expecting = 'zero';
    else if (isDigit(byte)) this.expecting = 'integer';
    else {
      const literal =
        byte === 0x74 ? LITERALS['t'] : byte === 0x66 ? LITERALS['f'] : byte === 0x6e ? LITERALS['n'] : undefined;
      if (literal === undefined) return false;
      this.literal = literal;
      this.matched = 1;
      this.expecting = 'literal';
    }
    return true;
  }

  /** A number ends where something else begins; that byte is processed again. */
  private number(byte: number): boolean {
    const was = this.expecting;
    const isExponent = byte === 0x65 || byte === 0x45;
    if (was === 'minus') {
      if (!isDigit(byte)) return false;
      this.expecting = byte === ZERO ? 'zero' : 'integer';
    } else if (isDigit(byte) && was !== 'zero') {
      if (was === 'point') this.expecting = 'fraction';
      else if (was === 'exponent' || was === 'exponentSign') this.expecting = 'exponentDigits';
    } else if (byte === DOT && (was === 'zero' || was === 'integer')) this.expecting = 'point';
    else if (isExponent && (was === 'zero' || was === 'integer' || was === 'fraction')) this.expecting = 'exponent';
    else if ((byte === PLUS || byte === MINUS) && was === 'exponent') this.expecting = 'exponentSign';
    else if (WHOLE_NUMBERS.has(was)) {
      this.expecting = this.afterValue();
      return isBlank(byte) || this.token(byte);
    } else return false;
    return true;
  }

  private escape(byte: number): boolean {
    if (byte === UNICODE) {
      this.expecting = 'hex';
      this.hexDigits = 0;
      this.hexValue = 0;
      return true;
    }
    this.expecting = 'string';
    return !this.isHalf && ESCAPED.has(byte);
  }

  private hex(byte: number): boolean {
    const lower = byte | 0x20;
    const digit = isDigit(byte) ? byte - 0x30 : lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
    if (digit < 0) return false;
    this.hexValue = this.hexValue * 16 + digit;
    if (++this.hexDigits < 4) return true;
    this.expecting = 'string';
    const isFirst = this.hexValue >= 0xd800 && this.hexValue < 0xdc00;
    const isSecond = this.hexValue >= 0xdc00 && this.hexValue < 0xe000;
    if (this.isHalf !== isSecond) {
      this.isHalf = true;
      return false;
    }
    this.isHalf = isFirst;
    return true;
  }

  private close(kind: number): boolean {
    if (this.depth === 0 || this.open[this.depth - 1] !== kind) return false;
    this.depth -= 1;
    this.expecting = this.afterValue();
    return true;
  }

  private afterValue(): Expecting {
    return this.depth === 0 ? 'end' : 'commaOrEnd';
  }
}
