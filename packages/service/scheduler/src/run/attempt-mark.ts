import { closeSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { BOOT_ID_LENGTH, bootId as nameOfBoot } from '@fossick/base';

/**
 * Remembers which tasks are running, so that the next process knows which tasks may have ended this one. It must
 * outlive the process, not the machine, so it is never flushed.
 */
export interface AttemptMark {
  /** These tasks are about to run. */
  write(taskUids: readonly number[]): void;
  /** No task is running. */
  clear(): void;
  /** The tasks that were running when the previous process or thread ended; empty when it ended normally. */
  read(): readonly number[];
  close(): void;
}

/** A mark for logs that do not outlive their process. */
export const NO_MARK: AttemptMark = { write: () => {}, clear: () => {}, read: () => [], close: () => {} };

/** The mark where the disk may fail: it helps against tasks that end their process, and the work does not wait for it. */
export function forgiving(mark: AttemptMark, onFault?: (error: unknown) => void): AttemptMark {
  const tried = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onFault?.(error);
    }
  };
  return {
    ...mark,
    write: (taskUids) => tried(() => mark.write(taskUids)),
    clear: () => tried(() => mark.clear()),
  };
}

const HEAD_BYTES = BOOT_ID_LENGTH + 4;

/**
 * A mark in a file: `[36 bytes boot id][u32 count][u32 task uid]...[u32 count]`, little-endian; empty, or with no
 * tasks, when nothing is running. It is overwritten and never truncated, because a changing length is metadata that the
 * file system would have to write before other flushes. Writing is one unflushed system call of some 10 us. Throws the
 * system's error when the file cannot be opened.
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
    // bytes that a longer mark left after this one are not read
    writeSync(writable, bytes, 0, bytes.length, 0);
  };
  return {
    write,
    clear() {
      // an empty file means the same, and a full disk may have no space for more
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
  // an incomplete mark is ignored
  if (bytes.length < end + 4 || bytes.readUInt32LE(end) !== count) return [];
  return Array.from({ length: count }, (_, at) => bytes.readUInt32LE(HEAD_BYTES + 4 * at));
}
