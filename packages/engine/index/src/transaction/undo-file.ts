import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { UndoFile } from './undo-log.js';

/** Opens an unlinked file in the folder, which vanishes with the process. Its methods throw with the system's `code`. */
export function openUndoFile(folder: string): UndoFile {
  const path = join(folder, `undo-${process.pid}`);
  const file = openSync(path, 'w+');
  rmSync(path);
  let byteCount = 0;
  return {
    append(piece) {
      for (let at = 0; at < piece.length; ) {
        const written = writeSync(file, piece, at, piece.length - at, byteCount);
        at += written;
        byteCount += written;
      }
    },
    read(from, length) {
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; ) {
        const count = readSync(file, bytes, at, length - at, from + at);
        if (count === 0) throw new Error('the file of what is to be undone ends too early');
        at += count;
      }
      return bytes;
    },
    close: () => closeSync(file),
  };
}
