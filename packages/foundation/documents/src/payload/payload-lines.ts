import { closeSync, openSync, readSync } from 'node:fs';

const READ_BYTES = 1 << 20;
const LINE_FEED = 10;

/**
 * Every non-blank line of an NDJSON file. Memory: one read buffer and the longest line. Synchronous, because it runs
 * inside write transactions. Throws errors of the file system.
 */
export function* payloadLines(file: string): Generator<string> {
  const descriptor = openSync(file, 'r');
  try {
    let buffer: Buffer = Buffer.allocUnsafe(READ_BYTES);
    let heldBytes = 0;
    for (;;) {
      if (heldBytes === buffer.length) buffer = grown(buffer);
      const readBytes = readSync(descriptor, buffer, heldBytes, buffer.length - heldBytes, null);
      const end = heldBytes + readBytes;
      let start = 0;
      for (let at = buffer.indexOf(LINE_FEED, heldBytes); at >= 0 && at < end; at = buffer.indexOf(LINE_FEED, start)) {
        const line = lineAt(buffer, start, at);
        if (line !== undefined) yield line;
        start = at + 1;
      }
      if (readBytes === 0) {
        const line = lineAt(buffer, start, end);
        if (line !== undefined) yield line;
        return;
      }
      buffer.copyWithin(0, start, end);
      heldBytes = end - start;
    }
  } finally {
    closeSync(descriptor);
  }
}

function lineAt(buffer: Buffer, start: number, end: number): string | undefined {
  if (end <= start) return undefined;
  const line = buffer.toString('utf8', start, end);
  return line.trim() === '' ? undefined : line;
}

function grown(buffer: Buffer): Buffer {
  const larger = Buffer.allocUnsafe(buffer.length * 2);
  buffer.copy(larger);
  return larger;
}
