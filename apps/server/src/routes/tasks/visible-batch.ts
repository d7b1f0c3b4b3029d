import { TASK_STATUS_NAMES, TASK_TYPE_NAMES } from '@fossick/api';
import type { Access } from '@fossick/instance/access';
import type { Batch, TaskFilters, TaskLog } from '@fossick/tasks';

/**
 * A batch as a key that is restricted to some indexes may see it. A cancelation is in one batch with the tasks that it
 * canceled, of any index: only those of the key's indexes are counted, and the details, which belong to the
 * cancelation, are left out. O(tasks of the log / 8) bytes for each status and type, for such batches only.
 */
export function visibleBatch(
  batch: Batch,
  access: Pick<Access, 'allIndexes' | 'allowsIndex'>,
  log: Pick<TaskLog, 'count'>,
): Batch {
  if (access.allIndexes) return batch;
  const { stats } = batch;
  const names = Object.keys(stats.indexUids);
  const visible = names.filter((name) => access.allowsIndex(name));
  const ofIndexes = Object.values(stats.indexUids).reduce((sum, count) => sum + count, 0);
  if (visible.length === names.length && ofIndexes === stats.totalNbTasks) return batch;
  const seen = (more: TaskFilters): number =>
    log.count({ batchUids: [batch.uid], isIndexVisible: (uid) => access.allowsIndex(uid), ...more });
  const counts = <T extends string>(all: readonly T[], more: (name: T) => TaskFilters): { [name in T]?: number } => {
    const some = all.map((name) => [name, seen(more(name))] as const).filter(([, count]) => count > 0);
    return Object.fromEntries(some) as { [name in T]?: number };
  };
  return {
    ...batch,
    details: {},
    stats: {
      ...stats,
      totalNbTasks: seen({}),
      status: counts(TASK_STATUS_NAMES, (status) => ({ statuses: [status] })),
      types: counts(
        TASK_TYPE_NAMES.filter((type) => stats.types[type] !== undefined),
        (type) => ({ types: [type] }),
      ),
      indexUids: Object.fromEntries(Object.entries(stats.indexUids).filter(([name]) => access.allowsIndex(name))),
    },
  };
}
