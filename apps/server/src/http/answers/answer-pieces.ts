import { Readable } from 'node:stream';

/** Bytes that are passed to a connection at once. */
const PIECE_BYTES = 64 * 1024;
/** Answers up to this size are sent in one piece: a client that reads 5 KB/s takes all of it within the limit of time. */
const WHOLE_BYTES = 256 * 1024;

/** Whether the progress of its client must be followed piece by piece. */
export function isSentInPieces(byteCount: number): boolean {
  return byteCount > WHOLE_BYTES;
}

/**
 * The bytes of an answer, piece by piece as the connection takes them; a part that is taken is forgotten. `onPiece` is
 * called for each piece with its bytes.
 */
export class AnswerPieces extends Readable {
  private readonly parts: Buffer[];
  private readonly onPiece: (byteCount: number) => void;
  private at = 0;

  constructor(parts: readonly Buffer[], onPiece: (byteCount: number) => void) {
    super({ highWaterMark: 1 });
    this.parts = parts.filter(({ length }) => length > 0).reverse();
    this.onPiece = onPiece;
  }
  override _read(): void {
    const part = this.parts.at(-1);
    if (part === undefined) return void this.push(null);
    const end = Math.min(part.length, this.at + PIECE_BYTES);
    this.onPiece(end - this.at);
    const piece = part.subarray(this.at, end);
    this.at = end;
    if (end === part.length) {
      this.parts.pop();
      this.at = 0;
    }
    this.push(piece);
    if (this.parts.length === 0) this.push(null);
  }
}
