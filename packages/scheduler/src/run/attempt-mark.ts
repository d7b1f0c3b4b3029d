import { closeSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { BOOT_ID_LENGTH, bootId as nameOfBoot } from '@fossick/base';

/**
 * Remembers which tasks are being tried, so that whoever comes after the death of the process knows whom to suspect. It has to outlive the
 * process, not the machine: nobody waits for a disk.
 */
export interface AttemptMark {
  /** These tasks are begun. */
  write(taskUids: readonly number[]): void;
  /** Nothing is being tried any more. */
  clear(): void;
  /** The tasks that were being tried when the process or thread before this one ended; empty when it ended in order. */
  read(): readonly number[];
  close(): void;
}

/** A mark for logs that do not outlive their process. */
export const NO_MARK: AttemptMark = { write: () => {}, clear: () => {}, read: () => [], close: () => {} };

const HEAD_BYTES = BOOT_ID_LENGTH + 4;

/**
 * A mark in a file: `[36 bytes name of the boot][u32 count][u32 task uid]...[u32 count]`, little-endian; empty, or of no tasks, when nothing is tried. It is
 * overwritten and never cut: a length that changes is one more thing that a file system has to write down before what others flush.
 * Writing is one system call, some 10 us, and is never flushed. Throws what the system says when the file cannot be opened.
 */
export function openAttemptFile(file: string): AttemptMark {
  const descriptor = openSync(file, 'a+');
  closeSync(descriptor);
  const writable = openSync(file, 'r+');
  const bootId = nameOfBoot();
  const write = (taskUids: readonly number[]): void => {
    const bytes = Buffer.alloc(HEAD_BYTES + 4 * taskUids.length + 4);
    bytes.write(bootId, 'latin1');
    bytes.writeUInt32LE(taskUids.length, BOOT_ID_LENGTH);
    for (const [at, uid] of taskUids.entries()) bytes.writeUInt32LE(uid, HEAD_BYTES + 4 * at);
    bytes.writeUInt32LE(taskUids.length, bytes.length - 4);
    // what a longer mark leaves behind this one is not read
    writeSync(writable, bytes, 0, bytes.length, 0);
  };
  return {
    write,
    clear() {
      // an empty file says so already, and a full disk may have no room for more
      if (fstatSync(writable).size > 0) write([]);
    },
    read: () => taskUidsOf(readFileSync(file), bootId),
    close: () => closeSync(writable),
  };
}

function taskUidsOf(bytes: Buffer, bootId: string): readonly number[] {
  if (bytes.length < HEAD_BYTES + 4 || bytes.toString('latin1', 0, BOOT_ID_LENGTH) !== bootId) return [];
  const count = bytes.readUInt32LE(BOOT_ID_LENGTH);
  const end = HEAD_BYTES + 4 * count;
  // a mark that was not written to its end says nothing
  if (bytes.length < end + 4 || bytes.readUInt32LE(end) !== count) return [];
  return Array.from({ length: count }, (_, at) => bytes.readUInt32LE(HEAD_BYTES + 4 * at));
}
