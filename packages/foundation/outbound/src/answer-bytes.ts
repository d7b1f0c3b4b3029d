/** An answer is longer than its reader accepts. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the answer has more than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/**
 * All bytes of a body. Throws AnswerTooLongError as soon as it has more than `limitBytes`, and ends the connection then.
 * `onBytes` is called with the bytes so far; an exception of it ends the connection too.
 */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
  onBytes?: (bytes: number) => void,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    // leaving the loop ends the connection
    if (bytes > limitBytes) throw new AnswerTooLongError(limitBytes);
    onBytes?.(bytes);
    pieces.push(piece);
  }
  const [first] = pieces;
  if (pieces.length === 1) return Buffer.from(first!.buffer, first!.byteOffset, first!.length);
  return Buffer.concat(pieces);
}

/** The beginning of a body as text, at most `limitBytes` bytes of it; the rest is not read. */
export async function readBeginning(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= limitBytes) break;
  }
  return Buffer.concat(pieces).toString('utf8', 0, limitBytes);
}
