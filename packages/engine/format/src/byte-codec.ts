import type { DocId, DocIds } from '@fossick/base';

/** Appends LEB128 numbers to a growing buffer. */
export class ByteWriter {
  private buffer: Uint8Array;
  private at = 0;

  constructor(expectedBytes = 256) {
    this.buffer = new Uint8Array(Math.max(16, expectedBytes));
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.at++] = value;
  }

  /** An unsigned integer below 2^32, 1 to 5 bytes. */
  varint(value: number): void {
    this.reserve(5);
    let rest = value;
    while (rest >= 0x80) {
      this.buffer[this.at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.at++] = rest;
  }

  /** A count and the deltas of ascending ids. */
  docIds(docIds: ArrayLike<DocId>): void {
    this.varint(docIds.length);
    let previous = 0;
    for (let i = 0; i < docIds.length; i++) {
      this.varint(docIds[i]! - previous);
      previous = docIds[i]!;
    }
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.at);
  }

  private reserve(byteCount: number): void {
    if (this.at + byteCount <= this.buffer.length) return;
    const larger = new Uint8Array(this.buffer.length * 2 + byteCount);
    larger.set(this.buffer);
    this.buffer = larger;
  }
}

/** Reads what ByteWriter wrote. */
export class ByteReader {
  private readonly buffer: Uint8Array;
  private at: number;

  constructor(buffer: Uint8Array, at = 0) {
    this.buffer = buffer;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.buffer.length;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.buffer[this.at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  docIds(): DocIds {
    const docIds = new Uint32Array(this.varint()) as DocIds;
    let previous = 0;
    for (let i = 0; i < docIds.length; i++) {
      previous += this.varint();
      docIds[i] = previous as DocId;
    }
    return docIds;
  }
}
