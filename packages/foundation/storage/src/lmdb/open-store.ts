import { renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ApiError, apiError } from '@fossick/base';
import { flushFolder, makeFolder } from '@fossick/base/durable-names';
import type { BeforeCommit } from '../changes/change-set.js';
import type { Store } from '../store.js';
import { copyRows } from './copy-rows.js';
import { markDamage } from './file/damage-mark.js';
import type { Walked } from './file/page-walk.js';
import { DATA_FILE, inspectStoreFile, lacksFreeList, walkStoreFile } from './file/store-file.js';
import { markUnwalked, readUnwalked } from './file/unwalked-mark.js';
import { open, SUMS_TABLE } from './lmdb-store.js';

export interface LmdbStoreOptions {
  /** Created with its parents when missing; contains data.mdb and lock.mdb. New names survive a power cut. */
  readonly folder: string;
  /** False: a missing folder is an error with the code `ENOENT`, and nothing is created. True by default. */
  readonly mayCreate?: boolean;
  /** Initial address space for the file, which grows with it; neither memory nor disk. */
  readonly mapBytes?: number;
  /**
   * Called after each commit with the milliseconds between the last write of its rows and its return: the time of the
   * disk.
   */
  readonly onCommit?: (waitedMs: number) => void;
  /**
   * Asked before each commit of this handle, with its changes; other handles of the folder have their own. While it runs,
   * the lock of LMDB's writers is held, and readers see the last commit. Without it nothing is recorded.
   */
  readonly beforeCommit?: BeforeCommit;
}

const REPAIRED_SUFFIX = '.repaired';
/**
 * Consecutive unexpected ends of processes that make a store suspect when each of them had it open: as many attempts as
 * a task has.
 */
const SUSPECT_DEATHS = 3;
/** How often a suspect store is checked to its end. An operator may interrupt the first check. */
const LONG_LOOKS = 2;

/**
 * Opens (or creates) the store of a folder. Any number of worker threads of one process may open the same folder:
 * writers wait for one another, readers never wait, not even to open it, and see the last commit of any of them. Throws
 * ApiError invalid_store_file for a file that cannot be read, and with the system's `code` when the disk is full or no
 * file descriptor is left.
 */
export function openLmdbStore(options: LmdbStoreOptions): Store {
  const { folder, mapBytes, mayCreate = true } = options;
  if (mayCreate) makeFolder(folder);
  else statSync(join(folder, DATA_FILE));
  repairStore(folder);
  return open(folder, mapBytes, options);
}

/**
 * Repairs the store of a folder that an earlier release compacted (`lacksFreeList`) and that is not open. Returns
 * whether there was something to do. Throws like openLmdbStore. Two reads; O(bytes) when a repair is needed.
 */
export function repairStore(folder: string): boolean {
  const { head, damage } = inspectStoreFile(folder);
  if (damage !== undefined) throw damaged(folder, damage);
  if (head === undefined || !lacksFreeList(head)) return false;
  const repaired = `${folder}${REPAIRED_SUFFIX}`;
  rmSync(repaired, { recursive: true, force: true });
  const store = open(folder);
  try {
    store.snapshot((snapshot) => {
      for (const _ of copyRows(snapshot, repaired, open));
    });
  } finally {
    void store.close();
  }
  renameSync(join(repaired, DATA_FILE), join(folder, DATA_FILE));
  flushFolder(folder);
  rmSync(repaired, { recursive: true, force: true });
  flushFolder(dirname(folder));
  return true;
}

/** The result of checking a store before it is opened. */
export interface StoreCheck {
  /** It was compacted by an earlier release and has been rewritten (repairStore). */
  readonly isRepaired: boolean;
  /** False when the time limit came first. */
  readonly isWhole: boolean;
  /**
   * Consecutive processes that ended unexpectedly while they had it open, which is why it was checked to its end; 0
   * otherwise.
   */
  readonly suspectedFor: number;
}

/** The time limit, and whether the last process that had the database open ended unexpectedly. */
export interface StoreCheckLimits {
  /** By performance.now(). */
  readonly untilMs: number;
  readonly isAfterDeath?: boolean;
  /** False: damage is not marked, for a store that nobody opens when this check finds damage. True by default. */
  readonly isMarked?: boolean;
}

/**
 * Checks the store of a folder that nobody has open, until the time limit or until it is clear that the limit will not
 * suffice; damage is marked, and every opening refuses the store until a later check finds it whole. A wrong page may
 * end a process without a message: a store that several consecutive processes did not survive is checked to its end,
 * however long that takes, and counts as damaged when no process survives that check either. Throws ApiError
 * invalid_store_file. O(bytes)
 */
export function checkStore(
  folder: string,
  { untilMs, isAfterDeath = false, isMarked = true }: StoreCheckLimits,
): StoreCheck {
  const deaths = isAfterDeath ? deathsWith(folder) : 0;
  const isSuspect = deaths >= SUSPECT_DEATHS;
  // written before the check, because this process may not survive it
  if (isSuspect) markUnwalked(folder, deaths);
  // If the last process ended in order, checking only a part is not worth the seconds that every start of a large store
  // would take.
  const onlyWhole = !isAfterDeath;
  const look = { sumsTable: SUMS_TABLE, untilMs: isSuspect ? Number.POSITIVE_INFINITY : untilMs, onlyWhole };
  const { damage, isWhole } = deaths >= SUSPECT_DEATHS + LONG_LOOKS ? unseen(deaths) : walkStoreFile(folder, look);
  if (damage === undefined || isMarked) {
    markUnwalked(folder, isWhole ? undefined : deaths);
    if (damage !== undefined || isWhole) markDamage(folder, damage);
  }
  if (damage !== undefined) throw damaged(folder, damage);
  return { isRepaired: repairStore(folder), isWhole, suspectedFor: isSuspect ? deaths : 0 };
}

/** Consecutive processes that had the store open and ended unexpectedly, including the last one. */
function deathsWith(folder: string): number {
  const { deaths, wasOpened } = readUnwalked(folder) ?? { deaths: 0, wasOpened: false };
  // a store that is already suspect is checked before it is opened
  return wasOpened || deaths >= SUSPECT_DEATHS ? deaths + 1 : deaths;
}

function unseen(deaths: number): Walked {
  const damage =
    `${deaths} processes in a row ended unexpectedly while they had it open or looked at it; ` +
    '`fossick check` looks at all of it';
  return { damage, isWhole: true };
}

function damaged(folder: string, damage: string): ApiError {
  return apiError('invalid_store_file', 'file', join(folder, DATA_FILE), damage);
}
