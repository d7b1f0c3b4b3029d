import type { SegmentId } from '@fossick/base';
import {
  type PartLocation,
  type RowReader,
  type RowSink,
  type RowSource,
  readRow,
  type SegmentPart,
  segmentKey,
  TABLES,
} from './rows.js';

/** Writes a part from pieces, with one row in memory. */
export class PartWriter {
  private readonly sink: Pick<RowSink, 'put'>;
  private readonly segmentId: SegmentId;
  private readonly part: SegmentPart;
  private readonly chunk: Uint8Array;
  private used = 0;
  private nextChunk: number;
  private writtenBytes = 0;

  constructor(sink: Pick<RowSink, 'put'>, { segmentId, part, firstChunk, rowBytes }: PartLocation) {
    this.sink = sink;
    this.segmentId = segmentId;
    this.part = part;
    this.chunk = new Uint8Array(rowBytes);
    this.nextChunk = firstChunk;
  }

  /** Bytes appended so far. */
  get byteCount(): number {
    return this.writtenBytes + this.used;
  }

  append(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(piece.length - at, this.chunk.length - this.used);
      this.chunk.set(piece.subarray(at, at + taken), this.used);
      this.used += taken;
      at += taken;
      if (this.used === this.chunk.length) this.flush();
    }
  }

  finish(): void {
    if (this.used > 0) this.flush();
  }

  private flush(): void {
    // the sink copies rows
    this.sink.put(
      TABLES.segments,
      segmentKey(this.segmentId, this.part, this.nextChunk),
      this.chunk.subarray(0, this.used),
    );
    this.nextChunk += 1;
    this.writtenBytes += this.used;
    this.used = 0;
  }
}

/** Reads spans of a part in ascending order, with one chunk in memory. */
export class PartReader {
  private readonly rows: RowSource | RowReader;
  private readonly location: PartLocation;
  private readonly buffer: Uint8Array;
  private chunk: Uint8Array;
  private chunkNumber = -1;

  constructor(rows: RowSource | RowReader, location: PartLocation) {
    this.rows = rows;
    this.location = location;
    this.buffer = new Uint8Array(location.rowBytes);
    this.chunk = this.buffer.subarray(0, 0);
  }

  /** Bytes [from, to); valid until the next call. */
  read(from: number, to: number): Uint8Array {
    const first = this.pieceAt(from, to);
    if (first.length === to - from) return first;
    // the next chunk overwrites this one
    const whole = new Uint8Array(to - from);
    for (let at = from, piece = first; ; piece = this.pieceAt(at, to)) {
      whole.set(piece, at - from);
      at += piece.length;
      if (at >= to) return whole;
    }
  }

  /** The bytes of [from, to) that one chunk has, from its first byte on. */
  private pieceAt(from: number, to: number): Uint8Array {
    if (from >= to) return this.buffer.subarray(0, 0);
    const { segmentId, part, rowBytes } = this.location;
    const number = Math.floor(from / rowBytes);
    if (number !== this.chunkNumber) this.load(number);
    const base = number * rowBytes;
    const piece = this.chunk.subarray(from - base, to - base);
    if (piece.length === 0) throw new Error(`segment ${segmentId} part ${part} ends before byte ${to}`);
    return piece;
  }

  private load(number: number): void {
    const take = (row: Uint8Array): boolean => {
      this.buffer.set(row);
      this.chunk = this.buffer.subarray(0, row.length);
      return true;
    };
    const { segmentId, part, firstChunk } = this.location;
    if (!readRow(this.rows, segmentKey(segmentId, part, firstChunk + number), take))
      throw new Error(`segment ${segmentId} lacks chunk ${number} of part ${part}`);
    this.chunkNumber = number;
  }
}
