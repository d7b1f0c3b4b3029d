import type { EnqueueExtras, NewTask, Task, TaskContent, TaskLog } from '@fossick/tasks';

interface Waiting extends NewTask {
  readonly resolve: (task: Task) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Registers tasks of requests that arrive in the same turn of the event loop in one commit. The writer is notified as
 * soon as it can see them: it begins while the disk makes them durable, which the answers wait for without blocking
 * this thread. So if nothing else runs, a task has begun before its sender can send another.
 */
export class TaskIntake {
  private readonly log: Pick<TaskLog, 'enqueueAll' | 'flush'>;
  private readonly onVisible: () => void;
  private waiting: Waiting[] = [];

  constructor(log: Pick<TaskLog, 'enqueueAll' | 'flush'>, onVisible: () => void) {
    this.log = log;
    this.onVisible = onVisible;
  }

  /**
   * Resolves with the task once it is durable; tasks are numbered in the order of the calls. Throws the errors of the
   * log.
   */
  enqueue(content: TaskContent, extras: EnqueueExtras = {}): Promise<Task> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ content, extras, resolve, reject }) === 1) setImmediate(() => this.register());
    });
  }

  private register(): void {
    const waiting = this.waiting;
    this.waiting = [];
    if (this.registerTogether(waiting) || waiting.length === 1) return;
    // A task that the log refuses must not prevent the others.
    for (const one of waiting) this.registerTogether([one]);
  }

  /** Returns whether they were registered or refused; a single one always is. */
  private registerTogether(waiting: readonly Waiting[]): boolean {
    let tasks: readonly Task[];
    try {
      tasks = this.log.enqueueAll(waiting, 'later');
    } catch (error) {
      if (waiting.length === 1) waiting[0]!.reject(error);
      return waiting.length === 1;
    }
    this.onVisible();
    this.log.flush().then(
      () => {
        for (const [at, { resolve }] of waiting.entries()) resolve(tasks[at]!);
      },
      (error: unknown) => {
        for (const { reject } of waiting) reject(error);
      },
    );
    return true;
  }
}
