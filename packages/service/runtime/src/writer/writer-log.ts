import type { CommitReplication } from '@fossick/index/writer';
import type { InstanceChanges } from '@fossick/instance';
import type { Task, TaskChanger, TaskGateway, TaskLog } from '@fossick/tasks';
import type { BlockingChannel } from '@fossick/threads';

/** How a writer thread reaches the log that its instance shares (shared-log.ts). */
export interface WriterLogLink {
  /** The address of a WriterLogModule. */
  readonly module: string;
  /** Blocking calls, through which goes everything that the writer changes; anew for each start of the thread. */
  readonly channel: BlockingChannel;
}

export interface WriterLogModule {
  openWriterLog(channel: BlockingChannel): WriterLog;
}

/** How a writer thread changes anything where the log is shared. Every method blocks the thread. */
export interface WriterLog {
  /** Called around each commit of an index. */
  readonly replication: CommitReplication;
  readonly changer: TaskChanger;
  readonly changes: InstanceChanges;
  /** How the writer registers tasks. */
  gateway(log: TaskLog): Pick<TaskGateway, 'enqueue'>;
  /** Makes sure that the payload files of tasks are there. */
  preparePayloads(log: TaskLog, tasks: readonly Task[]): Promise<void>;
  /** The disk did not take the work for these tasks: whether another instance should run them. */
  yieldsWork(tasks: readonly Task[], reason: string): boolean;
  /** The tasks have ended, and nobody needs their payloads. */
  dropPayloads(tasks: readonly Task[]): void;
  close(): void;
}
