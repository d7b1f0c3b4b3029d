import type { EnqueueExtras, NewTask, Task, TaskContent, TaskLog } from '@fossick/scheduler';

interface Waiting extends NewTask {
  readonly resolve: (task: Task) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Registers tasks of requests that come in the same turn of the event loop in one commit. The writer is told of them as soon as it can see
 * them: it begins while the disk makes them durable, which the answers wait for and this thread does not. So a task has begun, where
 * nothing else runs, before whoever sent it can send another.
 */
export class TaskIntake {
  private readonly log: Pick<TaskLog, 'enqueueAll' | 'flush'>;
  private readonly onVisible: () => void;
  private waiting: Waiting[] = [];

  constructor(log: Pick<TaskLog, 'enqueueAll' | 'flush'>, onVisible: () => void) {
    this.log = log;
    this.onVisible = onVisible;
  }

  /** The task once it is durable; tasks get their numbers in the order of the calls. Throws what the log throws. */
  enqueue(content: TaskContent, extras: EnqueueExtras = {}): Promise<Task> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ content, extras, resolve, reject }) === 1) setImmediate(() => this.register());
    });
  }

  private register(): void {
    const waiting = this.waiting;
    this.waiting = [];
    if (this.registerTogether(waiting) || waiting.length === 1) return;
    // One that the log refuses must not stand in the way of the others.
    for (const one of waiting) this.registerTogether([one]);
  }

  /** Answers whether they are registered or refused; a single one always is. */
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
