import {
  ApiError,
  type ErrorCode,
  type JsonObject,
  type OpenInstance,
  type Progress,
  type Task,
  type TaskContent,
  type WriterReport,
} from '@fossick/server/in-process';

interface Waiter {
  readonly resolve: (details: JsonObject) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** A report can be lost with the thread that was to send it: the log is looked at so often all the same. */
const LOOK_MS = 1_000;

/** The tasks that calls of this process wait for. While there are any, the process goes on. */
export class RunningTasks {
  private readonly instance: () => Pick<OpenInstance, 'intake' | 'tasks' | 'writer'>;
  private readonly waiting = new Map<number, Waiter>();
  private look: NodeJS.Timeout | undefined;
  private pendingCount = 0;

  /** @param instance whose writer's reports come to `note` */
  constructor(instance: () => Pick<OpenInstance, 'intake' | 'tasks' | 'writer'>) {
    this.instance = instance;
  }

  /** Registers a task and resolves with what is told of it once it is done, seen by searches and durable. @throws ApiError what the task failed with */
  async run(content: TaskContent, onProgress?: (progress: Progress) => void): Promise<JsonObject> {
    const { intake, writer } = this.instance();
    if (++this.pendingCount === 1) writer.holdProcess(true);
    try {
      const { uid } = await intake.enqueue(content);
      return await new Promise<JsonObject>((resolve, reject) => {
        this.waiting.set(uid, { resolve, reject, onProgress });
        this.look ??= setInterval(() => this.settle(), LOOK_MS);
        // it may be done by now: the writer does not wait until whoever asks hears that the task is durable
        this.settle();
      });
    } finally {
      if (--this.pendingCount === 0) writer.holdProcess(false);
    }
  }

  /** Takes what the writer says of its batches. */
  note(report: WriterReport): void {
    if (report.kind === 'finished') this.settle();
    else if (report.kind === 'progress') this.tell(report.batchUid, report.progress);
  }

  private tell(batchUid: number, progress: Progress): void {
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
  return new ApiError(task.error.code as ErrorCode, task.error.message);
}
