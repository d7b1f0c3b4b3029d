import type { LogOperation, TaskChange } from '../log/records.js';
import type { TaskLog } from '../log/task-log.js';
import { UidSet } from '../log/uid-set.js';
import type { TaskSelection } from '../task/content.js';
import { summarize } from '../task/details.js';
import type { Batch, Micros, Task, TaskOutcome, WorkStats } from '../task/task.js';
import type { ProgressTracker } from './progress.js';
import { WRITING } from './step-table.js';

/** What a transaction has finished: the tasks, for those who hear of them, and files that are no longer needed. */
export interface Finished {
  readonly batch: Batch;
  readonly tasks: readonly Task[];
}

/** The task with its outcome. */
export function withOutcome(task: Task, outcome: TaskOutcome, finishedAt: Micros): Task {
  if (outcome.status === 'failed') return { ...task, status: 'failed', error: outcome.error, finishedAt };
  return { ...task, status: 'succeeded', resultDetails: outcome.details ?? null, finishedAt };
}

/** The pages of the errors of skipped documents, by the uid of their task. */
export type ErrorPages = ReadonlyMap<number, readonly Uint8Array[]>;

/** Bytes of errors after which they continue in another record: a record of a shared log has at most 8 MiB. */
const ERROR_RECORD_BYTES = 1 << 20;

/**
 * Writes the errors of tasks before their end. They may be written again, after a crash: the first page replaces all
 * earlier ones.
 */
export function writeErrors(log: TaskLog, errors: ErrorPages): void {
  for (const [uid, pages] of errors) {
    let first = 0;
    let bytes = 0;
    for (const [page, { length }] of pages.entries()) {
      bytes += length;
      if (bytes < ERROR_RECORD_BYTES && page < pages.length - 1) continue;
      log.change([{ kind: 'putErrors', uid, first, pages: pages.slice(first, page + 1) }]);
      first = page + 1;
      bytes = 0;
    }
  }
}

/** Writes the end of a batch: tasks, batch, and the history of renamed indexes, in one transaction. */
export function finishBatch(log: TaskLog, started: Batch, tasks: readonly Task[], work: WorkStats = {}): Finished {
  const { details, stats } = summarize(tasks, log.kinds);
  const finishedAt = tasks[0]?.finishedAt ?? started.startedAt;
  const batch: Batch = { ...started, details, stats: { ...stats, ...work }, finishedAt };
  log.change([...tasks.flatMap(ended), { kind: 'putBatch', batch }]);
  return { batch, tasks };
}

/** What the end of a task changes. */
function ended(task: Task): LogOperation[] {
  const renames = task.status === 'succeeded' ? newNames(task) : [];
  return [
    { kind: 'changeTasks', uids: [task.uid], change: runOf(task) },
    ...renames.map((names): LogOperation => ({ kind: 'renameHistory', names: [...names], before: task.uid })),
  ];
}

/** The members that its run has set, without those that still have their first value. */
function runOf(task: Task): TaskChange {
  const { status, batchUid, canceledBy, resultDetails, error, startedAt, finishedAt } = task;
  return {
    status,
    batchUid,
    startedAt,
    finishedAt,
    ...(canceledBy === null ? {} : { canceledBy }),
    ...(resultDetails === null ? {} : { resultDetails }),
    ...(error === null ? {} : { error }),
  };
}

/** Callbacks for the progress of a batch that changes the log itself. */
export interface Reporting {
  readonly onProgress: (step: string, done: number, total: number) => void;
  readonly tracker: ProgressTracker;
}

/** Cancels the selected tasks that still wait; the canceled tasks belong to the batch of the cancelation. */
export function runCancelation(log: TaskLog, started: Batch, own: Task, now: Micros, reporting: Reporting): Finished {
  const { onProgress, tracker } = reporting;
  const canceled: Task[] = [];
  const { taskUids } = own.content as TaskSelection;
  const { startedAt, batchUid } = own;
  const change = { status: 'canceled', canceledBy: own.uid, batchUid, startedAt, finishedAt: now } as const;
  onProgress('retrieving tasks', 0, 1);
  for (const [at, uid] of taskUids.entries()) {
    if (at % TASKS_PER_REPORT === 0) onProgress('task', at, taskUids.length);
    const task = log.get(uid);
    if (task?.status !== 'enqueued' || uid === own.uid) continue;
    canceled.push({ ...task, ...change });
  }
  const details = { canceledTasks: canceled.length };
  const done = withOutcome(own, { status: 'succeeded', details }, now);
  onProgress('updating tasks', 0, 1);
  const tasks = [done, ...canceled];
  onProgress(WRITING, 0, 1);
  const stats = { ...summarize(tasks, log.kinds).stats, progressTrace: tracker.finish() };
  // The counters of canceled tasks are zero, so the details of the batch are those of the cancelation alone.
  const batch: Batch = { ...started, stats, details: summarize([done], log.kinds).details, finishedAt: now };
  log.change([
    ...ended(done),
    { kind: 'changeTasks', uids: canceled.map(({ uid }) => uid), change },
    { kind: 'putBatch', batch },
  ]);
  return { batch, tasks };
}

/** Tasks between two reports of progress. */
const TASKS_PER_REPORT = 1_000;

/** Removes the finished tasks of all selections, and batches without remaining tasks. */
export function runDeletions(
  log: TaskLog,
  started: Batch,
  own: readonly Task[],
  now: Micros,
  { onProgress, tracker }: Reporting,
): Finished {
  const removed = new Map<number, Task>();
  onProgress('retrieving tasks', 0, 1);
  const done = own.map((task) => {
    let deletedTasks = 0;
    const { taskUids } = task.content as TaskSelection;
    for (const [at, uid] of taskUids.entries()) {
      if (at % TASKS_PER_REPORT === 0) onProgress('task', at, taskUids.length);
      const target = removed.has(uid) ? undefined : log.get(uid);
      if (target === undefined || target.finishedAt === null) continue;
      removed.set(uid, target);
      deletedTasks += 1;
    }
    return withOutcome(task, { status: 'succeeded', details: { deletedTasks } }, now);
  });
  onProgress('retrieving batch tasks', 0, 1);
  const remaining = log.finder.batchUidsOf(log.finder.find({}).without(UidSet.of(removed.keys())));
  const touched = UidSet.of([...removed.values()].flatMap(({ batchUid }) => (batchUid === null ? [] : [batchUid])));
  const emptied = [...touched.without(remaining).uids()];
  onProgress('deleting tasks', 0, 1);
  onProgress('deleting batches', 0, 1);
  onProgress(WRITING, 0, 1);
  const { details, stats } = summarize(done, log.kinds);
  const batch: Batch = {
    ...started,
    details,
    stats: { ...stats, progressTrace: tracker.finish() },
    finishedAt: now,
  };
  log.change([
    { kind: 'deleteTasks', uids: [...removed.keys()] },
    { kind: 'deleteBatches', uids: emptied },
    ...done.flatMap(ended),
    { kind: 'putBatch', batch },
  ]);
  return { batch, tasks: done };
}

/** The new names that a swap or rename gives to indexes in older tasks. */
function newNames({ content }: Task): ReadonlyMap<string, string>[] {
  if (content.type === 'indexSwap') {
    return content.swaps.map(({ indexes: [left, right], rename }) => {
      const renamed = new Map([[left, right]]);
      return rename ? renamed : renamed.set(right, left);
    });
  }
  const isRename = content.type === 'indexUpdate' && content.newUid !== undefined;
  return isRename ? [new Map([[content.indexUid, content.newUid!]])] : [];
}
