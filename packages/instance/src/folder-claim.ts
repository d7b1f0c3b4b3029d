import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootId } from '@fossick/base';
import { LaunchError } from '@fossick/configuration';
import { lockHolder, tryLockFile } from './file-lock.js';

/** Held by the server whose database it is. */
export const LOCK_FILE = 'LOCK';

/** The right of one server to a database folder. */
export interface FolderClaim {
  /** What the operator should know, or null. */
  readonly warning: string | null;
  /** Whoever had the folder last ended without a word, and not with the machine. */
  readonly isAfterDeath: boolean;
  /** The end of the process that comes now is wanted. */
  exonerate(): void;
  /** Ends it. */
  release(): void;
  /** Ends a start that came to nothing: a folder that it made, and that is empty, goes again. */
  abandon(): void;
}

/** Takes a folder for this process, made when missing, before anything in it is looked at. Throws LaunchError when another server has it. */
export function claimFolder(dbPath: string): FolderClaim {
  const isNew = !existsSync(dbPath);
  const file = join(dbPath, LOCK_FILE);
  const lock = takeLock(dbPath, file);
  if (lock === undefined) {
    const pid = lockHolder(file);
    const holder = pid === undefined ? 'another server' : `another server (process ${pid})`;
    throw new LaunchError(
      `the database in ${dbPath} is in use by ${holder}: stop that one, or start this one with another --db-path`,
    );
  }
  // the second line stands as long as an end of the process would be unexpected
  const exonerate = (): void => lock.note(`${process.pid}\n`);
  lock.note(`${process.pid}\n${bootId()}\n`);
  let isHeld = true;
  const release = (end: () => void): void => {
    if (isHeld) end();
    isHeld = false;
  };
  return {
    warning: lock.isGuarding
      ? null
      : `the database in ${dbPath} cannot be locked on this platform: make sure that no second server uses it`,
    isAfterDeath: lock.left.split('\n')[1] === bootId(),
    exonerate: () => isHeld && exonerate(),
    release: () =>
      release(() => {
        exonerate();
        lock.release();
      }),
    abandon: () =>
      release(() => {
        lock.remove();
        if (isNew && readdirSync(dbPath).length === 0) rmdirSync(dbPath);
      }),
  };
}

function takeLock(dbPath: string, file: string): ReturnType<typeof tryLockFile> {
  try {
    mkdirSync(dbPath, { recursive: true });
    return tryLockFile(file);
  } catch (error) {
    throw new LaunchError(`the database folder ${dbPath} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
