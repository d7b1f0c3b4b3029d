import { Readable } from 'node:stream';

/** Bytes that are passed to a connection at once. */
const PIECE_BYTES = 64 * 1024;
/** Answers up to this size are sent in one piece: a client that reads 5 KB/s takes all of it within the limit of time. */
const WHOLE_BYTES = 256 * 1024;

/** Whether the progress of its client must be followed piece by piece. */
export function isSentInPieces(bytes: Buffer): boolean {
  return bytes.length > WHOLE_BYTES;
}

/** The bytes of an answer, piece by piece as the connection takes them. `onPiece` is called for each with its bytes. */
export class AnswerPieces extends Readable {
  private readonly bytes: Buffer;
  private readonly onPiece: (byteCount: number) => void;
  private at = 0;

  constructor(bytes: Buffer, onPiece: (byteCount: number) => void) {
    super({ highWaterMark: 1 });
    this.bytes = bytes;
    this.onPiece = onPiece;
  }
  override _read(): void {
    const end = Math.min(this.bytes.length, this.at + PIECE_BYTES);
    this.onPiece(end - this.at);
    this.push(this.bytes.subarray(this.at, end));
    this.at = end;
    if (end === this.bytes.length) this.push(null);
  }
}
