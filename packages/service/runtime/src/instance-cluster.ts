import type { InstanceChanges } from '@fossick/instance';
import type { TaskGateway, TaskLog } from '@fossick/tasks';
import type { WriterLink } from './writer/writer-link.js';
import type { WriterThreadOptions } from './writer/writer-thread.js';

/** What an instance of a cluster has instead of its own: see OpenInstance. */
export interface InstanceCluster {
  readonly summaryMarks: SharedArrayBuffer;
  readonly changes: InstanceChanges;
  taskGateway(tasks: TaskLog): TaskGateway;
  /** A writer that runs while this node leads. */
  startWriter(start: (more: WriterThreadOptions) => WriterLink): WriterLink;
  /** Calls `listener` when tasks have changed. */
  onTasks(listener: () => void): void;
  /** Lets another node lead. The writer has stopped. */
  resign(): Promise<void>;
  close(): Promise<void>;
}
