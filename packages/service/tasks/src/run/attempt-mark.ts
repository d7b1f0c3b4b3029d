import { closeSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { BOOT_ID_LENGTH, bootId as nameOfBoot } from '@fossick/base';

/** What a process or thread was doing when it ended. */
export interface Attempt {
  /** A number of its own, not 0. */
  readonly id: number;
  /** Tasks that were running; none when the process waited for those in `waiting`. */
  readonly running: readonly number[];
  /** Tasks that waited because the process had ended while they ran (poison-tasks.ts). */
  readonly waiting: readonly number[];
  /** The running task was on trial. */
  readonly isTrial: boolean;
  /** How long they had run, in milliseconds, as far as known. */
  readonly ranMs: number;
  /** The process lives: only its thread ended. */
  readonly isOfThisProcess: boolean;
}

/**
 * Remembers which tasks are running or waiting for their trial, so that the next process knows which tasks may have
 * ended this one. It must outlive the process, not the machine, so it is never flushed.
 */
export interface AttemptMark {
  /** `running` are about to run, or nothing is while `waiting` wait. */
  write(attempt: Pick<Attempt, 'running' | 'waiting' | 'isTrial'>): void;
  /** The running tasks have run for this many milliseconds. */
  ranFor(ms: number): void;
  /** No task is running or on trial. */
  clear(): void;
  /** What the previous process or thread was doing when it ended; undefined when it ended normally. */
  read(): Attempt | undefined;
  close(): void;
}

/** A mark for logs that do not outlive their process. */
export const NO_MARK: AttemptMark = {
  write: () => {},
  ranFor: () => {},
  clear: () => {},
  read: () => undefined,
  close: () => {},
};

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
    write: (attempt) => tried(() => mark.write(attempt)),
    ranFor: (ms) => tried(() => mark.ranFor(ms)),
    clear: () => tried(() => mark.clear()),
  };
}

/** Follows the boot id. Earlier releases have a number of tasks here, so that neither understands the other's file. */
const FORM = 0xf055_0002;
/** Characters of the name of a process: a UUID. */
const PROCESS_NAME_LENGTH = 36;
const PROCESS_AT = BOOT_ID_LENGTH + 4;
const NUMBERS_AT = PROCESS_AT + PROCESS_NAME_LENGTH;
const [ID_AT, TRIAL_AT, RAN_AT, RUNNING_AT, WAITING_AT] = [0, 4, 8, 12, 16].map((at) => NUMBERS_AT + at) as [
  number,
  number,
  number,
  number,
  number,
];
const HEAD_BYTES = WAITING_AT + 4;
const U32_MAX = 0xffff_ffff;

/**
 * A mark in a file: `[36 bytes boot id][u32 form][36 bytes name of the process][u32 id][u32 trial][u32 milliseconds]
 * [u32 running][u32 waiting][u32 task uid]...[u32 running + waiting]`, little-endian; empty, or with no tasks, when
 * nothing is running. It is overwritten and never truncated, because a changing length is metadata that the file system
 * would have to write before other flushes. Writing is one unflushed system call of some 10 us. `processName`: up to 36
 * characters that no other process has. Throws the system's error when the file cannot be opened.
 */
export function openAttemptFile(file: string, processName = ''): AttemptMark {
  const descriptor = openSync(file, 'a+');
  closeSync(descriptor);
  const writable = openSync(file, 'r+');
  const bootId = nameOfBoot();
  const name = processName.slice(0, PROCESS_NAME_LENGTH).padEnd(PROCESS_NAME_LENGTH);
  const write = ({ running, waiting, isTrial }: Pick<Attempt, 'running' | 'waiting' | 'isTrial'>): void => {
    const uids = [...running, ...waiting];
    const bytes = Buffer.alloc(HEAD_BYTES + 4 * uids.length + 4);
    bytes.write(bootId, 'latin1');
    bytes.writeUInt32LE(FORM, BOOT_ID_LENGTH);
    bytes.write(name, PROCESS_AT, 'latin1');
    bytes.writeUInt32LE(1 + Math.floor(Math.random() * U32_MAX), ID_AT);
    bytes.writeUInt32LE(isTrial ? 1 : 0, TRIAL_AT);
    bytes.writeUInt32LE(running.length, RUNNING_AT);
    bytes.writeUInt32LE(waiting.length, WAITING_AT);
    for (const [at, uid] of uids.entries()) bytes.writeUInt32LE(uid, HEAD_BYTES + 4 * at);
    bytes.writeUInt32LE(uids.length, bytes.length - 4);
    // bytes that a longer mark left after this one are not read
    writeSync(writable, bytes, 0, bytes.length, 0);
  };
  const milliseconds = Buffer.alloc(4);
  return {
    write,
    ranFor(ms) {
      milliseconds.writeUInt32LE(Math.min(Math.round(ms), U32_MAX));
      writeSync(writable, milliseconds, 0, milliseconds.length, RAN_AT);
    },
    clear() {
      // an empty file means the same, and a full disk may have no space for more
      if (fstatSync(writable).size > 0) write({ running: [], waiting: [], isTrial: false });
    },
    read: () => attemptOf(readFileSync(file), bootId, name),
    close: () => closeSync(writable),
  };
}

function attemptOf(bytes: Buffer, bootId: string, processName: string): Attempt | undefined {
  if (bytes.length < HEAD_BYTES + 4 || bytes.toString('latin1', 0, BOOT_ID_LENGTH) !== bootId) return undefined;
  if (bytes.readUInt32LE(BOOT_ID_LENGTH) !== FORM) return undefined;
  const runningCount = bytes.readUInt32LE(RUNNING_AT);
  const count = runningCount + bytes.readUInt32LE(WAITING_AT);
  const end = HEAD_BYTES + 4 * count;
  // an incomplete mark is ignored
  if (count === 0 || bytes.length < end + 4 || bytes.readUInt32LE(end) !== count) return undefined;
  const uids = Array.from({ length: count }, (_, at) => bytes.readUInt32LE(HEAD_BYTES + 4 * at));
  return {
    id: bytes.readUInt32LE(ID_AT),
    running: uids.slice(0, runningCount),
    waiting: uids.slice(runningCount),
    isTrial: bytes.readUInt32LE(TRIAL_AT) === 1,
    ranMs: bytes.readUInt32LE(RAN_AT),
    isOfThisProcess: processName.trim() !== '' && bytes.toString('latin1', PROCESS_AT, NUMBERS_AT) === processName,
  };
}
