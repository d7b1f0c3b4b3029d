/** Bytes of the longest number that a double holds exactly. */
const NUMBER_BYTES_MAX = 8;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes of a number in `putNumber`. */
export function numberSize(value: number): number {
  let size = 1;
  for (let left = value; left >= 128; left = Math.floor(left / 128)) size += 1;
  return size;
}

/** Bytes of a field in `put`. */
export function fieldSize(bytes: Uint8Array): number {
  return numberSize(bytes.length) + bytes.length;
}

/**
 * Fields that are written or read from the start of bytes to their end: numbers as LEB128 in their shortest form, bytes
 * and texts after their length. Every sequence of fields has one encoding. Reading throws RangeError for bytes that
 * writing cannot have made, and allocates nothing that depends on a number in them; writing past the end is a fault of
 * the caller.
 */
export class ByteFields {
  readonly all: Uint8Array;
  private readonly subject: string;
  private at = 0;

  /** `subject`: names the bytes in errors. */
  constructor(all: Uint8Array, subject: string) {
    this.all = all;
    this.subject = subject;
  }

  get isAtEnd(): boolean {
    return this.at === this.all.length;
  }

  putByte(value: number): void {
    this.all[this.at++] = value;
  }

  /** An integer from 0 to 2^53 - 1. */
  putNumber(value: number): void {
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) this.putByte((left % 128) + 128);
    this.putByte(left);
  }

  put(bytes: Uint8Array): void {
    this.putNumber(bytes.length);
    this.all.set(bytes, this.at);
    this.at += bytes.length;
  }

  putText(text: string): void {
    this.put(encoder.encode(text));
  }

  takeByte(): number {
    if (this.isAtEnd) throw new RangeError(`${this.subject} ends too early`);
    return this.all[this.at++]!;
  }

  takeNumber(): number {
    let value = 0;
    let scale = 1;
    for (let size = 1; ; size += 1) {
      const byte = this.takeByte();
      value += (byte % 128) * scale;
      if (byte < 128) {
        const isShortest = size === 1 || byte > 0;
        if (!isShortest || !Number.isSafeInteger(value)) break;
        return value;
      }
      if (size === NUMBER_BYTES_MAX) break;
      scale *= 128;
    }
    throw new RangeError(`${this.subject} has a number that is too long`);
  }

  /** A view of the bytes of a field. */
  take(): Uint8Array {
    const length = this.takeNumber();
    if (length > this.all.length - this.at) throw new RangeError(`${this.subject} ends too early`);
    this.at += length;
    return this.all.subarray(this.at - length, this.at);
  }

  takeText(): string {
    try {
      return decoder.decode(this.take());
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw new RangeError(`${this.subject} has a text that is not UTF-8`, { cause: error });
    }
  }
}
