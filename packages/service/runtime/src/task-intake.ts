import type { EnqueueExtras, NewTask, Task, TaskContent, TaskGateway } from '@fossick/tasks';

interface Waiting extends NewTask {
  readonly resolve: (task: Task) => void;
  readonly reject: (error: unknown) => void;
}

/** Passes the tasks of requests that arrive in the same turn of the event loop through the gateway together. */
export class TaskIntake {
  private readonly gateway: Pick<TaskGateway, 'enqueue'>;
  private waiting: Waiting[] = [];

  constructor(gateway: Pick<TaskGateway, 'enqueue'>) {
    this.gateway = gateway;
  }

  /**
   * Resolves with the task once it is durable; tasks are numbered in the order of the calls. Rejects with the reasons of
   * the gateway.
   */
  enqueue(content: TaskContent, extras: EnqueueExtras = {}): Promise<Task> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ content, extras, resolve, reject }) === 1) setImmediate(() => void this.register());
    });
  }

  private async register(): Promise<void> {
    const waiting = this.waiting;
    this.waiting = [];
    try {
      const results = await this.gateway.enqueue(waiting.map(({ content, extras }) => ({ content, extras })));
      for (const [at, { resolve, reject }] of waiting.entries()) {
        const result = results[at]!;
        if (result.status === 'fulfilled') resolve(result.value);
        else reject(result.reason);
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
