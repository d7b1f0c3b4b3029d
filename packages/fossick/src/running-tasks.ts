import { ApiError, type ErrorCode, foreignText, type JsonObject } from '@fossick/base';
import type { OpenInstance, WriterReport } from '@fossick/runtime';
import type { Progress, Task, TaskContent } from '@fossick/tasks';

/** A task that has succeeded. */
export interface DoneTask {
  readonly uid: number;
  readonly details: JsonObject;
}
interface Waiter {
  readonly resolve: (details: JsonObject) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** Interval of reading the log, in milliseconds: a report can be lost with the thread that should send it. */
const LOOK_MS = 1_000;

/** The tasks that calls of this process wait for. They keep the process alive. */
export class RunningTasks {
  private readonly instance: () => Pick<OpenInstance, 'intake' | 'tasks' | 'writer'>;
  private readonly waiting = new Map<number, Waiter>();
  private look: NodeJS.Timeout | undefined;
  private pendingCount = 0;

  /** @param instance passes the writer's reports to `note` */
  constructor(instance: () => Pick<OpenInstance, 'intake' | 'tasks' | 'writer'>) {
    this.instance = instance;
  }

  /**
   * Registers a task and resolves with its number and details once it is done, visible to searches and durable. @throws
   * ApiError the error of the task
   */
  async run(content: TaskContent, onProgress?: (progress: Progress) => void): Promise<DoneTask> {
    const { intake, writer } = this.instance();
    if (++this.pendingCount === 1) writer.holdProcess(true);
    try {
      const { uid } = await intake.enqueue(content);
      const details = await new Promise<JsonObject>((resolve, reject) => {
        this.waiting.set(uid, { resolve, reject, onProgress });
        this.look ??= setInterval(() => this.settle(), LOOK_MS);
        // it may be done already: the writer does not wait for this thread to learn that the task is durable
        this.settle();
      });
      return { uid, details };
    } finally {
      if (--this.pendingCount === 0) writer.holdProcess(false);
    }
  }

  /** Handles the writer's reports about its batches. */
  note(report: WriterReport): void {
    if (report.kind === 'finished') this.settle();
    else if (report.kind === 'progress') this.notify(report.batchUid, report.progress);
  }

  private notify(batchUid: number, progress: Progress): void {
    for (const [uid, { onProgress }] of this.waiting)
      if (onProgress !== undefined && this.instance().tasks.get(uid)?.batchUid === batchUid) onProgress(progress);
  }

  private settle(): void {
    const { tasks } = this.instance();
    for (const [uid, { resolve, reject }] of this.waiting) {
      const task = tasks.get(uid);
      if (task?.finishedAt === null) continue;
      this.waiting.delete(uid);
      const fault = faultOf(task);
      if (fault === undefined) resolve(task?.resultDetails ?? {});
      else reject(fault);
    }
    if (this.waiting.size > 0) return;
    clearInterval(this.look);
    this.look = undefined;
  }
}

function faultOf(task: Task | undefined): Error | undefined {
  if (task?.status === 'canceled') return new Error('the change was canceled');
  if (task === undefined || task.error === null) return undefined;
  return new ApiError(task.error.code as ErrorCode, foreignText(task.error.message));
}
