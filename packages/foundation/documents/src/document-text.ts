import { latin1Text } from '@fossick/base';
import { LOSSLESS_FLOAT_TYPE, unpackValue } from './document-codec.js';
import { floatText } from './json/lossless-number.js';
import { VECTORS_TYPE } from './vector-codec.js';

/** Strings that JSON does not escape and whose bytes are characters: most strings of most documents. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;
const HIDDEN_FIELD = '_vectors';

/** The JSON text of each field's name with its colon; undefined where hits do not show the field. */
export interface FieldTexts {
  readonly names: readonly (string | undefined)[];
}

/** To be made once for the field names of an index. O(names). */
export function fieldTexts(names: readonly string[]): FieldTexts {
  return {
    names: names.map((name) => (name === HIDDEN_FIELD ? undefined : `${JSON.stringify(name)}:`)),
  };
}

/**
 * The JSON text of a stored document (document-codec.ts) as a hit that shows all of it: fields in order of their ids, without
 * `_vectors`. It is made from the bytes directly: most strings are slices of one decoded string. Undefined for a value that must be decoded
 * instead.
 */
export function documentText(bytes: Uint8Array, fields: FieldTexts): string | undefined {
  return new DocumentReader(bytes).document(fields.names);
}

/** Walks the MessagePack of one document. */
class DocumentReader {
  private readonly bytes: Uint8Array;
  private view: DataView | undefined;
  /** The bytes as Latin-1: a slice of it is an ASCII string. */
  private readonly latin1: string;
  private at = 0;
  /** A value was met that must be decoded. */
  private needsDecoding = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.latin1 = latin1Text(bytes);
  }

  document(names: readonly (string | undefined)[]): string | undefined {
    const count = this.partCount();
    let text = '';
    let previous = -1;
    for (let i = 0; i < count && !this.needsDecoding; i += 2) {
      const id = Number(this.value());
      const value = this.value();
      if (id < previous) this.needsDecoding = true;
      previous = id;
      const name = names[id];
      if (name !== undefined) text += text === '' ? name + value : `,${name}${value}`;
    }
    return this.needsDecoding ? undefined : `{${text}}`;
  }

  private partCount(): number {
    const type = this.bytes[this.at++]!;
    if (type >= 0x90 && type < 0xa0) return type & 15;
    if (type === 0xdc) return this.unsigned(2);
    this.needsDecoding = true;
    return 0;
  }

  private value(): string {
    const type = this.bytes[this.at++]!;
    if (type < 0x80) return String(type);
    if (type < 0x90) return this.map(type & 15);
    if (type < 0xa0) return this.array(type & 15);
    if (type < 0xc0) return this.string(1, type & 31);
    if (type >= 0xe0) return String(type - 256);
    return this.longValue(type);
  }

  /** Types followed by their size or value. */
  private longValue(type: number): string {
    if (type === 0xc0) return 'null';
    if (type === 0xc2) return 'false';
    if (type === 0xc3) return 'true';
    if (type === 0xcb) return String(this.double());
    if (type >= 0xcc && type <= 0xce) return String(this.unsigned(1 << (type - 0xcc)));
    if (type >= 0xd0 && type <= 0xd2) return String(this.signed(1 << (type - 0xd0)));
    if (type === 0xd7 && this.bytes[this.at] === LOSSLESS_FLOAT_TYPE) return this.losslessFloat();
    if (type >= 0xc7 && type <= 0xc9) return this.vectors(1 << (type - 0xc7));
    if (type === 0xd9) return this.string(2, this.unsigned(1));
    if (type === 0xda) return this.string(3, this.unsigned(2));
    if (type === 0xdc) return this.array(this.unsigned(2));
    if (type === 0xde) return this.map(this.unsigned(2));
    this.needsDecoding = true;
    return '';
  }

  private string(headBytes: number, byteCount: number): string {
    const start = this.at;
    this.at += byteCount;
    const text = this.latin1.slice(start, this.at);
    if (PLAIN_TEXT.test(text)) return `"${text}"`;
    return JSON.stringify(unpackValue(this.bytes.subarray(start - headBytes, this.at)));
  }

  private array(count: number): string {
    let text = '';
    for (let i = 0; i < count && !this.needsDecoding; i++) text += i === 0 ? this.value() : `,${this.value()}`;
    return `[${text}]`;
  }

  private map(count: number): string {
    let text = '';
    for (let i = 0; i < count && !this.needsDecoding; i++) {
      const name = this.value();
      text += `${i === 0 ? '' : ','}${name}:${this.value()}`;
    }
    return `{${text}}`;
  }

  private losslessFloat(): string {
    this.at += 1;
    return floatText(this.double());
  }

  /** Skips vectors, which no hit shows in this form. */
  private vectors(lengthBytes: number): string {
    const byteCount = this.unsigned(lengthBytes);
    this.needsDecoding ||= this.bytes[this.at] !== VECTORS_TYPE;
    this.at += 1 + byteCount;
    return '';
  }

  private double(): number {
    this.at += 8;
    this.view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    return this.view.getFloat64(this.at - 8);
  }

  /** Byte by byte: a buffer's own methods check their arguments by four calls each, and a page of hits has hundreds of lengths. */
  private unsigned(byteCount: number): number {
    const end = this.at + byteCount;
    if (end > this.bytes.length) {
      this.needsDecoding = true; // the decoder reports the error
      return 0;
    }
    let value = 0;
    while (this.at < end) value = value * 256 + this.bytes[this.at++]!;
    return value;
  }

  private signed(byteCount: number): number {
    const value = this.unsigned(byteCount);
    const bound = 2 ** (8 * byteCount - 1);
    return value < bound ? value : value - 2 * bound;
  }
}
