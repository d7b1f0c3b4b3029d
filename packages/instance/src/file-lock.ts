/**
 * Locks that end with the process that holds them, however it ends: the kernel keeps them, so none is ever stale, and of two that ask at
 * the same instant one gets it (decision 0030).
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

export interface FileLock {
  /** False where the platform or the file system has no such locks: nobody else is kept out then. */
  readonly isGuarding: boolean;
  /** What its last holder left in the file. */
  readonly left: string;
  /** Writes into the file, in place of what is there, for whoever looks at it or takes the lock next; the lock does not need it. */
  note(text: string): void;
  release(): void;
  /** Releases it and takes its file away. */
  remove(): void;
}

type TryLock = (descriptor: number) => boolean;
/** What a file system says that knows no locks. */
const UNSUPPORTED = new Set(['ENOLCK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

/** Takes the lock on a file, made when missing, without waiting; undefined when somebody else, or another part of this process, has it. */
export function tryLockFile(file: string): FileLock | undefined {
  const tryLock = loadTryLock();
  for (;;) {
    const descriptor = openSync(file, 'a+');
    let isGuarding: boolean;
    try {
      isGuarding = tryLock !== undefined && isTaken(tryLock, descriptor);
    } catch (error) {
      closeSync(descriptor);
      if (error === REFUSED) return undefined;
      throw error;
    }
    // its last holder may have removed the file between our opening and locking it
    if (isGuarding && !isSameFile(descriptor, file)) {
      closeSync(descriptor);
      continue;
    }
    const left = readFileSync(descriptor, 'utf8');
    const note = (text: string): void => writeNote(descriptor, text);
    note(`${process.pid}\n`);
    const release = (): void => closeSync(descriptor);
    return {
      isGuarding,
      left,
      note,
      release,
      remove() {
        rmSync(file, { force: true });
        release();
      },
    };
  }
}

/** The process that took the lock last, as far as can be told. */
export function lockHolder(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

const REFUSED = new Error('the lock is taken');

/** Whether the file system keeps the lock from now on; throws REFUSED when somebody else has it. */
function isTaken(tryLock: TryLock, descriptor: number): boolean {
  let isFree: boolean;
  try {
    isFree = tryLock(descriptor);
  } catch (error) {
    if (UNSUPPORTED.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
  if (!isFree) throw REFUSED;
  return true;
}

function isSameFile(descriptor: number, file: string): boolean {
  const there = statSync(file, { throwIfNoEntry: false });
  const held = fstatSync(descriptor);
  return there !== undefined && there.ino === held.ino && there.dev === held.dev;
}

function writeNote(descriptor: number, text: string): void {
  try {
    ftruncateSync(descriptor);
    writeSync(descriptor, text);
  } catch {
    // a full disk is no reason to be without a lock
  }
}

let loaded: { readonly tryLock: TryLock | undefined } | undefined;

/** Undefined where the library has no build for the platform. */
function loadTryLock(): TryLock | undefined {
  if (loaded === undefined) {
    try {
      loaded = createRequire(import.meta.url)('fs-native-extensions') as { readonly tryLock: TryLock };
    } catch {
      loaded = { tryLock: undefined };
    }
  }
  return loaded.tryLock;
}
