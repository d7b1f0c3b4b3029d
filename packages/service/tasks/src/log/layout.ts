import { keepingNames, type NameKeepingPacker } from '@fossick/base';
import { composeKey, text, u8, u32 } from '@fossick/storage';
import { Packr } from 'msgpackr';
import { indexUidOf } from '../task/content.js';
import type { Task } from '../task/task.js';

/** Tables of the task log in the instance store: docs/internals/storage-layout.md. */
export const tableNames = {
  tasks: 'tasks',
  batches: 'batches',
  meta: 'task-meta',
  sets: 'task-sets',
  columns: 'task-columns',
  payloads: 'task-payloads',
  errors: 'task-errors',
} as const;

const FORM = { useRecords: false, variableMapSize: true } as const;
/**
 * Without shared structures every value can be read on its own, in any thread and any later version. Objects get a
 * header of the size they need: one of fixed size is limited to 65,535 keys.
 */
export const packr: NameKeepingPacker = keepingNames(
  new Packr({ ...FORM, mapsAsObjects: true }),
  new Packr({ ...FORM, mapsAsObjects: false }),
);

/** Numbers of a task that filters compare; the position in this list is the number on disk. */
export const columnNames = ['enqueuedAt', 'startedAt', 'finishedAt', 'batchUid', 'canceledBy'] as const;
export type ColumnName = (typeof columnNames)[number];
/** Doubles per stored piece of a column: 4 KiB, one page. NaN stands for null. */
export const ROWS_PER_CHUNK = 512;

export const ALL_TASKS = 'all';
export const ALL_BATCHES = 'batches';
export const INDEX_PREFIX = 'index:';
/** Swaps that name an index: filters by index do not find them, but a later swap changes their names. */
export const SWAP_PREFIX = 'swap:';

export function setKey(name: string, chunk: number): Uint8Array {
  return composeKey(text(name), u32(chunk));
}
/** The key of a page of the errors of a task's skipped documents. */
export function errorKey(uid: number, page: number): Uint8Array {
  return composeKey(u32(uid), u32(page));
}
export function columnKey(column: ColumnName, chunk: number): Uint8Array {
  return composeKey(u8(columnNames.indexOf(column)), u32(chunk));
}
/** Names of the counters in the table `meta`. */
export type Counter = 'next-task' | 'next-batch';

export function metaKey(name: Counter): Uint8Array {
  return composeKey(text(name));
}

/** The key, in the table `meta`, of what was running or waiting. Only nodes of a shared log have it. */
export const ATTEMPT_KEY: Uint8Array = composeKey(text('attempt'));

/** The key, in the table `meta`, that is there once the sets of swaps are complete: earlier releases had none. */
export const SWAP_SETS_KEY: Uint8Array = composeKey(text('swap-sets'));

/** The sets a task is a member of. */
export function setNamesOf(task: Task): string[] {
  const names = [ALL_TASKS, `status:${task.status}`, `type:${task.content.type}`];
  const indexUid = indexUidOf(task.content);
  if (indexUid !== null) names.push(`${INDEX_PREFIX}${indexUid}`);
  if (task.content.type === 'indexSwap')
    for (const { indexes } of task.content.swaps) names.push(...indexes.map((uid) => `${SWAP_PREFIX}${uid}`));
  return names;
}
