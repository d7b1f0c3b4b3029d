import {
  type BatchAnswer,
  type SummarizedTaskAnswer,
  shownTaskType,
  type TaskAnswer,
  type TaskStatus,
} from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import { indexUidOf, RULES_INDEX_UID, type TaskContent } from './content.js';
import { taskDetails } from './details.js';
import { textOf } from './long-contents.js';
import type { Batch, Micros, Task, WriteCongestion } from './task.js';
import type { TaskKind } from './task-kind.js';

/** The API's description of an error code. */
export type DescribeError = (code: string) => Pick<NonNullable<TaskAnswer['error']>, 'type' | 'link'>;

/** RFC 3339 in UTC with up to 6 fraction digits, trailing zeros trimmed. */
export function toRfc3339(at: Micros): string {
  const seconds = new Date(Math.floor(at / 1_000_000) * 1000).toISOString().slice(0, 19);
  const fraction = String(((at % 1_000_000) + 1_000_000) % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return fraction === '' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}

/** ISO 8601 duration of days and seconds, with a fraction of 3 or 6 digits; null when negative. */
export function toDuration(start: Micros | null, end: Micros | null): string | null {
  if (start === null || end === null || end < start) return null;
  const total = end - start;
  const days = Math.floor(total / 86_400_000_000);
  const seconds = Math.floor((total % 86_400_000_000) / 1_000_000);
  const micros = total % 1_000_000;
  const digits = micros % 1000 === 0 ? String(micros / 1000).padStart(3, '0') : String(micros).padStart(6, '0');
  const fraction = micros === 0 ? '' : `.${digits}`;
  const day = days === 0 ? '' : `${days}D`;
  const time = days > 0 && seconds === 0 && micros === 0 ? '' : `T${seconds}${fraction}S`;
  return `P${day}${time}`;
}

/** The answer of every write request: the task as it was registered. Where the log is shared it may have run before its node answers. */
export function toSummaryJson(task: Task): SummarizedTaskAnswer {
  return {
    taskUid: task.uid,
    indexUid: shownIndexUid(task.content),
    status: 'enqueued',
    type: shownTaskType(task.content.type),
    enqueuedAt: toRfc3339(task.enqueuedAt),
    ...(task.customMetadata === undefined ? {} : { customMetadata: task.customMetadata }),
  };
}

/** The task object of the API, keys in their order. `kinds`: those of extensions. */
export function toTaskJson(task: Task, describe: DescribeError, kinds: readonly TaskKind[] = []): TaskAnswer {
  const { error } = task;
  return {
    uid: task.uid,
    batchUid: task.batchUid,
    indexUid: shownIndexUid(task.content),
    status: task.status,
    type: shownTaskType(task.content.type),
    canceledBy: task.canceledBy,
    details: shownDetails(task, kinds),
    error: error === null ? null : { message: error.message, code: error.code, ...describe(error.code) },
    duration: toDuration(task.startedAt, task.finishedAt),
    enqueuedAt: toRfc3339(task.enqueuedAt),
    startedAt: task.startedAt === null ? null : toRfc3339(task.startedAt),
    finishedAt: task.finishedAt === null ? null : toRfc3339(task.finishedAt),
    ...(task.network === undefined ? {} : { network: task.network }),
    ...(task.customMetadata === undefined ? {} : { customMetadata: task.customMetadata }),
  };
}

/** Long details are passed on as text. */
function shownDetails(task: Task, kinds: readonly TaskKind[]): JsonObject | null {
  const { content, resultDetails } = task;
  if (content.type !== 'settingsUpdate' || content.settingsText === undefined || resultDetails !== null)
    return taskDetails(task, kinds);
  return textOf(content.settingsText);
}

/** A batch lists its number of tasks under every status, including zeros. */
const NO_TASKS: Readonly<Record<TaskStatus, number>> = {
  succeeded: 0,
  failed: 0,
  canceled: 0,
  enqueued: 0,
  processing: 0,
};

/** For a batch that has not written anything, or was done before this was measured. */
const NO_CONGESTION: WriteCongestion = {
  attempts: 0,
  blocking_attempts: 0,
  blocking_ratio: 0,
  waitedForExtraction: '0.00ns',
  waitedForDisk: '0.00ns',
};

/** The batch object of the API. `progress` is the writer's last report of the running batch. */
export function toBatchJson(batch: Batch, progress: BatchAnswer['progress'] = null): BatchAnswer {
  const { progressTrace, internalDatabaseSizes = {}, writeChannelCongestion, embedderRequests, ...rest } = batch.stats;
  const { status, ...counts } = rest;
  return {
    uid: batch.uid,
    progress: batch.finishedAt === null ? progress : null,
    details: batch.detailsText === undefined ? batch.details : textOf(batch.detailsText),
    stats: {
      ...counts,
      status: { ...NO_TASKS, ...status },
      ...(isEmpty(progressTrace) ? {} : { progressTrace: { ...progressTrace } }),
      writeChannelCongestion: { ...(writeChannelCongestion ?? NO_CONGESTION) },
      internalDatabaseSizes,
      ...(embedderRequests === undefined ? {} : { embedderRequests }),
    },
    duration: toDuration(batch.startedAt, batch.finishedAt),
    startedAt: toRfc3339(batch.startedAt),
    finishedAt: batch.finishedAt === null ? null : toRfc3339(batch.finishedAt),
    batchStrategy: batch.strategy,
  };
}

function isEmpty(map: object | undefined): boolean {
  return map === undefined || Object.keys(map).length === 0;
}

function shownIndexUid(content: TaskContent): string | null {
  const isOfRules = content.type === 'dsrUpdate' || content.type === 'dsrClear';
  return isOfRules ? RULES_INDEX_UID : indexUidOf(content);
}
