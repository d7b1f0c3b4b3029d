import type { EnqueueExtras, NewTask, Task, TaskContent, TaskLog } from '@fossick/scheduler';

interface Waiting extends NewTask {
  readonly resolve: (task: Task) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Registers tasks of requests that come in the same turn of the event loop in one commit, since each commit holds up
 * this thread for as long as the disk takes.
 */
export class TaskIntake {
  readonly #log: Pick<TaskLog, 'enqueueAll'>;
  #waiting: Waiting[] = [];

  constructor(log: Pick<TaskLog, 'enqueueAll'>) {
    this.#log = log;
  }

  /** The task once it is durable; tasks get their numbers in the order of the calls. Throws what the log throws. */
  enqueue(content: TaskContent, extras: EnqueueExtras = {}): Promise<Task> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ content, extras, resolve, reject }) === 1) setImmediate(() => this.#register());
    });
  }

  #register(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (this.#registerTogether(waiting) || waiting.length === 1) return;
    // One that the log refuses must not stand in the way of the others.
    for (const one of waiting) this.#registerTogether([one]);
  }

  /** Answers whether they are settled; a single one always is. */
  #registerTogether(waiting: readonly Waiting[]): boolean {
    try {
      const tasks = this.#log.enqueueAll(waiting);
      waiting.forEach(({ resolve }, at) => {
        resolve(tasks[at]!);
      });
      return true;
    } catch (error) {
      if (waiting.length === 1) waiting[0]!.reject(error);
      return waiting.length === 1;
    }
  }
}
