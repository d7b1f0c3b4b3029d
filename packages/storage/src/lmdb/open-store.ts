import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ApiError, apiError } from '@fossick/base';
import { flushFolder } from '../durable-files.js';
import type { Store } from '../store.js';
import { copyRows } from './copy-rows.js';
import { markDamage } from './damage-mark.js';
import { open, SUMS_TABLE } from './lmdb-store.js';
import type { Walked } from './page-walk.js';
import { DATA_FILE, inspectStoreFile, lacksFreeList, walkStoreFile } from './store-file.js';
import { markUnwalked, readUnwalked } from './unwalked-mark.js';

export interface LmdbStoreOptions {
  /** Created with its parents when missing; holds data.mdb and lock.mdb. */
  readonly folder: string;
  /** Address space for the file at first, which grows with it; not memory, not disk. */
  readonly mapBytes?: number;
  /** Told after each commit how many milliseconds passed between the last write of its rows and its return: what the disk took. */
  readonly onCommit?: (waitedMs: number) => void;
}

const MENDED_SUFFIX = '.mended';
/** Unexpected ends of processes in a row that make a store suspect which each of them had open: as many attempts as a task has. */
const SUSPECT_DEATHS = 3;
/** So many times a suspect store is looked at to its end. An operator may lose patience with the first. */
const LONG_LOOKS = 2;

/**
 * Opens (or creates) the store of a folder. Any number of worker threads of one process may open the same folder:
 * writers wait for one another, readers never wait, not even to open it, and see the last commit of any of them. Throws
 * ApiError invalid_store_file for a file that cannot be read, and with the system's `code` when there is no room or no
 * file descriptor left.
 */
export function openLmdbStore(options: LmdbStoreOptions): Store {
  const { folder, mapBytes, onCommit } = options;
  mkdirSync(folder, { recursive: true });
  mendStore(folder);
  return open(folder, mapBytes, onCommit);
}

/**
 * Brings the store of a folder into order that an earlier release compacted (`lacksFreeList`), which nobody may have open. Answers
 * whether there was something to do. Throws like openLmdbStore. Two reads, O(bytes) when something is to be done.
 */
export function mendStore(folder: string): boolean {
  const { head, damage } = inspectStoreFile(folder);
  if (damage !== undefined) throw damaged(folder, damage);
  if (head === undefined || !lacksFreeList(head)) return false;
  const mended = `${folder}${MENDED_SUFFIX}`;
  rmSync(mended, { recursive: true, force: true });
  const store = open(folder);
  try {
    store.snapshot((snapshot) => {
      for (const _ of copyRows(snapshot, mended, open));
    });
  } finally {
    void store.close();
  }
  renameSync(join(mended, DATA_FILE), join(folder, DATA_FILE));
  flushFolder(folder);
  rmSync(mended, { recursive: true, force: true });
  flushFolder(dirname(folder));
  return true;
}

/** What looking at a store before it is opened came to. */
export interface StoreCheck {
  /** It was compacted by an earlier release and has been written again (mendStore). */
  readonly isMended: boolean;
  /** False when time was up before all of it was looked at. */
  readonly isWhole: boolean;
  /** Processes in a row that ended unexpectedly while they had it open, for which it was looked at to its end; 0 when there was no such reason. */
  readonly suspectedFor: number;
}

/** When to give up, and whether the process that had the database last ended unexpectedly. */
export interface StoreLook {
  /** By performance.now(). */
  readonly untilMs: number;
  readonly isAfterDeath?: boolean;
}

/**
 * Looks at all of the store of a folder which nobody has open, until time is up or it is sure that it will not suffice; what is damaged is marked, and refused by every opening
 * until a later look finds it whole. A wrong page may end a process without a word: a store that several in a row did not outlive is looked
 * at to its end, however long that takes, and is taken for damaged when nobody lives to see that end. Throws ApiError invalid_store_file.
 * O(bytes)
 */
export function checkStore(folder: string, { untilMs, isAfterDeath = false }: StoreLook): StoreCheck {
  const deaths = isAfterDeath ? deathsWith(folder) : 0;
  const isSuspect = deaths >= SUSPECT_DEATHS;
  // written before, for this process may not live to see the end of a look without an end
  if (isSuspect) markUnwalked(folder, deaths);
  // Of a file that was left in order a part is not worth the seconds that every start of a large one would take.
  const onlyWhole = !isAfterDeath;
  const look = { sumsTable: SUMS_TABLE, untilMs: isSuspect ? Number.POSITIVE_INFINITY : untilMs, onlyWhole };
  const { damage, isWhole } = deaths >= SUSPECT_DEATHS + LONG_LOOKS ? unseen(deaths) : walkStoreFile(folder, look);
  markUnwalked(folder, isWhole ? undefined : deaths);
  if (damage !== undefined || isWhole) markDamage(folder, damage);
  if (damage !== undefined) throw damaged(folder, damage);
  return { isMended: mendStore(folder), isWhole, suspectedFor: isSuspect ? deaths : 0 };
}

/** Processes in a row that had the store open and ended unexpectedly, the last one among them. */
function deathsWith(folder: string): number {
  const { deaths, wasOpened } = readUnwalked(folder) ?? { deaths: 0, wasOpened: false };
  // one that is suspected already is being looked at before anybody opens it
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
