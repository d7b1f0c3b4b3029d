import {
  CHUNK_BYTES,
  concatBytes,
  type RowSink,
  type RowSource,
  type SegmentPart,
  segmentKey,
  TABLES,
} from './rows.js';

/** Writes a part that getChunks reads, from pieces, with one chunk in memory. */
export class PartWriter {
  private readonly chunk = new Uint8Array(CHUNK_BYTES);
  private used = 0;
  private chunkCount = 0;

  constructor(
    private readonly sink: Pick<RowSink, 'put'>,
    private readonly segmentId: number,
    private readonly part: SegmentPart,
  ) {}

  /** Bytes appended so far. */
  get byteCount(): number {
    return this.chunkCount * CHUNK_BYTES + this.used;
  }

  append(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(piece.length - at, CHUNK_BYTES - this.used);
      this.chunk.set(piece.subarray(at, at + taken), this.used);
      this.used += taken;
      at += taken;
      if (this.used === CHUNK_BYTES) this.flush();
    }
  }

  finish(): void {
    if (this.used > 0) this.flush();
  }

  private flush(): void {
    this.sink.put(
      TABLES.segments,
      segmentKey(this.segmentId, this.part, this.chunkCount),
      this.chunk.slice(0, this.used),
    );
    this.chunkCount += 1;
    this.used = 0;
  }
}

/** Reads spans of a part in ascending order, with one chunk in memory. */
export class PartReader {
  private chunk = new Uint8Array(0);
  private chunkNumber = -1;

  constructor(
    private readonly rows: RowSource,
    private readonly segmentId: number,
    private readonly part: SegmentPart,
  ) {}

  /** Bytes [from, to); to be read before the next call. */
  read(from: number, to: number): Uint8Array {
    const pieces: Uint8Array[] = [];
    for (let at = from; at < to; ) {
      const number = Math.floor(at / CHUNK_BYTES);
      const base = number * CHUNK_BYTES;
      const piece = this.chunkAt(number).subarray(at - base, Math.min(CHUNK_BYTES, to - base));
      if (piece.length === 0) throw new Error(`segment ${this.segmentId} part ${this.part} ends before byte ${to}`);
      pieces.push(piece);
      at += piece.length;
    }
    return pieces.length === 1 ? pieces[0]! : concatBytes(pieces);
  }

  private chunkAt(number: number): Uint8Array {
    if (number !== this.chunkNumber) {
      const bytes = this.rows.get(TABLES.segments, segmentKey(this.segmentId, this.part, number));
      if (bytes === undefined) throw new Error(`segment ${this.segmentId} lacks chunk ${number} of part ${this.part}`);
      this.chunk = new Uint8Array(bytes);
      this.chunkNumber = number;
    }
    return this.chunk;
  }
}
