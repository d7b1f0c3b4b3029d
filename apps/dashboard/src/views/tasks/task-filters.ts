/** The task types, in the order of the API. */
export const TASK_TYPES = [
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
] as const;
export const TASK_STATUSES = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'] as const;

export const STATUS_COLORS: Readonly<Record<string, string>> = {
  enqueued: 'gray',
  processing: 'blue',
  succeeded: 'pine',
  failed: 'red',
  canceled: 'yellow',
};

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
