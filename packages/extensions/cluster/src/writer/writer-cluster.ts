import { existsSync } from 'node:fs';
import { ApiError, apiError } from '@fossick/base';
import type { InstanceChanges } from '@fossick/instance';
import type { WriterLog } from '@fossick/runtime/extension';
import { renewLostStores } from '@fossick/storage';
import { encodeChanges } from '@fossick/storage/changes';
import {
  encodeTaskRecord,
  type LogOperation,
  payloadOf,
  type Task,
  type TaskGateway,
  type TaskLog,
} from '@fossick/tasks';
import { BlockingCaller, type BlockingChannel } from '@fossick/threads';
import { isOfDisk } from '../node/full-disk.js';
import type { WriterQuestion } from '../node/writer-bridge.js';
import { payloadKey } from '../objects/payload-key.js';
import { writeWhole } from '../objects/whole-file.js';
import { type Place, putPlace } from '../records/place.js';
import { encodeValuesRecord, valuesRecord } from '../records/values-record.js';
import { revived, type SentError } from '../threads/sent-errors.js';
import { registeredTasks, type SentResult } from '../threads/sent-results.js';

/** Opens a writer's side of a channel of ClusterLink. */
export function openWriterLog(channel: BlockingChannel): WriterLog {
  return new WriterCluster(channel);
}

class WriterCluster implements WriterLog {
  private readonly caller: BlockingCaller<WriterQuestion, SentError>;
  /** A commit is in the log and not known to have succeeded here. */
  private isOpen = false;

  constructor(channel: BlockingChannel) {
    // the thread of the cluster may need a store that all threads have to open anew before it can answer
    this.caller = new BlockingCaller(channel, revived, renewLostStores);
  }

  readonly replication: WriterLog['replication'] = {
    beforeCommit: (store) => (changes, _durability, txn) => {
      this.settle();
      const place = this.ask({ kind: 'commit', store, changes: encodeChanges(changes) }) as Place;
      this.isOpen = true;
      putPlace(txn, place);
    },
    committed: () => {
      if (!this.isOpen) return;
      this.isOpen = false;
      this.caller.say({ kind: 'committed' });
    },
    copied: (from, to) => {
      this.settle();
      this.ask({ kind: 'copied', from, to });
    },
  };

  readonly changer: WriterLog['changer'] = (operations) => {
    this.settle();
    const record = encodeTaskRecord({ kind: 'task-changes', operations });
    this.ask({ kind: 'change', record, isEnd: operations.some(isEnd) });
  };

  readonly changes: InstanceChanges = {
    commit: async (changes, conditions = []) => {
      this.settle();
      return this.ask({ kind: 'values', body: encodeValuesRecord(valuesRecord(changes, conditions)) }) === true;
    },
    // the writer keeps no values
    onChange: () => ({ [Symbol.dispose]: () => undefined }),
  };

  gateway(log: TaskLog): Pick<TaskGateway, 'enqueue'> {
    return {
      enqueue: async (entries) => registeredTasks(this.ask({ kind: 'enqueue', entries }) as SentResult[], log),
    };
  }

  async preparePayloads(log: TaskLog, tasks: readonly Task[]): Promise<void> {
    for (const { uid, content } of tasks) {
      const file = payloadOf(content)?.payloadFile;
      if (file === undefined || existsSync(file)) continue;
      const source = log.payloadSource(uid);
      if (source?.kind === 'inline') await writeWhole(file, [source.bytes]);
      else if (source !== undefined) this.ask({ kind: 'fetch', key: source.key, file });
    }
  }

  yieldsWork(tasks: readonly Task[], reason: string): boolean {
    this.settle();
    return this.ask({ kind: 'yield', uids: tasks.map(({ uid }) => uid), reason }) === true;
  }

  dropPayloads(tasks: readonly Task[]): void {
    const keys = tasks.flatMap(({ content }) => {
      const payload = payloadOf(content);
      const key = payload && payloadKey(payload);
      return key === undefined ? [] : [key];
    });
    if (keys.length > 0) this.caller.say({ kind: 'drop', keys });
  }

  close(): void {
    this.caller.close();
  }

  /**
   * A commit that is in the log has failed here: the thread of the cluster does it. Anyone who goes on has read the store
   * without it, and must begin anew.
   */
  private settle(): void {
    if (!this.isOpen) return;
    this.ask({ kind: 'failed' });
    this.isOpen = false;
    throw apiError('store_unavailable', 'indexes');
  }

  /** Errors that are not of users become one after which the work is done again. */
  private ask(question: WriterQuestion): unknown {
    try {
      return this.caller.call(question);
    } catch (error) {
      // the disk of this node, which another one may do without
      if (error instanceof ApiError || isOfDisk(error)) throw error;
      throw Object.assign(apiError('cluster_log_unavailable', 'away'), { cause: error });
    }
  }
}

function isEnd(operation: LogOperation): boolean {
  if (operation.kind === 'changeTasks') return operation.change.finishedAt !== undefined;
  return operation.kind === 'putTask' && operation.task.finishedAt !== null;
}
