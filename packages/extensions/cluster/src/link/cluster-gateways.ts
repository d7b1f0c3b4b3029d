import type { InstanceChanges } from '@fossick/instance';
import type { ChangeSet } from '@fossick/storage';
import { decodeChanges } from '@fossick/storage/changes';
import type { NewTask, TaskGateway, TaskLog } from '@fossick/tasks';
import { encodeValuesRecord, valuesRecord } from '../records/values-record.js';
import { registeredTasks, type SentResult } from '../threads/sent-results.js';
import type { ClusterLink } from './cluster-link.js';

/** How tasks of requests get into the log of a cluster. `tasks`: of this node. */
export function clusterTaskGateway(link: ClusterLink, tasks: Pick<TaskLog, 'get'>): TaskGateway {
  return {
    async enqueue(entries: readonly NewTask[]) {
      try {
        return registeredTasks((await link.ask({ kind: 'enqueue', entries })) as SentResult[], tasks);
      } catch (reason) {
        return entries.map(() => ({ status: 'rejected', reason }) as const);
      }
    },
    caughtUp: () => link.caughtUp(),
    seal() {
      throw new Error(
        'The task queue of a node of a cluster is not compacted. Start the node with an empty folder: it is filled from checkpoints.',
      );
    },
  };
}

/** How values of requests get into the log of a cluster. */
export function clusterInstanceChanges(link: ClusterLink): InstanceChanges {
  return {
    async commit(changes, conditions = []) {
      const body = encodeValuesRecord(valuesRecord(changes, conditions));
      return (await link.ask({ kind: 'values', body })) as boolean;
    },
    onChange(listener: (changes: ChangeSet) => void) {
      const onValues = (encoded: Uint8Array): void => listener(decodeChanges(encoded));
      link.on('values', onValues);
      return { [Symbol.dispose]: () => void link.off('values', onValues) };
    },
  };
}
