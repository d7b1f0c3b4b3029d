import { TASK_STATUS_NAMES } from '@fossick/api';
import type { Access } from '@fossick/instance/access';
import type { Batch, TaskFilters, TaskLog } from '@fossick/tasks';

/**
 * A batch as a key may see it that is restricted to some indexes, or from which some are hidden. A cancelation is in one
 * batch with the tasks that it canceled, of any index: only visible ones are counted, and the details, which belong to
 * the cancelation, are left out for a key that does not see it. O(tasks of the log / 8) bytes for each status and type,
 * for such batches only.
 */
export function visibleBatch(
  batch: Batch,
  { hiddenIndexes, allowsIndex }: Pick<Access, 'hiddenIndexes' | 'allowsIndex'>,
  log: Pick<TaskLog, 'count'>,
): Batch {
  const { stats } = batch;
  const names = Object.keys(stats.indexUids);
  const visible = names.filter((name) => allowsIndex(name));
  const ofIndexes = Object.values(stats.indexUids).reduce((sum, count) => sum + count, 0);
  const seesOthers = hiddenIndexes !== null || ofIndexes === stats.totalNbTasks;
  if (visible.length === names.length && seesOthers) return batch;
  const limits = hiddenIndexes === null ? { isIndexVisible: allowsIndex } : { hiddenIndexUids: hiddenIndexes };
  const seen = (more: TaskFilters): number => log.count({ batchUids: [batch.uid], ...limits, ...more });
  const counts = <T extends string>(all: readonly T[], more: (name: T) => TaskFilters): { [name in T]?: number } => {
    const some = all.map((name) => [name, seen(more(name))] as const).filter(([, count]) => count > 0);
    return Object.fromEntries(some) as { [name in T]?: number };
  };
  return {
    ...batch,
    details: hiddenIndexes === null ? {} : batch.details,
    stats: {
      ...stats,
      totalNbTasks: seen({}),
      status: counts(TASK_STATUS_NAMES, (status) => ({ statuses: [status] })),
      types: counts(Object.keys(stats.types), (type) => ({ types: [type] })),
      indexUids: Object.fromEntries(Object.entries(stats.indexUids).filter(([name]) => allowsIndex(name))),
    },
  };
}
