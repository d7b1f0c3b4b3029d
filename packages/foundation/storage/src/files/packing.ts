import { joinedBytes } from '@fossick/base';
import { DamagedFile } from './file-format.js';

/** The bytes as one gzip member. O(bytes) */
export async function packed(bytes: Uint8Array): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of piped(bytes, new CompressionStream('gzip'))) pieces.push(piece);
  return joinedBytes(pieces);
}

/**
 * The reverse. At most `maxBytes` are unpacked, so that a few bytes cannot take all memory.
 * @throws DamagedFile naming `file` for anything else than one whole gzip member of this many bytes
 */
export async function unpacked(bytes: Uint8Array, maxBytes: number, file: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let byteCount = 0;
  try {
    for await (const piece of piped(bytes, new DecompressionStream('gzip'))) {
      byteCount += piece.length;
      if (byteCount > maxBytes) throw new DamagedFile(file, `it unpacks to more than ${maxBytes} bytes`);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof DamagedFile) throw error;
    throw new DamagedFile(file, 'its checksum or its packing is wrong');
  }
  return pieces.length === 1 ? pieces[0]! : joinedBytes(pieces);
}

interface Transform {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

async function* piped(bytes: Uint8Array, stream: unknown): AsyncGenerator<Uint8Array> {
  // the boundary: libraries of Node.js and of browsers declare these streams with different types
  const { readable, writable } = stream as Transform;
  const writer = writable.getWriter();
  // errors are reported by the readable side as well
  const written = writer.write(bytes).then(
    () => writer.close(),
    () => undefined,
  );
  written.catch(() => undefined);
  const reader = readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
