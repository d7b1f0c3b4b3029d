import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootId } from '@fossick/base';
import { makeFolder } from '@fossick/base/durable-names';
import { LaunchError } from '../configuration/launch-error.js';
import { lockHolder, tryLockFile } from './file-lock.js';
import { refuseForeignFolder } from './foreign-folder.js';
import { expectUsableFolder } from './usable-folder.js';

/** Locked by the server of the database. */
export const LOCK_FILE = 'LOCK';

/** The exclusive use of a database folder by one server. */
export interface FolderClaim {
  /** A warning for the operator, or null. */
  readonly warning: string | null;
  /** The previous process ended unexpectedly, and not with the machine. */
  readonly isAfterDeath: boolean;
  /** Called before an intended end of the process. */
  expectEnd(): void;
  /** Ends it. */
  release(): void;
  /** Ends a failed start: a folder that it created, and that is empty, is removed. */
  abandon(): void;
}

/**
 * Claims a folder for this process, created when missing, before anything in it is opened. Throws LaunchError when
 * another server has it, or when it is that of another program. `extensions`: the names of those that are served.
 */
export function claimFolder(dbPath: string, extensions: readonly string[] = []): FolderClaim {
  expectUsableFolder(dbPath, extensions);
  refuseForeignFolder(dbPath);
  const isNew = !existsSync(dbPath);
  const file = join(dbPath, LOCK_FILE);
  const lock = takeLock(dbPath, file);
  if (lock === undefined) {
    const pid = lockHolder(file);
    const holder = pid === undefined ? 'another server' : `another server (process ${pid})`;
    throw new LaunchError(
      `the database in ${dbPath} is in use by ${holder}: stop that one, or name another folder with --db-path`,
    );
  }
  // the second line is there while an end of the process would be unexpected
  const expectEnd = (): void => lock.note(`${process.pid}\n`);
  lock.note(`${process.pid}\n${bootId()}\n`);
  const isAfterDeath = lock.left.split('\n')[1] === bootId();
  let isHeld = true;
  const release = (end: () => void): void => {
    if (isHeld) end();
    isHeld = false;
  };
  return {
    warning: lock.isGuarding
      ? null
      : `the database in ${dbPath} cannot be locked on this platform: make sure that no second server uses it`,
    isAfterDeath,
    expectEnd: () => isHeld && expectEnd(),
    release: () =>
      release(() => {
        expectEnd();
        lock.release();
      }),
    abandon: () =>
      release(() => {
        if (lock.left === '') lock.remove();
        else {
          // the next start has to know of the death that this one has found
          lock.note(lock.left);
          lock.release();
        }
        if (isNew && readdirSync(dbPath).length === 0) rmdirSync(dbPath);
      }),
  };
}

function takeLock(dbPath: string, file: string): ReturnType<typeof tryLockFile> {
  try {
    makeFolder(dbPath);
    return tryLockFile(file);
  } catch (error) {
    throw new LaunchError(`the database folder ${dbPath} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
