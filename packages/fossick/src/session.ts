import type { JsonObject } from '@fossick/base';
import type { OpenInstance } from '@fossick/runtime';
import type { Progress, TaskContent } from '@fossick/tasks';
import { type DoneTask, RunningTasks } from './running-tasks.js';

/** An open instance, shared by an engine and its indexes until it is closed. */
export class Session {
  private opened: OpenInstance | undefined;
  private readonly tasks = new RunningTasks(() => this.instance);
  private readonly calls = new Set<Promise<unknown>>();
  private isClosing = false;

  /** @param open gets the object that handles the writer's reports */
  constructor(open: (tasks: RunningTasks) => OpenInstance) {
    this.opened = open(this.tasks);
    // before a folder in memory is removed
    process.prependListener('exit', this.onExit);
  }

  /** A program that ends without closing has not crashed: anyone who opens the folder next need not look for damage. */
  private readonly onExit = (): void => this.opened?.expectEnd();

  get instance(): OpenInstance {
    if (this.opened === undefined) throw closed();
    return this.opened;
  }

  /** Uses the instance, which is not closed meanwhile. Rejects once closing has begun. */
  async use<T>(work: (instance: OpenInstance) => T | Promise<T>): Promise<T> {
    if (this.isClosing) throw closed();
    const call = Promise.resolve(work(this.instance));
    this.calls.add(call);
    try {
      return await call;
    } finally {
      this.calls.delete(call);
    }
  }

  /** Runs a task; resolves with its details when it is done. @throws ApiError */
  async run(content: TaskContent): Promise<JsonObject> {
    return (await this.runTask(content)).details;
  }

  /** The same, with its progress; resolves with its number too. @throws ApiError */
  runTask(content: TaskContent, onProgress?: (progress: Progress) => void): Promise<DoneTask> {
    return this.tasks.run(content, onProgress);
  }

  /** Waits for running calls, then closes. */
  async close(): Promise<void> {
    if (this.isClosing) return;
    this.isClosing = true;
    await Promise.allSettled(this.calls);
    await this.opened?.close();
    this.opened = undefined;
    process.off('exit', this.onExit);
  }
}

function closed(): Error {
  return new Error('the engine is closed');
}
