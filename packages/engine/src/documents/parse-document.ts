/**
 * A stored JSON object. Integers beyond 2^53 are bigint, so that 64-bit ids survive a round trip (spec 01 section
 * 3.6).
 */
export type JsonObject = Record<string, unknown>;


/** Parses one document of a checked payload. Throws SyntaxError on anything but a JSON object. O(length). */
export function parseDocument(line: string): JsonObject {
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not a JSON object');
  return (holdsWideNumber(value) ? new WideParser(line).parse() : value) as JsonObject;
}

/** A number beyond 2^53 may have been an integer that lost digits: only such lines take the slow parser. */
function holdsWideNumber(value: object): boolean {
  for (const key in value) {
    const item: unknown = (value as JsonObject)[key];
    if (typeof item === 'number') {
      if (item > Number.MAX_SAFE_INTEGER || item < Number.MIN_SAFE_INTEGER) return true;
    } else if (typeof item === 'object' && item !== null && holdsWideNumber(item)) return true;
  }
  return false;
}

/** A plain recursive-descent parser that differs from JSON.parse only in making wide integers bigint. */
class WideParser {
  private at = 0;

  constructor(private readonly text: string) {}

  parse(): unknown {
    const value = this.value();
    this.skipSpace();
    if (this.at < this.text.length) throw this.fault();
    return value;
  }

  private value(): unknown {
    this.skipSpace();
    const first = this.text[this.at];
    if (first === '{') return this.object();
    if (first === '[') return this.array();
    if (first === '"') return this.string();
    return this.scalar();
  }

  private object(): JsonObject {
    const result: JsonObject = {};
    this.at += 1;
    for (let isFirst = true; !this.closes('}'); isFirst = false) {
      if (!isFirst) this.expect(',');
      this.skipSpace();
      const key = this.string();
      this.skipSpace();
      this.expect(':');
      const value = this.value();
      // As JSON.parse does: an own property even for __proto__.
      Object.defineProperty(result, key, { value, writable: true, enumerable: true, configurable: true });
    }
    return result;
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
    let end = start + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    this.at = end + 1;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  private scalar(): unknown {
    const start = this.at;
    while (this.at < this.text.length && !',]} \t\r\n'.includes(this.text[this.at]!)) this.at += 1;
    const source = this.text.slice(start, this.at);
    const value: unknown = JSON.parse(source);
    if (typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?[0-9]+$/.test(source)) return value;
    const wide = BigInt(source);
    return wide >= -(2n ** 63n) && wide < 2n ** 64n ? wide : value;
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
