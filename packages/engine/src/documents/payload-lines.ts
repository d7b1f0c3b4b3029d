import { closeSync, openSync, readSync } from 'node:fs';

const READ_BYTES = 1 << 20;
const LINE_FEED = 10;

/**
 * Calls `visit` with every non-blank line of an NDJSON file. Memory stays flat: one read buffer and the longest line.
 * `visit` answers false to stop early. Synchronous, because it runs inside one write transaction.
 */
export function visitPayloadLines(file: string, visit: (line: string) => boolean): void {
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
        if (!visitLine(buffer, start, at, visit)) return;
        start = at + 1;
      }
      if (readBytes === 0) {
        visitLine(buffer, start, end, visit);
        return;
      }
      buffer.copyWithin(0, start, end);
      heldBytes = end - start;
    }
  } finally {
    closeSync(descriptor);
  }
}

function visitLine(buffer: Buffer, start: number, end: number, visit: (line: string) => boolean): boolean {
  if (end <= start) return true;
  const line = buffer.toString('utf8', start, end);
  return line.trim() === '' ? true : visit(line);
}

function grown(buffer: Buffer): Buffer {
  const larger = Buffer.allocUnsafe(buffer.length * 2);
  buffer.copy(larger);
  return larger;
}
