import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const UNFINISHED = '.partial';

/**
 * Writes a file that is there as a whole or not at all, also after a death or on a full disk: anyone who finds it takes it
 * for complete. It is not flushed. Rejects with the errors of the chunks and of the file.
 */
export async function writeWhole(
  file: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const unfinished = `${file}${UNFINISHED}`;
  try {
    await pipeline(Readable.from(chunks), createWriteStream(unfinished));
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}
