import type { LogWrites } from "../log/log-writes.js";
import type { TaskLog } from "../log/task-log.js";
import type { Swap, TaskSelection } from "../task/content.js";
import { summarize } from "../task/details.js";
import type { Batch, Micros, Task, TaskOutcome } from "../task/task.js";

/** What a transaction has ended: the tasks for webhooks, and files that nobody needs any more. */
export interface Finished {
  readonly batch: Batch;
  readonly tasks: readonly Task[];
}

/** The task with its outcome. */
export function withOutcome(task: Task, outcome: TaskOutcome, finishedAt: Micros): Task {
  if (outcome.status === "failed") return { ...task, status: "failed", error: outcome.error, finishedAt };
  return { ...task, status: "succeeded", resultDetails: outcome.details ?? null, finishedAt };
}

/** Writes the end of a batch: tasks, batch, and the history of swapped indexes, in one transaction. */
export function finishBatch(log: TaskLog, started: Batch, tasks: readonly Task[]): Finished {
  return log.write((writes) => {
    for (const task of tasks) {
      writes.putTask(task);
      if (task.status === "succeeded" && task.content.type === "indexSwap") {
        for (const swap of task.content.swaps) renameHistory(log, writes, swap, task.uid);
      }
    }
    const batch: Batch = { ...started, ...summarize(tasks), finishedAt: tasks[0]?.finishedAt ?? started.startedAt };
    writes.putBatch(batch);
    return { batch, tasks };
  });
}

/** Cancels what still waits of the selection; the canceled tasks belong to the batch of the cancelation. */
export function runCancelation(log: TaskLog, started: Batch, own: Task, now: Micros): Finished {
  const canceled: Task[] = [];
  for (const uid of (own.content as TaskSelection).taskUids) {
    const task = log.get(uid);
    if (task?.status !== "enqueued" || uid === own.uid) continue;
    const { startedAt, batchUid } = own;
    canceled.push({ ...task, status: "canceled", canceledBy: own.uid, batchUid, startedAt, finishedAt: now });
  }
  const details = { canceledTasks: canceled.length };
  const done = withOutcome(own, { status: "succeeded", details }, now);
  // Counters of the canceled are zeros of work nobody asked this batch for: its details are the cancelation's own.
  return log.write((writes) => {
    const tasks = [done, ...canceled];
    for (const task of tasks) writes.putTask(task);
    const { stats } = summarize(tasks);
    const batch: Batch = { ...started, stats, details: summarize([done]).details, finishedAt: now };
    writes.putBatch(batch);
    return { batch, tasks };
  });
}

/** Removes the finished tasks of all selections, and batches that lost their last task. */
export function runDeletions(log: TaskLog, started: Batch, own: readonly Task[], now: Micros): Finished {
  const removed = new Map<number, Task>();
  const done = own.map((task) => {
    let deletedTasks = 0;
    for (const uid of (task.content as TaskSelection).taskUids) {
      const target = removed.has(uid) ? undefined : log.get(uid);
      if (target === undefined || target.finishedAt === null) continue;
      removed.set(uid, target);
      deletedTasks += 1;
    }
    return withOutcome(task, { status: "succeeded", details: { deletedTasks } }, now);
  });
  const batchUids = new Set([...removed.values()].map((task) => task.batchUid).filter((uid) => uid !== null));
  const emptied = [...batchUids].filter((uid) => log.uids({ batchUids: [uid] }).every((task) => removed.has(task)));
  return log.write((writes) => {
    for (const task of removed.values()) writes.deleteTask(task);
    for (const uid of emptied) writes.deleteBatch(uid);
    for (const task of done) writes.putTask(task);
    const batch: Batch = { ...started, ...summarize(done), finishedAt: now };
    writes.putBatch(batch);
    return { batch, tasks: done };
  });
}

/**
 * Tasks older than the swap see the index names exchanged (or renamed). O(tasks of both indexes). Spec 03 section
 * 4.4.
 */
function renameHistory(log: TaskLog, writes: LogWrites, swap: Swap, swapUid: number): void {
  const [left, right] = swap.indexes;
  for (const uid of log.uids({ indexUids: [left, right] })) {
    if (uid >= swapUid) continue;
    const task = writes.task(uid);
    if (task === undefined || !("indexUid" in task.content)) continue;
    const renamed = task.content.indexUid === left ? right : left;
    writes.putTask({ ...task, content: { ...task.content, indexUid: renamed } });
  }
}
