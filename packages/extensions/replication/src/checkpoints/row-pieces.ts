import type { Put, Snapshot } from '@fossick/storage';
import { decodeChanges, encodeChanges } from '@fossick/storage/changes';

/** Rows that are encoded, and written by one transaction, at a time. */
const PIECE_BYTES = 1 << 20;
const LENGTH_BYTES = 4;

/** Some rows: u32 length (little-endian) | a change set of that length, which only puts rows. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/** All rows of a snapshot in key order, table by table. A row of more than a piece is a piece. */
export function* piecesOf(snapshot: Snapshot): Generator<Piece> {
  for (const table of snapshot.tableNames) {
    let puts: Put[] = [];
    let bytes = 0;
    for (const { key, value } of snapshot.table(table).range({})) {
      puts.push({ kind: 'put', table, key, value });
      bytes += key.length + value.length;
      if (bytes < PIECE_BYTES) continue;
      yield encoded(puts);
      puts = [];
      bytes = 0;
    }
    if (puts.length > 0) yield encoded(puts);
  }
}

function encoded(puts: readonly Put[]): Piece {
  const rows = encodeChanges(puts);
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + rows.length);
  bytes.writeUInt32LE(rows.length);
  bytes.set(rows, LENGTH_BYTES);
  return { bytes, rows: puts.length };
}

/** Cuts bytes that come in chunks of any size into pieces again. */
export class PieceReader {
  private readonly head = Buffer.alloc(LENGTH_BYTES);
  private headFilled = 0;
  private body: Buffer | null = null;
  private bodyFilled = 0;
  private readonly bytesMax: number;

  /** @param bytesMax no piece is longer */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Whether the bytes so far end with a piece. */
  get isAtEnd(): boolean {
    return this.headFilled === 0;
  }

  /** Rows of the pieces that end in this chunk. Throws RangeError for bytes that are no pieces. */
  *push(chunk: Uint8Array): Generator<Put[]> {
    for (let at = 0; at < chunk.length; ) {
      if (this.body === null) {
        const taken = chunk.subarray(at, at + LENGTH_BYTES - this.headFilled);
        this.head.set(taken, this.headFilled);
        this.headFilled += taken.length;
        at += taken.length;
        if (this.headFilled < LENGTH_BYTES) return;
        const length = this.head.readUInt32LE();
        if (length === 0 || length > this.bytesMax) throw new RangeError(`a piece has ${length} bytes`);
        this.body = Buffer.allocUnsafe(length);
        this.bodyFilled = 0;
      }
      const taken = chunk.subarray(at, at + this.body.length - this.bodyFilled);
      this.body.set(taken, this.bodyFilled);
      this.bodyFilled += taken.length;
      at += taken.length;
      if (this.bodyFilled < this.body.length) return;
      const { body } = this;
      this.body = null;
      this.headFilled = 0;
      yield putsOf(body);
    }
  }
}

function putsOf(bytes: Uint8Array): Put[] {
  return decodeChanges(bytes).map((change) => {
    if (change.kind !== 'put') throw new RangeError('a piece does something else than to put rows');
    return change;
  });
}
