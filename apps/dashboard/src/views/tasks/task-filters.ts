import type { TaskStatus, TaskType } from '@fossick/api';

/** The task types in the order of the API: the compiler refuses a list that lacks one. */
const EVERY_TYPE: Readonly<Record<TaskType, true>> = {
  documentAdditionOrUpdate: true,
  documentEdition: true,
  documentDeletion: true,
  settingsUpdate: true,
  indexCreation: true,
  indexDeletion: true,
  indexUpdate: true,
  indexSwap: true,
  taskCancelation: true,
  taskDeletion: true,
  dumpCreation: true,
  snapshotCreation: true,
  export: true,
  upgradeDatabase: true,
  indexCompaction: true,
  networkTopologyChange: true,
  dsrUpdate: true,
  dsrClear: true,
};
export const TASK_TYPES = Object.keys(EVERY_TYPE);

const COLORS: Readonly<Record<TaskStatus, string>> = {
  enqueued: 'gray',
  processing: 'blue',
  succeeded: 'pine',
  failed: 'red',
  canceled: 'yellow',
};
export const STATUS_COLORS: Readonly<Record<string, string>> = COLORS;
export const TASK_STATUSES = Object.keys(COLORS);

export interface TaskFilters {
  readonly statuses: readonly string[];
  readonly types: readonly string[];
  readonly indexUids: readonly string[];
}
export const NO_FILTERS: TaskFilters = { statuses: [], types: [], indexUids: [] };

/** The filters as query parameters, without empty ones. */
export function queryOfFilters(filters: TaskFilters): Record<string, string> {
  const said = Object.entries(filters).filter(([, values]: [string, readonly string[]]) => values.length > 0);
  return Object.fromEntries(said.map(([name, values]: [string, readonly string[]]) => [name, values.join(',')]));
}
