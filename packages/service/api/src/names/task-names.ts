/**
 * Task types in their canonical order. Stored by name; error listings use this order. Kinds of extensions that the reference engine
 * has, too, are among them: stored tasks, filters and the published types name them, and stay valid while an extension is left out.
 */
export const TASK_TYPE_NAMES = [
  'documentAdditionOrUpdate',
  'documentEdition',
  'documentDeletion',
  'settingsUpdate',
  'indexCreation',
  'indexDeletion',
  'indexUpdate',
  'indexSwap',
  'taskCancelation',
  'taskDeletion',
  'dumpCreation',
  'snapshotCreation',
  'export',
  'upgradeDatabase',
  'indexCompaction',
  'networkTopologyChange',
  'dsrUpdate',
  'dsrClear',
] as const;
export type TaskType = (typeof TASK_TYPE_NAMES)[number];
/** Those that extensions add. An extension may add others, whose names no type has. */
export type AddedTaskType = 'dumpCreation' | 'snapshotCreation' | 'export';
/** The name of a type in answers. */
export const shownTaskType = <T extends string>(type: T): Exclude<T, 'upgradeDatabase'> | 'databaseUpgrade' =>
  type === 'upgradeDatabase' ? 'databaseUpgrade' : (type as Exclude<T, 'upgradeDatabase'>);

export const TASK_STATUS_NAMES = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'] as const;
export type TaskStatus = (typeof TASK_STATUS_NAMES)[number];
