import type { InstanceChanges } from '@fossick/instance';
import type { TaskGateway, TaskLog } from '@fossick/tasks';
import type { WriterLink } from './writer/writer-link.js';
import type { WriterThreadOptions } from './writer/writer-thread.js';

/**
 * The log of an instance that shares it with other instances. It takes the place of the instance's own log: it orders tasks, commits and
 * stored values, and says which of the instances may write them. The stores of the instance follow it, and nothing is in them that
 * is not in the log. It is open before the stores are, and closed after them.
 */
export interface SharedLog {
  /** Whether this instance may run tasks: of all that share the log, one at a time. O(1) */
  readonly leads: boolean;
  /** Milliseconds since the log was heard of: how old what this instance has read of it may be. O(1) */
  readonly silentMs: number;
  /** Where it marks which indexes have changed, by commits of other instances. */
  readonly summaryMarks: SharedArrayBuffer;
  /** How stored values change. */
  readonly changes: InstanceChanges;
  /** How tasks are registered. `tasks`: those that are in the store. */
  taskGateway(tasks: TaskLog): TaskGateway;
  /** A writer that runs while this instance leads. `start` may be called again after its writer has stopped, with a new link of its thread to the log. */
  startWriter(start: (more: WriterThreadOptions) => WriterLink): WriterLink;
  /** Calls `listener` when tasks have changed, here or elsewhere. */
  onTasks(listener: () => void): void;
  /** Lets another instance lead. The writer has stopped. */
  resign(): Promise<void>;
  close(): Promise<void>;
}
