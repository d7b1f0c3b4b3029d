import { StatusChanges, type TaskLog } from '@fossick/tasks';

/** What has changed since the last look: uids, in ascending order. */
export interface Changes {
  readonly tasks: readonly number[];
  readonly batches: readonly number[];
}
type Listener = (changes: Changes) => void;

/** Milliseconds between two looks at the log: many changes together cost one look. */
const LOOK_EVERY_MS = 20;
/** Milliseconds until the log is looked at without a report: for tasks that the server registers by itself. */
const LOOK_ANYWAY_MS = 1_000;

/**
 * Tells listeners which tasks have another status, and which batches have started, progressed or finished. Costs nothing
 * while there is no listener.
 */
export class TaskChanges {
  private readonly tasks: TaskLog;
  private readonly onFault: (error: unknown) => void;
  private readonly listeners = new Set<Listener>();
  private statuses: StatusChanges | undefined;
  private readonly batches = new Set<number>();
  private timer: NodeJS.Timeout | undefined;
  private dueMs = Number.POSITIVE_INFINITY;
  private lastMs = 0;

  constructor(tasks: TaskLog, onFault: (error: unknown) => void) {
    this.tasks = tasks;
    this.onFault = onFault;
  }

  /** Tells the listener of every change from now on, until the returned function is called. */
  listen(listener: Listener): () => void {
    // changes before this call belong to the other listeners
    if (this.listeners.size > 0) this.look();
    this.statuses ??= new StatusChanges(this.tasks.finder);
    this.listeners.add(listener);
    this.lookWithin(LOOK_ANYWAY_MS);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearTimeout(this.timer);
      this.dueMs = Number.POSITIVE_INFINITY;
      this.statuses = undefined;
      this.batches.clear();
    };
  }

  /** Call it when tasks may have changed, with the batch that reports it if there is one. */
  note(batchUid?: number): void {
    if (this.listeners.size === 0) return;
    if (batchUid !== undefined) this.batches.add(batchUid);
    this.lookWithin(Math.max(0, this.lastMs + LOOK_EVERY_MS - performance.now()));
  }

  private lookWithin(waitMs: number): void {
    const dueMs = performance.now() + waitMs;
    if (dueMs >= this.dueMs) return;
    clearTimeout(this.timer);
    this.dueMs = dueMs;
    this.timer = setTimeout(() => this.look(), waitMs);
    this.timer.unref();
  }

  private look(): void {
    clearTimeout(this.timer);
    this.dueMs = Number.POSITIVE_INFINITY;
    try {
      const batches = [...this.batches].sort((left, right) => left - right);
      this.batches.clear();
      const tasks = this.statuses?.next() ?? [];
      if (tasks.length + batches.length > 0) for (const listener of [...this.listeners]) listener({ tasks, batches });
    } catch (error) {
      this.onFault(error);
    }
    this.lastMs = performance.now();
    if (this.listeners.size > 0) this.lookWithin(LOOK_ANYWAY_MS);
  }
}
