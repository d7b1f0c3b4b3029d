/**
 * Locks that end with their process, however it ends: the operating system keeps them, so none is ever stale, and of
 * two concurrent attempts one succeeds (docs/internals/decisions/storage.md).
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

export interface FileLock {
  /** False where the platform or the file system has no such locks: then other processes are not prevented. */
  readonly isGuarding: boolean;
  /** The text that its last holder left in the file. */
  readonly left: string;
  /** Replaces the text in the file, for readers and the next holder; the lock itself does not need it. */
  note(text: string): void;
  release(): void;
  /** Releases it and removes its file. */
  remove(): void;
}

type TryLock = (descriptor: number) => boolean;
/** Errors of a file system without locks. */
const UNSUPPORTED = new Set(['ENOLCK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

/**
 * Takes the lock on a file, created when missing, without waiting; undefined when another process, or another part of
 * this one, holds it.
 */
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
    // its last holder may have removed the file between opening and locking it here
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

/** The process that took the lock last, as far as known. */
export function lockHolder(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

const REFUSED = new Error('the lock is taken');

/** Whether the file system supports the lock, which is taken now; throws REFUSED when another process holds it. */
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
    // a full disk does not prevent locking
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
